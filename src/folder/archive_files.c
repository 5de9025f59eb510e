/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements archive_files.h. Called by the writer's main thread and by the command.
 */
#include "src/folder/archive_files.h"
#include "src/core/string_list.h"
#include "src/core/words.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"
#include "src/folder/named_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Other entries of a folder of archives: a unification's plan and a job's claim. */
static const char *const others[] = {OMPTAPE_UNIFY_DECIDED, OMPTAPE_JOB_CLAIM};
enum { OTHERS = sizeof(others) / sizeof(others[0]) };

/* Number of an archive's entries: files, and as the last one the event folder. */
enum { FILES = 3 };
static const char *const names[FILES + 1] = {OMPTAPE_ARCHIVE_ANCHOR, OMPTAPE_ARCHIVE_DEFINITIONS,
                                             OMPTAPE_ARCHIVE_MARKERS, OMPTAPE_ARCHIVE_EVENTS};

static bool is_event_file(const char *name)
{
    static const char *const endings[] = {".evt", ".def", ".snap", ".sums", NULL};
    const char *dot = strrchr(name, '.');
    return dot != NULL && omptape_is_one_of(dot, endings);
}

bool omptape_archive_files_exist(int folder)
{
    bool there = false;
    for (unsigned i = 0; i <= FILES; i++)
        there = there || omptape_beneath_is_there(folder, names[i]);
    for (unsigned i = 0; i < OTHERS; i++)
        there = there || omptape_beneath_is_there(folder, others[i]);
    return there;
}

/* Returns true if the folder "traces" is a killed writer's event folder, and not an unrelated one. */
static bool holds_events(int folder)
{
    const struct dirent *entry;
    bool found = false;
    DIR *entries = omptape_beneath_list(folder, OMPTAPE_ARCHIVE_EVENTS);
    while (entries != NULL && !found && (entry = readdir(entries)) != NULL) {
        size_t digits = strspn(entry->d_name, "0123456789");
        found = digits > 0 && strcmp(entry->d_name + digits, ".evt") == 0;
    }
    omptape_close_list(entries);
    return found;
}

bool omptape_archive_files_begun(int folder)
{
    return omptape_beneath_is_there(folder, OMPTAPE_ARCHIVE_ANCHOR) || holds_events(folder);
}

int omptape_archive_files_find_refused(int folder, char *why, size_t bytes)
{
    for (unsigned i = 0; i <= FILES; i++) {
        int result = omptape_beneath_check_own(folder, names[i], i < FILES ? S_IFREG : S_IFDIR);
        if (result == 0 || result == -ENOENT)
            continue;
        omptape_beneath_explain(folder, names[i], result, why, bytes);
        return result;
    }
    return 0;
}

/* Returns true for names of a complete or incomplete archive and of a job's process archives. */
static bool is_ours(const char *name)
{
    static const char *const marks[] = {OMPTAPE_UNIFY_DECIDED, OMPTAPE_JOB_CLAIM,       OMPTAPE_RUN_CLAIM,
                                        OMPTAPE_WRITER_CLAIM,  OMPTAPE_CHECKPOINT_FILE, NULL};
    for (unsigned i = 0; i <= FILES; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return omptape_is_one_of(name, marks) || omptape_archive_files_is_part(name);
}

bool omptape_archive_files_find_other_owner(int folder, char *why, size_t bytes)
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
    omptape_close_list(entries);
    return found;
}

/* Visits the event folder and deletes its files if `remove` is true. Returns the number of other entries. */
static unsigned visit_events(int folder, bool remove)
{
    const struct dirent *entry;
    unsigned count = 0;
    DIR *entries = omptape_beneath_list(folder, OMPTAPE_ARCHIVE_EVENTS);
    while (entries != NULL && (entry = readdir(entries)) != NULL)
        if (!is_event_file(entry->d_name))
            count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
        else if (remove)
            (void)omptape_beneath_remove(dirfd(entries), entry->d_name);
    omptape_close_list(entries);
    return count;
}

/* Checks the event folder. Returns 0 if it is one or does not exist. Returns -ENOTEMPTY if it holds other
 * files, or another error if it is a link or another user's. */
static int check_events(int folder)
{
    const int error = omptape_beneath_check_own(folder, OMPTAPE_ARCHIVE_EVENTS, S_IFDIR);
    if (error == 0 && visit_events(folder, false) > 0)
        return -ENOTEMPTY;
    return error == -ENOENT ? 0 : error;
}

static void remove_archive(int folder)
{
    omptape_checkpoint_discard(folder);
    for (unsigned i = 0; i < FILES; i++)
        (void)omptape_beneath_remove(folder, names[i]);
    (void)visit_events(folder, true);
    (void)omptape_beneath_remove_folder(folder, OMPTAPE_ARCHIVE_EVENTS);
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
    const char *number = omptape_text_after(name, OMPTAPE_PART_PREFIX);
    return number != NULL && *number >= '0' && *number <= '9';
}

