/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moves and removes files (files.h). Called by the plan, one thread.
 */
#include "src/unify/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 8192, BUFFER_BYTES = 1 << 20 };

static int copy_bytes(int from, int to)
{
    int result = 0;
    ssize_t got = 1;
    char *buffer = malloc(BUFFER_BYTES);
    if (buffer == NULL)
        return -ENOMEM;
    while (result == 0 && got > 0) {
        got = read(from, buffer, BUFFER_BYTES);
        if (got < 0)
            result = -errno;
        for (ssize_t done = 0; result == 0 && done < got;) {
            ssize_t wrote = write(to, buffer + done, (size_t)(got - done));
            if (wrote < 0)
                result = -errno;
            done += wrote;
        }
    }
    free(buffer);
    return result;
}

/* The copy gets its name when it is complete and on the disk; only then does the original go. */
static int copy(int folder, const char *from, const char *to)
{
    char part[PATH_BYTES];
    int result = 0;
    snprintf(part, sizeof(part), "%s.copy", to);
    int in = openat(folder, from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return -errno;
    int out = openat(folder, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out < 0) {
        result = -errno;
        close(in);
        return result;
    }
    result = copy_bytes(in, out);
    if (result == 0 && fsync(out) != 0)
        result = -errno;
    close(in);
    if (close(out) != 0 && result == 0)
        result = -errno;
    if (result == 0 && renameat(folder, part, folder, to) != 0)
        result = -errno;
    unlinkat(folder, result == 0 ? from : part, 0);
    return result;
}

int omptape_unify_move(int folder, const char *from, const char *to, bool *copied)
{
    if (renameat(folder, from, folder, to) == 0)
        return 0;
    if (errno != EXDEV)
        return -errno;
    *copied = true;
    return copy(folder, from, to);
}

int omptape_unify_sync(int folder, const char *inside, const char *name)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%s/%s", inside, name);
    int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    int result = fsync(file) == 0 || errno == EINVAL ? 0 : -errno;
    close(file);
    return result;
}

static DIR *open_folder(int folder, const char *path)
{
    int descriptor = openat(folder, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (entries == NULL && descriptor >= 0)
        close(descriptor);
    return entries;
}

void omptape_unify_remove_files(int folder, const char *path, const char *ending)
{
    DIR *entries = open_folder(folder, path);
    const struct dirent *entry;
    if (entries == NULL)
        return;
    while ((entry = readdir(entries)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strcmp(dot, ending) == 0)
            unlinkat(dirfd(entries), entry->d_name, 0);
    }
    closedir(entries);
}

void omptape_unify_remove_tree(int folder, const char *path)
{
    DIR *entries = open_folder(folder, path);
    const struct dirent *entry;
    if (entries == NULL)
        return;
    while ((entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(dirfd(entries), entry->d_name, 0) != 0 && (errno == EISDIR || errno == EPERM)) {
            /* Ours are two folders deep. */
            omptape_unify_remove_files(dirfd(entries), entry->d_name, ".def");
            unlinkat(dirfd(entries), entry->d_name, AT_REMOVEDIR);
        }
    }
    closedir(entries);
    unlinkat(folder, path, AT_REMOVEDIR);
}
