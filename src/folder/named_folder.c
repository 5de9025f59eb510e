/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements named_folder.h. Links are resolved here, not by the kernel. The text is read through the
 * descriptor whose owner was checked, so the link cannot be replaced in between.
 */
#include "src/folder/named_folder.h"
#include "src/folder/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Parent folders are opened with O_PATH, because their entries may not be readable (0711). */
enum {
    MAX_LINKS = 40,
    OPENED = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
    PASSED = O_PATH | O_DIRECTORY | O_CLOEXEC
};

void omptape_named_folder_tidy(char *path)
{
    size_t length = strlen(path);
    while (length > 1 && (path[length - 1] == '/' || strcmp(path + length - 2, "/.") == 0))
        path[--length] = '\0';
}

/* Opens the parent folder of the path, relative to `at`, and sets *last to the last component. *last is "."
 * if the path does not end in a name that could be a link. */
static int open_above(int at, char *path, const char **last)
{
    omptape_named_folder_tidy(path);
    char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    *last = name;
    if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        *last = ".";
        return openat(at, path, PASSED);
    }
    if (slash == NULL)
        return openat(at, ".", PASSED);
    *slash = '\0';
    return openat(at, slash == path ? "/" : path, PASSED);
}

/* Reads the link's text into `path`. Returns 0, or negative errno. */
static int read_link(int above, int link, const struct stat *status, char *path)
{
    if (!omptape_owner_is_trusted(above, status))
        return -ELOOP;
    const ssize_t length = readlinkat(link, "", path, PATH_MAX - 1);
    if (length < 0)
        return -errno;
    path[length] = '\0';
    return 0;
}

/* Resolves one link and closes the previous *at. Returns 1 if *at is the requested folder, 0 if `path` must
 * be resolved further from *at, or negative errno. */
static int follow_step(int *at, char *path)
{
    const char *last;
    struct stat status = {.st_mode = 0};
    const int above = open_above(*at, path, &last);
    int result = above >= 0 ? 0 : -errno;
    const int found = above >= 0 ? openat(above, last, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (result == 0 && (found < 0 || fstat(found, &status) != 0))
        result = -errno;
    if (*at != AT_FDCWD)
        (void)close(*at);
    *at = above;
    if (result == 0 && S_ISLNK(status.st_mode)) {
        result = read_link(above, found, &status, path);
    } else if (result == 0) {
        *at = openat(found, ".", OPENED);
        result = *at >= 0 ? 1 : -errno;
        (void)close(above);
    }
    omptape_close(found);
    return result;
}

int omptape_named_folder_open(const char *path)
{
    char rest[PATH_MAX];
    int at = AT_FDCWD;
    int result = -ENAMETOOLONG;
    if (snprintf(rest, sizeof(rest), "%s", path) < (int)sizeof(rest))
        result = rest[0] != '\0' ? 0 : -ENOENT;
    for (int i = 0; result == 0 && i < MAX_LINKS; i++)
        result = follow_step(&at, rest);
    if (result > 0)
        return at;
    omptape_close(at);
    return result == 0 ? -ELOOP : result;
}

/* Determines the owner of new files in the folder by creating one. The status is read by its descriptor,
 * because others may rename the file. */
static bool find_own_user(int folder, struct stat *status)
{
    char name[64];
    int file = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    bool named = file < 0;
    if (named) {
        snprintf(name, sizeof(name), ".omptape-whose-%d", (int)getpid());
        (void)unlinkat(folder, name, 0);
        file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    if (file < 0)
        return false;
    bool known = fstat(file, status) == 0;
    close(file);
    if (named)
        (void)unlinkat(folder, name, 0);
    return known;
}

bool omptape_owner_is_trusted(int folder, const struct stat *status)
{
    /* Cached for the file system of the last call. */
    static struct stat own;
    static bool known;
    if (status->st_uid == geteuid() || status->st_uid == 0)
        return true;
    if (!known || own.st_dev != status->st_dev)
        known = find_own_user(folder, &own);
    return known && own.st_dev == status->st_dev && own.st_uid == status->st_uid;
}

void omptape_owner_name(uid_t user, char *text, size_t bytes)
{
    char buffer[4096];
    struct passwd entry;
    struct passwd *found = NULL;
    if (getpwuid_r(user, &entry, buffer, sizeof(buffer), &found) == 0 && found != NULL)
        snprintf(text, bytes, "%.64s (user %lu)", found->pw_name, (unsigned long)user);
    else
        snprintf(text, bytes, "user %lu", (unsigned long)user);
}

/* Returns true for file systems that cache entries. Distributed file systems with coherent caches (Lustre,
 * GPFS, Ceph) are not among them. */
static bool remembers(int folder)
{
    static const unsigned long types[] = {NFS_SUPER_MAGIC,  FUSE_SUPER_MAGIC, SMB_SUPER_MAGIC,
                                          CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC, V9FS_MAGIC,
                                          AFS_SUPER_MAGIC};
    struct statfs status;
    if (fstatfs(folder, &status) != 0)
        return false;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (((unsigned long)status.f_type & UINT32_MAX) == types[i])
            return true;
    return false;
}

void omptape_named_folder_invalidate_cache(int folder)
{
    char name[64];
    int made =
        remembers(folder) ? omptape_beneath_make_private(folder, ".omptape-look-", name, sizeof(name)) : -1;
    if (made < 0)
        return;
    close(made);
    (void)omptape_beneath_remove_folder(folder, name);
}
