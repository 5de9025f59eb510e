/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets an old archive aside and settles its fate. Called by the command's one thread before and after the
 * program. The writers cannot do it: of several in one run, each would take another's archive for the old
 * one.
 */
#include "src/command/replace.h"

#include "src/command/string_list.h"
#include "src/core/archive_files.h"
#include "src/core/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {
    "trace.otf2",          "trace.def",      "trace.marker", "trace", OMPTAPE_CHECKPOINT_FILE,
    OMPTAPE_UNIFY_DECIDED, OMPTAPE_JOB_CLAIM};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static bool exists(const char *folder, const char *name)
{
    struct stat status;
    char *path = omptape_text("%s/%s", folder, name);
    bool result = lstat(path, &status) == 0;
    free(path);
    return result;
}

bool omptape_replace_needed(const char *folder)
{
    for (size_t i = 0; i < NAMES; i++) {
        if (exists(folder, names[i]))
            return true;
    }
    return false;
}

static int move(const char *from, const char *to, const char *name)
{
    char *old = omptape_text("%s/%s", from, name);
    char *new = omptape_text("%s/%s", to, name);
    int error = rename(old, new) != 0 && errno != ENOENT ? -errno : 0;
    free(old);
    free(new);
    return error;
}

/* Also the parts of a job (src/core/archive_files.h). */
static int move_parts(const char *from, const char *to)
{
    int error = 0;
    const struct dirent *entry;
    DIR *entries = opendir(from);

    while (entries && error == 0 && (entry = readdir(entries)) != NULL) {
        if (omptape_archive_files_is_part(entry->d_name))
            error = move(from, to, entry->d_name);
    }
    if (entries)
        closedir(entries);
    return error;
}

static bool is_event_file(const char *name)
{
    static const char *const endings[] = {".evt", ".def", ".snap", ".marker"};
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (strcmp(dot, endings[i]) == 0)
            return true;
    }
    return false;
}

/* Goes through folder/trace: deletes the event files, or with `remove` false only looks. Returns how many
 * other entries there are. */
static unsigned visit_events(const char *folder, bool remove)
{
    const struct dirent *entry;
    unsigned others = 0;
    char *path = omptape_text("%s/trace", folder);
    DIR *entries = opendir(path);

    while (entries && (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (!is_event_file(entry->d_name))
            others++;
        else if (remove)
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
    }
    if (entries)
        closedir(entries);
    if (remove)
        (void)rmdir(path);
    free(path);
    return others;
}

static int move_all(const char *from, const char *to)
{
    int error = move_parts(from, to);

    for (size_t i = 0; i < NAMES; i++) {
        int result = move(from, to, names[i]);
        error = error != 0 ? error : result;
    }
    return error;
}

int omptape_replace_set_aside(const char *folder, char **aside)
{
    if (visit_events(folder, false) > 0)
        return -ENOTEMPTY;
    char *hidden = omptape_text("%s/.omptape-replaced-XXXXXX", folder);
    int error = mkdtemp(hidden) ? 0 : -errno;
    if (error == 0) {
        error = move_all(folder, hidden);
        if (error == 0) {
            *aside = hidden;
            return 0;
        }
        (void)move_all(hidden, folder);
        (void)rmdir(hidden);
    }
    free(hidden);
    return error;
}

void omptape_replace_settle(const char *folder, const char *aside)
{
    if (!omptape_replace_needed(folder) && !exists(folder, OMPTAPE_WRITER_CLAIM)) {
        (void)move_all(aside, folder);
    } else {
        (void)visit_events(aside, true);
        omptape_archive_files_remove(aside);
        omptape_archive_files_remove_parts(aside);
        for (size_t i = 0; i < NAMES; i++) {
            char *path = omptape_text("%s/%s", aside, names[i]);
            (void)unlink(path);
            free(path);
        }
    }
    (void)rmdir(aside);
}
