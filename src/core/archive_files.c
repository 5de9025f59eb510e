/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks at an archive's folder, and removes old archives. Called by the writer's main thread and by the
 * command.
 */
#include "src/core/archive_files.h"

#include "src/core/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <omptape/shm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for what is put behind a folder's name. */
enum { FOLDER_BYTES = OMPTAPE_PATH_BYTES - 512 };

static bool is_there(const char *folder, const char *name)
{
    char path[OMPTAPE_PATH_BYTES];
    struct stat st;
    snprintf(path, sizeof(path), "%.*s/%s", FOLDER_BYTES, folder, name);
    return lstat(path, &st) == 0;
}

bool omptape_archive_files_there(const char *folder)
{
    return is_there(folder, "trace.otf2") || is_there(folder, "trace") ||
           is_there(folder, OMPTAPE_UNIFY_DECIDED) || is_there(folder, OMPTAPE_JOB_CLAIM);
}

static bool is_event_file(const char *name)
{
    static const char *const endings[] = {".evt", ".def", ".snap"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (strcmp(dot, endings[i]) == 0)
            return true;
    }
    return false;
}

static void remove_events(const char *folder)
{
    char path[OMPTAPE_PATH_BYTES];
    snprintf(path, sizeof(path), "%.*s/trace", FOLDER_BYTES, folder);
    DIR *entries = opendir(path);
    if (entries == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(entries)) != NULL) {
        if (is_event_file(entry->d_name))
            unlinkat(dirfd(entries), entry->d_name, 0);
    }
    closedir(entries);
    rmdir(path);
}

static void remove_name(const char *folder, const char *name)
{
    char path[OMPTAPE_PATH_BYTES];
    snprintf(path, sizeof(path), "%.*s/%s", FOLDER_BYTES, folder, name);
    unlink(path);
}

static void remove_archive(const char *folder)
{
    remove_name(folder, "trace.otf2");
    remove_name(folder, "trace.def");
    remove_name(folder, "trace.marker");
    remove_name(folder, OMPTAPE_CHECKPOINT_FILE);
    remove_name(folder, OMPTAPE_CHECKPOINT_FRESH);
    remove_events(folder);
}

void omptape_archive_files_remove(const char *folder)
{
    char decided[OMPTAPE_PATH_BYTES];
    snprintf(decided, sizeof(decided), "%.*s/" OMPTAPE_UNIFY_DECIDED, FOLDER_BYTES, folder);
    remove_name(decided, "plan");
    remove_archive(decided);
    rmdir(decided);
    remove_archive(folder);
}

bool omptape_archive_files_is_part(const char *name)
{
    size_t length = strlen(OMPTAPE_PART_PREFIX);
    return strncmp(name, OMPTAPE_PART_PREFIX, length) == 0 && name[length] >= '0' && name[length] <= '9';
}

bool omptape_archive_files_hold_parts(const char *folder)
{
    bool found = is_there(folder, "trace.otf2");
    const struct dirent *entry;
    DIR *entries = opendir(folder);
    while (!found && entries != NULL && (entry = readdir(entries)) != NULL)
        found = omptape_archive_files_is_part(entry->d_name);
    if (entries != NULL)
        closedir(entries);
    return found;
}

void omptape_archive_files_remove_parts(const char *folder)
{
    char path[OMPTAPE_PATH_BYTES];
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(entries)) != NULL) {
        if (!omptape_archive_files_is_part(entry->d_name))
            continue;
        snprintf(path, sizeof(path), "%.*s/%.255s", FOLDER_BYTES, folder, entry->d_name);
        omptape_archive_files_remove(path);
        unlinkat(dirfd(entries), entry->d_name, AT_REMOVEDIR);
    }
    closedir(entries);
}

int omptape_archive_files_make_folder(const char *folder)
{
    char part[OMPTAPE_PATH_BYTES];
    struct stat st;
    size_t length = strlen(folder);
    if (length >= sizeof(part))
        return -ENAMETOOLONG;
    memcpy(part, folder, length + 1);
    for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        /* A folder on the way may be on a read-only file system and yet be there. */
        int error = mkdir(part, 0777) == 0 || errno == EEXIST ? 0 : -errno;
        if (error != 0 && stat(part, &st) != 0)
            return error;
        *slash = '/';
    }
    return mkdir(part, 0777) != 0 && errno != EEXIST ? -errno : 0;
}