bool omptape_archive_files_hold_parts(const char *path, bool or_archive)
{
    int folder = omptape_named_folder_open(path);
    if (folder >= 0)
        omptape_named_folder_invalidate_cache(folder);
    bool found = or_archive && folder >= 0 && omptape_beneath_is_there(folder, OMPTAPE_ARCHIVE_ANCHOR);
    const struct dirent *entry;
    DIR *entries = folder >= 0 ? omptape_beneath_list(folder, ".") : NULL;
    while (!found && entries != NULL && (entry = readdir(entries)) != NULL)
        found = omptape_archive_files_is_part(entry->d_name);
    omptape_close_list(entries);
    omptape_close(folder);
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
    omptape_close_list(entries);
}

/* Removes the archive, the process archives and the job's claim. */
static void remove_all(int folder)
{
    omptape_archive_files_remove(folder);
    omptape_archive_files_remove_parts(folder);
    for (unsigned i = 0; i < OTHERS; i++)
        (void)omptape_beneath_remove(folder, others[i]);
}

static int move_name(int from, int to, const char *name);

/* Moves a folder. overlayfs cannot rename a folder of a lower layer (a container's image), so its files are
 * moved one by one. A partially moved folder is moved back in the same way. */
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
    omptape_close_list(entries);
    omptape_close(old);
    omptape_close(new);
    return error == 0 ? omptape_beneath_remove_folder(from, name) : error;
}

static int move_name(int from, int to, const char *name)
{
    int error = omptape_beneath_rename(from, name, to, name);
    if (error == -EXDEV || error == -ENOTEMPTY || error == -EEXIST)
        error = move_folder(from, to, name);
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
    omptape_close_list(entries);
    return error;
}

/* Moves the archive's files to another folder. Returns 0, or the first error. */
static int move_all(int from, int to)
{
    int error = move_parts(from, to);
    for (unsigned i = 0; i <= FILES + OTHERS + 1; i++) {
        const char *name = i <= FILES            ? names[i]
                           : i <= FILES + OTHERS ? others[i - FILES - 1]
                                                 : OMPTAPE_CHECKPOINT_FILE;
        int result = move_name(from, to, name);
        error = error != 0 ? error : result;
    }
    return error;
}

static bool holds_archive(int folder)
{
    return omptape_archive_files_exist(folder) || omptape_beneath_is_there(folder, OMPTAPE_CHECKPOINT_FILE);
}

bool omptape_replace_needed(const char *path)
{
    int folder = omptape_named_folder_open(path);
    bool needed = folder >= 0 && holds_archive(folder);
    omptape_close(folder);
    return needed;
}

char *omptape_replace_find_other_owner(const char *path)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    int folder = omptape_named_folder_open(path);
    bool refused = folder >= 0 && (omptape_archive_files_find_refused(folder, why, sizeof(why)) != 0 ||
                                   omptape_archive_files_find_other_owner(folder, why, sizeof(why)));
    omptape_close(folder);
    return refused ? omptape_text("%s", why) : NULL;
}

/* Returns why the old archive cannot be moved, or NULL. The caller frees the text. */
static char *find_obstacle(int folder)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    const int error = check_events(folder);
    if (error == 0)
        return NULL;
    if (error == -ENOTEMPTY)
        return omptape_text("its folder \"" OMPTAPE_ARCHIVE_EVENTS "\" holds other files too");
    omptape_beneath_explain(folder, OMPTAPE_ARCHIVE_EVENTS, error, why, sizeof(why));
    return omptape_text("%s", why);
}

int omptape_replace_move_away(const char *path, char **hidden_name, char **obstacle)
{
    char name[64];
    int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return folder;
    *obstacle = find_obstacle(folder);
    int hidden = *obstacle != NULL
                     ? -ENOTEMPTY
                     : omptape_beneath_make_private(folder, ".omptape-replaced-", name, sizeof(name));
    int error = hidden < 0 ? hidden : move_all(folder, hidden);
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    /* Another user's folder cannot be moved. */
    const bool anothers = (error == -EACCES || error == -EPERM) && hidden >= 0 &&
                          omptape_archive_files_find_other_owner(folder, why, sizeof(why));
    if (error == 0) {
        *hidden_name = omptape_text("%s", name);
    } else if (hidden >= 0) {
        (void)move_all(hidden, folder);
        (void)omptape_beneath_remove_folder(folder, name);
    }
    if (anothers) {
        *obstacle = omptape_text("%s", why);
        error = -ENOTEMPTY;
    }
    omptape_close(hidden);
    (void)close(folder);
    return error;
}

void omptape_replace_finish(const char *path, const char *hidden_name)
{
    int folder = omptape_named_folder_open(path);
    if (folder < 0)
        return;
    int hidden = omptape_beneath_open_own_folder(folder, hidden_name);
    if (hidden >= 0) {
        if (holds_archive(folder) || omptape_beneath_is_there(folder, OMPTAPE_WRITER_CLAIM))
            remove_all(hidden);
        else
            (void)move_all(hidden, folder);
        (void)close(hidden);
        (void)omptape_beneath_remove_folder(folder, hidden_name);
    }
    (void)close(folder);
}
