/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses moments and durations (moment.h).
 */
#include "src/command/text/moment.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool duration_read(const char *text, uint64_t *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    const double max = 9e18;
    char *end = NULL;
    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return false;
    double number = strtod(text, &end);
    for (size_t i = 0; end != text && i < sizeof(units) / sizeof(units[0]); i++) {
        double value = number * units[i].ns + 0.5;
        if (strcmp(end, units[i].name) == 0 && value < max) {
            *ns = (uint64_t)value;
            return true;
        }
    }
    return false;
}

/* Returns true if the text ends in a number after a colon, as in "step:37". */
static bool has_number(const char *text)
{
    const char *colon = strrchr(text, ':');
    return colon != NULL && colon[1] != '\0' && strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

int moment_read(struct time_option *moment, const char *option, const char *text, char *error, size_t bytes)
{
    *moment = (struct time_option){.is_given = text != NULL};
    if (text == NULL || duration_read(text, &moment->ns))
        return 0;
    if (isalpha((unsigned char)text[0]) && (strchr(text, '@') != NULL || has_number(text))) {
        moment->visit = text;
        return 0;
    }
    snprintf(
        error, bytes,
        "--%s: %.80s is no time (a number of seconds, or with ms, us or ns behind it) and no instance of a "
        "region (for@solver.c:112:3; step:37)",
        option, text);
    return -EINVAL;
}

bool moments_are_swapped(const struct time_option *from, const struct time_option *to)
{
    return from->is_given && to->is_given && from->visit == NULL && to->visit == NULL && from->ns > to->ns;
}
