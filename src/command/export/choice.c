/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads what of an archive is to be exported (choice.h).
 */
#include "src/command/export/choice.h"

#include "src/core/array.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1.5", "20ms": seconds, unless there is a unit. */
static bool read_time(const char *text, uint64_t *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    char *end = NULL;
    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return false;
    double number = strtod(text, &end);
    for (size_t i = 0; end != text && i < sizeof(units) / sizeof(units[0]); i++) {
        double value = number * units[i].ns + 0.5;
        if (strcmp(end, units[i].name) == 0 && value < 9e18) {
            *ns = (uint64_t)value;
            return true;
        }
    }
    return false;
}

static int take_time(const char *name, const char *text, uint64_t *ns, char *error, size_t bytes)
{
    if (text == NULL || read_time(text, ns))
        return 0;
    snprintf(error, bytes, "--%s: %s is no time: a number of seconds, or with ms, us or ns behind it", name,
             text);
    return -EINVAL;
}

static bool read_number(const char **text, uint32_t *number)
{
    char *end = NULL;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    unsigned long value = strtoul(*text, &end, 10);
    *text = end;
    *number = (uint32_t)value;
    return errno == 0 && value <= UINT32_MAX;
}

/* "3", "0-7", "1:0-7" */
static bool read_range(const char **text, struct omptape_export_range *range)
{
    *range = (struct omptape_export_range){.any_process = true};
    if (!read_number(text, &range->first))
        return false;
    if (**text == ':') {
        ++*text;
        range->any_process = false;
        range->process = range->first;
        if (!read_number(text, &range->first))
            return false;
    }
    range->last = range->first;
    if (**text == '-') {
        ++*text;
        if (!read_number(text, &range->last))
            return false;
    }
    return range->first <= range->last;
}

static int read_threads(struct omptape_export_choice *choice, const char *list, char *error, size_t bytes)
{
    const char *text = list;
    do {
        struct omptape_export_range range;
        if (!read_range(&text, &range) || (*text != ',' && *text != '\0')) {
            snprintf(error, bytes,
                     "--threads: %s is no list of locations: 0-3,7, or 2:0-3 of process 2 alone", list);
            return -EINVAL;
        }
        struct omptape_export_range *ranges =
            omptape_array_reserve(choice->ranges, choice->count + 1, &choice->room, sizeof(*ranges));
        if (ranges == NULL) {
            snprintf(error, bytes, "out of memory");
            return -ENOMEM;
        }
        choice->ranges = ranges;
        choice->ranges[choice->count++] = range;
    } while (*text++ == ',');
    return 0;
}

int omptape_export_choice_read(struct omptape_export_choice *choice, const struct omptape_export_words *words,
                               char *error, size_t bytes)
{
    *choice = (struct omptape_export_choice){.to = UINT64_MAX};
    int status = take_time("from", words->from, &choice->from, error, bytes);
    if (status == 0)
        status = take_time("to", words->to, &choice->to, error, bytes);
    if (status == 0)
        status = take_time("min-duration", words->min_duration, &choice->least, error, bytes);
    if (status == 0 && words->threads != NULL)
        status = read_threads(choice, words->threads, error, bytes);
    if (status == 0 && choice->from > choice->to) {
        snprintf(error, bytes, "--from %s lies behind --to %s", words->from, words->to);
        status = -EINVAL;
    }
    return status;
}

bool omptape_export_choice_has(const struct omptape_export_choice *choice, uint32_t process, uint32_t number)
{
    for (uint32_t i = 0; i < choice->count; i++) {
        const struct omptape_export_range *range = &choice->ranges[i];
        if ((range->any_process || range->process == process) && range->first <= number &&
            number <= range->last)
            return true;
    }
    return choice->count == 0;
}

void omptape_export_choice_free(struct omptape_export_choice *choice)
{
    free(choice->ranges);
}
