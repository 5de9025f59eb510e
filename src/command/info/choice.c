/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The section of `omptape info` on what was deliberately not recorded: filter, limit and start, and the sites
 * that are recorded incompletely.
 */
#include "src/command/info/state.h"

#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256 };

static const char *limited_site(struct info *info, unsigned number)
{
    char key[64];
    snprintf(key, sizeof(key), OMPTAPE_KEY_LIMITED "::%u", number);
    return info_property(info, key);
}

static void print_site(struct info *info, const char *text)
{
    char name[NAME_BYTES];
    char *rest = NULL;
    uint64_t shown = strtoull(text, &rest, 10);
    uint64_t total = strtoull(rest, &rest, 10);
    rest += strspn(rest, " ");
    fprintf(info->out, "  %13s  %13s  %s\n", info_number(shown), info_number(total),
            omptape_cut_text(rest, name, sizeof(name)));
}

void info_print_choice(struct info *info)
{
    const char *filter = info_property(info, OMPTAPE_KEY_FILTER);
    const char *limit = info_property(info, OMPTAPE_KEY_LIMIT_PER_SITE);
    const char *start = info_property(info, OMPTAPE_KEY_START);
    const char *text = limited_site(info, 0);
    if (filter == NULL && limit == NULL && start == NULL)
        return;
    info_title(info, "Left out on purpose");
    info_optional(info, "Filter", filter);
    info_optional(info, "Limit per site", limit);
    info_optional(info, "Start", start);
    if (text != NULL)
        fprintf(info->out, "  %13s  %13s  region\n", "shown", "of");
    for (unsigned number = 1; text != NULL; number++) {
        print_site(info, text);
        text = limited_site(info, number);
    }
}
