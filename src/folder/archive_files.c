/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks at an archive's files, moves and removes them. Called by the writer's main thread and by the command.
 */
#include "src/folder/archive_files.h"

#include "src/folder/archive_names.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"
#include "src/folder/fresh.h"
#include "src/folder/named_folder.h"
#include "src/folder/owner.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What else lies beside an archive, and a job's claim. */
static const char *const others[] = {OMPTAPE_UNIFY_DECIDED, OMPTAPE_JOB_CLAIM};
enum { OTHERS = sizeof(others) / sizeof(others[0]) };

/* An archive's names: files, and the folder of its events at last. */
enum { FILES = 3 };
struct name_list {
    const char *list[FILES + 1];
};

static struct name_list list_of(const struct omptape_archive_names *names)
{
    return (struct name_list){{names->anchor, names->definitions, names->markers, names->events}};
}

/* The names of an archive that may be in this folder: those that are written, and others where there is one.
 */
static bool is_concerned(int folder, unsigned names)
{
    return names == 0 || omptape_archive_names_held(folder, &omptape_archive_names[names]);
}

static bool is_event_file(const char *name)
{
    static const char *const endings[] = {".evt", ".def", ".snap", ".sums"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

bool omptape_archive_files_there(int folder)
{
    bool there = false;
    for (unsigned i = 0; i < OMPTAPE_ARCHIVE_NAMES; i++)
        for (unsigned k = 0; k <= FILES && is_concerned(folder, i); k++)
            there = there || omptape_beneath_is_there(folder, list_of(&omptape_archive_names[i]).list[k]);
    for (unsigned i = 0; i < OTHERS; i++)
        there = there || omptape_beneath_is_there(folder, others[i]);
    return there;
}

int omptape_archive_files_find_refused(int folder, char *why, size_t bytes)
{
    const struct name_list names = list_of(omptape_archive_names_in(folder));
    for (unsigned i = 0; i <= FILES; i++) {
        int result = omptape_beneath_check_own(folder, names.list[i], i < FILES ? S_IFREG : S_IFDIR);
        if (result == 0 || result == -ENOENT)
            continue;
        omptape_beneath_explain(folder, names.list[i], result, why, bytes);
        return result;
    }
    return 0;
}

/* Is it a name that an archive, its beginning or a job's parts have here? */
static bool is_ours(const char *name)
{
    static const char *const marks[] = {OMPTAPE_UNIFY_DECIDED, OMPTAPE_JOB_CLAIM, OMPTAPE_RUN_CLAIM,
                                        OMPTAPE_WRITER_CLAIM, OMPTAPE_CHECKPOINT_FILE};
    const struct name_list names = list_of(&omptape_archive_names[0]);
    for (unsigned i = 0; i <= FILES; i++)
        if (strcmp(name, names.list[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        if (strcmp(name, marks[i]) == 0)
            return true;
    return omptape_archive_files_is_part(name);
}

bool omptape_archive_files_find_another_users(int folder, char *why, size_t bytes)
{
    char owner[OMPTAPE_OWNER_BYTES];
    struct stat status;
    const struct dirent *entry;
    bool found = false;
    DIR *entries = omptape_beneath_list(folder, ".");
    while (entries != NULL && !found && (entry = readdir(entries)) != NULL) {
        found = is_ours(entry->d_name) && omptape_beneath_status(folder, entry->d_name, &status) == 0 &&
                !omptape_owner_is_trusted(folder, &status);
        if (found) {
            omptape_owner_name(status.st_uid, owner, sizeof(owner));
            (void)snprintf(why, bytes, "%.200s belongs to %s", entry->d_name, owner);
        }
    }
    if (entries != NULL)
        closedir(entries);
    return found;
}

/* Goes through a folder of event files: deletes them, or with `remove` false only looks. Returns how many
 * other entries there are. */
static unsigned visit_events(int folder, const char *name, bool remove)
{
    const struct dirent *entry;
    unsigned count = 0;
    DIR *entries = omptape_beneath_list(folder, name);
    while (entries != NULL && (entry = readdir(entries)) != NULL)
        if (!is_event_file(entry->d_name))
            count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
        else if (remove)
            (void)omptape_beneath_remove(dirfd(entries), entry->d_name);
    if (entries != NULL)
        closedir(entries);
    return count;
}

const char *omptape_archive_files_find_others(int folder, int *error)
{
    for (unsigned i = 0; i < OMPTAPE_ARCHIVE_NAMES; i++) {
        const char *events = omptape_archive_names[i].events;
        if (!is_concerned(folder, i))
            continue;
        *error = omptape_beneath_check_own(folder, events, S_IFDIR);
        if (*error == 0 && visit_events(folder, events, false) > 0)
            *error = -ENOTEMPTY;
        if (*error != 0 && *error != -ENOENT)
            return events;
    }
    *error = 0;
    return NULL;
}

static void remove_archive(int folder)
{
    omptape_checkpoint_discard(folder);
    for (unsigned i = 0; i < OMPTAPE_ARCHIVE_NAMES; i++) {
        const struct name_list names = list_of(&omptape_archive_names[i]);
        if (!is_concerned(folder, i))
            continue;
        for (unsigned k = 0; k < FILES; k++)
            (void)omptape_beneath_remove(folder, names.list[k]);
        (void)visit_events(folder, names.list[FILES], true);
        (void)omptape_beneath_remove_folder(folder, names.list[FILES]);
    }
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
    int folder = omptape_named_folder_open(path);
    if (folder >= 0)
        omptape_fresh_look(folder);
    bool found = or_archive && folder >= 0 &&
                 omptape_beneath_is_there(folder, omptape_archive_names_in(folder)->anchor);
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
    for (unsigned i = 0; i < OTHERS; i++)
        (void)omptape_beneath_remove(folder, others[i]);
}

static int move_name(int from, int to, const char *name);

/* An overlay (a container's image with something on top) renames no folder of what is below. What was moved
 * in part is moved back so, too: there is a folder of that name then. */
static int move_folder(int from, int to, const char *name)
{
    int old = omptape_beneath_open_own_folder(from, name);
    int new = old >= 0 ? omptape_beneath_make_folder(to, name, NULL) : -1;
    struct stat status;
    const struct dirent *entry;
    DIR *entries = new >= 0 ? omptape_beneath_list(old, ".") : NULL;
    int error = entries != NULL ? 0 : -EXDEV;
    if (error == 0 && fstat(old, &status) == 0)
        (void)fchmod(new, status.st_mode & 0777);
    while (error == 0 && (entry = readdir(entries)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            error = move_name(old, new, entry->d_name);
    if (entries != NULL)
        closedir(entries);
    if (old >= 0)
        close(old);
    if (new >= 0)
        close(new);
    return error == 0 ? omptape_beneath_remove_folder(from, name) : error;
}

static int move_name(int from, int to, const char *name)
{
    int error = omptape_beneath_rename(from, name, to, name);
    if (error == -EXDEV || error == -ENOTEMPTY || error == -EEXIST)
        error = move_folder(from, to, name);
    return error == -ENOENT ? 0 : error;
}

/* All that there is of it. The first error, or the one before. */
static int move_archive(int from, int to, unsigned number, int error)
{
    const struct name_list names = list_of(&omptape_archive_names[number]);
    for (unsigned i = 0; i <= FILES; i++) {
        int result = move_name(from, to, names.list[i]);
        error = error != 0 ? error : result;
    }
    return error;
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
    for (unsigned i = 0; i < OMPTAPE_ARCHIVE_NAMES; i++)
        error = is_concerned(from, i) ? move_archive(from, to, i, error) : error;
    for (unsigned i = 0; i <= OTHERS; i++) {
        int result = move_name(from, to, i < OTHERS ? others[i] : OMPTAPE_CHECKPOINT_FILE);
        error = error != 0 ? error : result;
    }
    return error;
}
