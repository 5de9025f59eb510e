/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of an archive's names, and whose turn it is (archive_names.h).
 */
#include "src/folder/archive_names.h"

#include "src/folder/beneath.h"

#include <string.h>

const struct omptape_archive_names omptape_archive_names[OMPTAPE_ARCHIVE_NAMES] = {
    {.anchor = "traces.otf2", .definitions = "traces.def", .markers = "traces.marker", .events = "traces"},
    {.anchor = "trace.otf2", .definitions = "trace.def", .markers = "trace.marker", .events = "trace"},
};

/* A killed writer's, not any folder of that name. */
static bool holds_events(int folder, const char *name)
{
    const struct dirent *entry;
    bool found = false;
    DIR *entries = omptape_beneath_list(folder, name);
    while (entries != NULL && !found && (entry = readdir(entries)) != NULL) {
        size_t digits = strspn(entry->d_name, "0123456789");
        found = digits > 0 && strcmp(entry->d_name + digits, ".evt") == 0;
    }
    if (entries != NULL)
        closedir(entries);
    return found;
}

bool omptape_archive_names_held(int folder, const struct omptape_archive_names *names)
{
    return omptape_beneath_is_there(folder, names->anchor) || holds_events(folder, names->events);
}

const struct omptape_archive_names *omptape_archive_names_in(int folder)
{
    for (unsigned i = 0; i < OMPTAPE_ARCHIVE_NAMES; i++)
        if (omptape_beneath_is_there(folder, omptape_archive_names[i].anchor))
            return &omptape_archive_names[i];
    for (unsigned i = 0; i < OMPTAPE_ARCHIVE_NAMES; i++)
        if (omptape_archive_names_held(folder, &omptape_archive_names[i]))
            return &omptape_archive_names[i];
    return &omptape_archive_names[0];
}
