/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks for archives in the current folder (newest.h).
 */
#include "src/folder/newest.h"

#include "src/folder/archive_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* About the anchor file of the archive of this name in the folder. False: there is none. */
static bool stat_anchor(const char *folder, const char *name, struct stat *about)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s/" OMPTAPE_ARCHIVE_ANCHOR, folder, name) < 0)
        return false;
    bool found = stat(path, about) == 0 && S_ISREG(about->st_mode);
    free(path);
    return found;
}

bool omptape_is_archive(const char *path)
{
    static const char extension[] = ".otf2";
    struct stat about;
    size_t length = strlen(path);
    size_t tail = sizeof(extension) - 1;
    if (length > tail && strcmp(path + length - tail, extension) == 0)
        return stat(path, &about) == 0 && S_ISREG(about.st_mode);
    return stat_anchor(path, ".", &about);
}

static bool is_later(struct timespec time, const char *name, struct timespec best, const char *best_name)
{
    if (time.tv_sec != best.tv_sec)
        return time.tv_sec > best.tv_sec;
    if (time.tv_nsec != best.tv_nsec)
        return time.tv_nsec > best.tv_nsec;
    return strverscmp(name, best_name) > 0;
}

static bool is_trusted(uid_t owner, uid_t owner_here)
{
    return owner == geteuid() || owner == 0 || owner == owner_here;
}

char *omptape_newest_archive(const char *folder)
{
    char *newest = NULL;
    struct timespec latest = {0};
    struct stat here;
    DIR *entries = stat(folder, &here) == 0 ? opendir(folder) : NULL;
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        struct stat about;
        bool is_current = strcmp(entry->d_name, ".") == 0;
        if ((entry->d_name[0] == '.' && !is_current) || !stat_anchor(folder, entry->d_name, &about) ||
            !is_trusted(about.st_uid, here.st_uid) ||
            (newest != NULL && !is_later(about.st_mtim, entry->d_name, latest, newest)))
            continue;
        char *name = strdup(entry->d_name);
        if (name == NULL)
            break;
        free(newest);
        newest = name;
        latest = about.st_mtim;
    }
    if (entries != NULL)
        closedir(entries);
    return newest;
}
