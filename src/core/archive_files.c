/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks at an archive's folder, removes old archives, claims by symbolic links. Called by the writer's main
 * thread and by the command.
 */
#include "src/core/archive_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <omptape/shm.h>
#include <signal.h>
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
    return is_there(folder, "trace.otf2") || is_there(folder, "trace") || is_there(folder, OMPTAPE_JOB_CLAIM);
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
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strstr(".evt.def.snap", dot) != NULL)
            unlinkat(dirfd(entries), entry->d_name, 0);
    }
    closedir(entries);
    rmdir(path);
}

void omptape_archive_files_remove(const char *folder)
{
    static const char *const names[] = {"trace.otf2", "trace.def", "trace.marker"};
    char path[OMPTAPE_PATH_BYTES];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%.*s/%s", FOLDER_BYTES, folder, names[i]);
        unlink(path);
    }
    remove_events(folder);
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

bool omptape_archive_files_is_stale(const char *owner)
{
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    const char *colon = strrchr(owner, ':');
    if (colon == NULL || (size_t)(colon - owner) != strlen(host) || strncmp(owner, host, strlen(host)) != 0)
        return false;
    return kill((pid_t)strtol(colon + 1, NULL, 10), 0) != 0 && errno == ESRCH;
}

int omptape_archive_files_claim(const char *path)
{
    char own[320];
    char host[256] = "";
    char other[320];
    gethostname(host, sizeof(host) - 1);
    snprintf(own, sizeof(own), "%s:%d", host, (int)getpid());
    if (symlink(own, path) == 0)
        return 0;
    if (errno != EEXIST)
        return -errno;
    ssize_t n = readlink(path, other, sizeof(other) - 1);
    other[n > 0 ? n : 0] = '\0';
    if (!omptape_archive_files_is_stale(other))
        return -EEXIST;
    unlink(path);
    return symlink(own, path) == 0 ? 0 : -errno;
}
