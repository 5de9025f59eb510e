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

static int copy_bytes(int from, int to, struct omptape_unify_pulse *pulse)
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
        omptape_unify_pulse_beat(pulse);
    }
    free(buffer);
    return result;
}

/* Some file systems sync by themselves, and refuse to be told. */
static int sync_descriptor(int descriptor)
{
    return fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS ? 0 : -errno;
}

static int sync_folder_of(int folder, const char *path)
{
    char above[PATH_BYTES];
    const char *slash = strrchr(path, '/');
    snprintf(above, sizeof(above), "%.*s", slash != NULL ? (int)(slash - path) : 1,
             slash != NULL ? path : ".");
    return omptape_unify_sync(folder, above);
}

/* The copy gets its name when it is complete and on the disk; only then does the original go. */
static int copy(int folder, const char *from, const char *to, struct omptape_unify_pulse *pulse)
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
    result = copy_bytes(in, out, pulse);
    if (result == 0 && fsync(out) != 0)
        result = -errno;
    close(in);
    if (close(out) != 0 && result == 0)
        result = -errno;
    if (result == 0 && renameat(folder, part, folder, to) != 0)
        result = -errno;
    /* The two file systems may reach their disks in any order. */
    if (result == 0)
        result = sync_folder_of(folder, to);
    unlinkat(folder, result == 0 ? from : part, 0);
    return result;
}

int omptape_unify_move(int folder, const char *from, const char *to, bool *copied,
                       struct omptape_unify_pulse *pulse)
{
    if (renameat(folder, from, folder, to) == 0)
        return 0;
    if (errno != EXDEV)
        return -errno;
    *copied = true;
    return copy(folder, from, to, pulse);
}

int omptape_unify_sync(int folder, const char *path)
{
    int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    int result = sync_descriptor(file);
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

/* Starts writing a file out, or waits until it is. */
static int write_out(int folder, const char *name, bool wait)
{
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return -errno;
    int result = 0;
    if (wait)
        result = sync_descriptor(file);
    else
        (void)sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
    close(file);
    return result;
}

int omptape_unify_sync_all(int folder, const char *path, struct omptape_unify_pulse *pulse)
{
    DIR *entries = open_folder(folder, path);
    const struct dirent *entry;
    int result = 0;
    if (entries == NULL)
        return -errno;
    /* All at once is many times faster than one after the other. */
    for (int wait = 0; wait < 2; wait++) {
        rewinddir(entries);
        while (result == 0 && (entry = readdir(entries)) != NULL) {
            if (entry->d_name[0] == '.')
                continue;
            result = write_out(dirfd(entries), entry->d_name, wait != 0);
            pulse->done += wait != 0;
            omptape_unify_pulse_beat(pulse);
        }
    }
    if (result == 0)
        result = sync_descriptor(dirfd(entries));
    closedir(entries);
    return result;
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
