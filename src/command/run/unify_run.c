/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unifies the archives of a run (src/unify/). Called after the writers have ended and before the summary.
 */
#include "src/command/run/run.h"

#include "src/command/text/notice.h"
#include "src/core/message.h"
#include "src/folder/archive_files.h"
#include "src/unify/unify.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 2048 };

static const char anchor[] = "/traces.otf2";

/* Prints what the unification left out or completed. */
static void print_line(void *data, const char *line)
{
    (void)data;
    omptape_message("%s", line);
}

/* Returns the name of the first `bytes` bytes of `place` inside `folder`, or "" for the folder itself.
 * Returns NULL if the place is not directly in the folder. The caller frees it. */
static char *name_inside(const char *folder, const char *place, size_t bytes)
{
    size_t length = strlen(folder);
    if (bytes < length || strncmp(place, folder, length) != 0 || (bytes > length && place[length] != '/'))
        return NULL;
    if (bytes == length)
        return omptape_text("%s", "");
    char *name = omptape_text("%.*s", (int)(bytes - length - 1), place + length + 1);
    if (strchr(name, '/') == NULL)
        return name;
    free(name);
    return NULL;
}

/* Returns the name of the trace's folder inside `folder`, as name_inside does; NULL for snapshots and failed
 * traces. */
static char *place_inside(const char *folder, const struct writer_report *writer)
{
    size_t length = writer->path != NULL && writer->error == NULL ? strlen(writer->path) : 0;
    size_t end = sizeof(anchor) - 1;
    if (writer_report_is_snapshot(writer) || length <= end ||
        strcmp(writer->path + length - end, anchor) != 0)
        return NULL;
    return name_inside(folder, writer->path, length - end);
}

/* Marks the folder's traces as joined and adds their subfolders to `parts`. Returns how many there are. */
static size_t find_parts(const char *folder, struct writer_reports *report, struct omptape_string_list *parts)
{
    for (size_t i = 0; i < report->count; i++) {
        char *place = place_inside(folder, &report->writers[i]);
        report->writers[i].joined = place != NULL;
        if (place != NULL && place[0] != '\0')
            omptape_string_list_add(parts, place);
        free(place);
    }
    return parts->count;
}

/* Adds the folders of killed writers to `parts`. True if there is one, which unification completes. */
static bool find_unfinished(const char *folder, const struct writer_reports *report,
                            struct omptape_string_list *parts)
{
    bool found = false;
    for (size_t i = 0; i < report->unfinished.count; i++) {
        const char *place = report->unfinished.items[i];
        char *name = name_inside(folder, place, strlen(place));
        if (name != NULL && name[0] != '\0')
            omptape_string_list_add(parts, name);
        found = found || name != NULL;
        free(name);
    }
    return found;
}

void unify_run(const struct run_output *output, struct writer_reports *report)
{
    char message[MESSAGE_BYTES];
    struct omptape_string_list parts = {0};
    struct omptape_unify_options options = {
        .silent = notice_is_silent(), .waits = true, .say = print_line, .note = print_line};
    bool several = output->folder != NULL && find_unfinished(output->folder, report, &parts);
    several = output->folder != NULL && (find_parts(output->folder, report, &parts) > 0 || several);
    /* Ranks on other hosts cannot report; the last one may have unified the archives. */
    if (output->folder != NULL && output->had_no_subfolders)
        several = several || omptape_archive_files_hold_parts(output->folder, report->count == 0);
    /* If the folder existed before, archives of other runs must not be touched. */
    if (!output->had_no_subfolders) {
        options.parts = (const char *const *)parts.items;
        options.part_count = parts.count;
    }
    int result = several ? omptape_unify(output->folder, &options, message, sizeof(message)) : 0;
    if (several && result == 0)
        report->unified = omptape_text("%s%s", output->folder, anchor);
    if (result != 0)
        omptape_message("%s", message);
    for (size_t i = 0; i < report->count && report->unified == NULL; i++)
        report->writers[i].joined = false;
    omptape_string_list_free(&parts);
}
