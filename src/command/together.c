/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unifies the archives of a run (src/unify/). Called by the command's one thread between the end of the
 * writers and the summary.
 */
#include "src/command/together.h"

#include "src/command/notice.h"
#include "src/core/message.h"
#include "src/unify/unify.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 2048 };

static const char anchor[] = "/trace.otf2";

static void say(void *data, const char *line)
{
    (void)data;
    omptape_message("%s", line);
}

/* The folder of the trace inside `folder`: "" is that itself. NULL: it is elsewhere, or there is none. The
 * caller frees it. */
static char *place_inside(const char *folder, const struct omptape_trace *trace)
{
    size_t length = strlen(folder);
    size_t end = trace->path && !trace->error ? strlen(trace->path) : 0;

    if (end < length + sizeof(anchor) - 1 || strncmp(trace->path, folder, length) != 0 ||
        trace->path[length] != '/' || strcmp(trace->path + end - (sizeof(anchor) - 1), anchor) != 0)
        return NULL;
    if (end == length + sizeof(anchor) - 1)
        return omptape_text("%s", "");
    char *name = omptape_text("%.*s", (int)(end - length - sizeof(anchor)), trace->path + length + 1);
    if (!strchr(name, '/'))
        return name;
    free(name);
    return NULL;
}

/* Notes the traces that lie in the folder; returns how many of them have a folder of their own there. */
static size_t find_parts(const char *folder, struct omptape_report *report, struct omptape_strings *parts)
{
    for (size_t i = 0; i < report->count; i++) {
        char *place = place_inside(folder, &report->traces[i]);
        report->traces[i].joined = place != NULL;
        if (place && place[0] != '\0')
            omptape_strings_add(parts, place);
        free(place);
    }
    return parts->count;
}

/* Ranks on other hosts cannot report. */
static bool has_ranks(const char *folder)
{
    const struct dirent *entry;
    bool found = false;
    DIR *entries = opendir(folder);

    while (entries && !found && (entry = readdir(entries)) != NULL)
        found = strncmp(entry->d_name, "rank-", 5) == 0;
    if (entries)
        closedir(entries);
    return found;
}

void omptape_together(const struct omptape_output *output, struct omptape_report *report)
{
    char message[MESSAGE_BYTES];
    struct omptape_strings parts = {0};
    struct omptape_unify_options options = {.silent = omptape_notice_is_silent(), .say = say};
    bool several = output->folder && (find_parts(output->folder, report, &parts) > 0 ||
                                      (output->alone && has_ranks(output->folder)));

    /* In a folder that was there before, others' archives are not touched. */
    if (!output->alone) {
        options.parts = (const char *const *)parts.items;
        options.part_count = parts.count;
    }
    int result = several ? omptape_unify(output->folder, &options, message, sizeof(message)) : 0;
    if (several && result == 0)
        report->unified = omptape_text("%s%s", output->folder, anchor);
    if (result != 0)
        omptape_message("%s", message);
    for (size_t i = 0; i < report->count && !report->unified; i++)
        report->traces[i].joined = false;
    omptape_strings_free(&parts);
}
