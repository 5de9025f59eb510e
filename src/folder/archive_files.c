/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks at an archive's files, moves and removes them. Called by the writer's main thread and by the command.
 */
#include "src/folder/archive_files.h"

#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What an archive is made of, a job's claim with it. The first are files. */
static const char *const names[] = {"trace.otf2", "trace.def",           "trace.marker",
                                    "trace",      OMPTAPE_UNIFY_DECIDED, OMPTAPE_JOB_CLAIM};
enum { FILES = 3, NAMES = sizeof(names) / sizeof(names[0]) };

static bool is_event_file(const char *name)
{
    static const char *const endings[] = {".evt", ".def", ".snap"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

bool omptape_archive_files_there(int folder)
{
    for (size_t i = 0; i < NAMES; i++)
        if (omptape_beneath_is_there(folder, names[i]))
            return true;
    return false;
}

int omptape_archive_files_find_refused(int folder, char *why, size_t bytes)
{
    for (size_t i = 0; i <= FILES; i++) {
        int result = omptape_beneath_check_own(folder, names[i], i < FILES ? S_IFREG : S_IFDIR);
        if (result == 0 || result == -ENOENT)
            continue;
        omptape_beneath_explain(folder, names[i], result, why, bytes);
        return result;
    }
    return 0;
}

/* Goes through the folder of event files: deletes them, or with `remove` false only looks. Returns how many
 * other entries there are. */
static unsigned visit_events(int folder, bool remove)
{
    const struct dirent *entry;
    unsigned others = 0;
    DIR *entries = omptape_beneath_list(folder, "trace");
    while (entries != NULL && (entry = readdir(entries)) != NULL)
        if (!is_event_file(entry->d_name))
            others += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
        else if (remove)
            (void)omptape_beneath_remove(dirfd(entries), entry->d_name);
    if (entries != NULL)
        closedir(entries);
    return others;
}

bool omptape_archive_files_have_others(int folder)
{
    return visit_events(folder, false) > 0;
}

static void remove_archive(int folder)
{
    for (size_t i = 0; i < FILES; i++)
        (void)omptape_beneath_remove(folder, names[i]);
    omptape_checkpoint_discard(folder);
    (void)visit_events(folder, true);
    (void)omptape_beneath_remove_folder(folder, "trace");
}

void omptape_archive_files_remove(int folder)
{
    int decided = omptape_beneath_open_folder(folder, OMPTAPE_UNIFY_DECIDED);
    if (decided >= 0) {
        (void)omptape_beneath_remove(decided, "plan");
        remove_archive(decided);
        close(decided);
        (void)omptape_beneath_remove_folder(folder, OMPTAPE_UNIFY_DECIDED);
    }
    remove_archive(folder);
}

bool omptape_archive_files_is_part(const char *name)
{
    size_t length = strlen(OMPTAPE_PART_PREFIX);
    return strncmp(name, OMPTAPE_PART_PREFIX, length) == 0 && name[length] >= '0' && name[length] <= '9';
}

bool omptape_archive_files_hold_parts(const char *path, bool or_archive)
{
    int folder = omptape_beneath_open_named(path);
    bool found = or_archive && folder >= 0 && omptape_beneath_is_there(folder, "trace.otf2");
    const struct dirent *entry;
    DIR *entries = folder >= 0 ? omptape_beneath_list(folder, ".") : NULL;
    while (!found && entries != NULL && (entry = readdir(entries)) != NULL)
        found = omptape_archive_files_is_part(entry->d_name);
    if (entries != NULL)
        closedir(entries);
    if (folder >= 0)
        close(folder);
    return found;
}

void omptape_archive_files_remove_parts(int folder)
{
    const struct dirent *entry;
    DIR *entries = omptape_beneath_list(folder, ".");
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        int part = omptape_archive_files_is_part(entry->d_name)
                       ? omptape_beneath_open_folder(folder, entry->d_name)
                       : -1;
        if (part < 0)
            continue;
        omptape_archive_files_remove(part);
        close(part);
        (void)omptape_beneath_remove_folder(folder, entry->d_name);
    }
    if (entries != NULL)
        closedir(entries);
}

void omptape_archive_files_remove_all(int folder)
{
    omptape_archive_files_remove(folder);
    omptape_archive_files_remove_parts(folder);
    for (size_t i = 0; i < NAMES; i++)
        (void)omptape_beneath_remove(folder, names[i]);
}

static int move_name(int from, int to, const char *name)
{
    int error = omptape_beneath_rename(from, name, to, name);
    return error == -ENOENT ? 0 : error;
}

static int move_parts(int from, int to)
{
    int error = 0;
    const struct dirent *entry;
    DIR *entries = omptape_beneath_list(from, ".");
    while (entries != NULL && error == 0 && (entry = readdir(entries)) != NULL)
        if (omptape_archive_files_is_part(entry->d_name))
            error = move_name(from, to, entry->d_name);
    if (entries != NULL)
        closedir(entries);
    return error;
}

int omptape_archive_files_move(int from, int to)
{
    int error = move_parts(from, to);
    for (size_t i = 0; i <= NAMES; i++) {
        int result = move_name(from, to, i < NAMES ? names[i] : OMPTAPE_CHECKPOINT_FILE);
        error = error != 0 ? error : result;
    }
    return error;
}
