/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks at an archive's folder, and removes old archives. Called by the writer's main thread and by the
 * command.
 */
#include "src/folder/archive_files.h"

#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <omptape/shm.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_event_file(const char *name)
{
    static const char *const endings[] = {".evt", ".def", ".snap"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

/* What an archive is made of. */
static const char *const own_files[] = {"trace.otf2", "trace.def", "trace.marker"};
enum { OWN_FILES = sizeof(own_files) / sizeof(own_files[0]) };

bool omptape_archive_files_there(int folder)
{
    for (size_t i = 0; i < OWN_FILES; i++)
        if (omptape_beneath_is_there(folder, own_files[i]))
            return true;
    return omptape_beneath_is_there(folder, "trace") ||
           omptape_beneath_is_there(folder, OMPTAPE_UNIFY_DECIDED) ||
           omptape_beneath_is_there(folder, OMPTAPE_JOB_CLAIM);
}

int omptape_archive_files_find_refused(int folder, char *why, size_t bytes)
{
    for (size_t i = 0; i <= OWN_FILES; i++) {
        const char *name = i < OWN_FILES ? own_files[i] : "trace";
        int result = omptape_beneath_check_own(folder, name, i < OWN_FILES ? S_IFREG : S_IFDIR);
        if (result == 0 || result == -ENOENT)
            continue;
        omptape_beneath_explain(folder, name, result, why, bytes);
        return result;
    }
    return 0;
}

static void remove_events(int folder)
{
    const struct dirent *entry;
    DIR *entries = omptape_beneath_list(folder, "trace");
    if (entries == NULL)
        return;
    while ((entry = readdir(entries)) != NULL)
        if (is_event_file(entry->d_name))
            (void)omptape_beneath_remove(dirfd(entries), entry->d_name);
    closedir(entries);
    (void)omptape_beneath_remove_folder(folder, "trace");
}

static void remove_archive(int folder)
{
    for (size_t i = 0; i < OWN_FILES; i++)
        (void)omptape_beneath_remove(folder, own_files[i]);
    omptape_checkpoint_discard(folder);
    remove_events(folder);
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

bool omptape_archive_files_hold_parts(const char *path)
{
    int folder = omptape_beneath_open_named(path);
    bool found = folder >= 0 && omptape_beneath_is_there(folder, "trace.otf2");
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

/* mkdir -p. The last folder is left to whoever opens it. */
static int make_way(char *path)
{
    struct stat st;
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        /* A folder on the way may be on a read-only file system and yet be there. */
        int error = mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -errno;
        if (error != 0 && stat(path, &st) != 0)
            return error;
        *slash = '/';
    }
    return 0;
}

/* The last part is reached from the folder that holds it. */
static int open_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash[1] == '\0')
        return -EINVAL;
    *slash = '\0';
    int above = omptape_beneath_open_named(path[0] != '\0' ? path : "/");
    if (above < 0)
        return above;
    int folder = omptape_beneath_make_folder(above, slash + 1, NULL);
    close(above);
    return folder;
}

int omptape_archive_files_open_folder(const char *path, bool named)
{
    char copy[OMPTAPE_PATH_BYTES];
    size_t length = strlen(path);
    if (length >= sizeof(copy))
        return -ENAMETOOLONG;
    memcpy(copy, path, length + 1);
    int error = make_way(copy);
    if (error != 0)
        return error;
    if (!named)
        return open_last(copy);
    if (mkdir(copy, 0777) != 0 && errno != EEXIST)
        return -errno;
    return omptape_beneath_open_named(copy);
}

bool omptape_archive_files_is_refusal(int error)
{
    return error == -EPERM || error == -ELOOP || error == -ENOTDIR || error == -EINVAL;
}
