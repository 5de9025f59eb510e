/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements files.h.
 */
#include "src/unify/files.h"
#include "src/core/clock.h"
#include "src/folder/archive_files.h"
#include "src/folder/atomic_file.h"
#include "src/folder/beneath.h"
#include "src/folder/checkpoint.h"
#include "src/folder/claim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 256, BUFFER_BYTES = 1 << 20 };

static int copy_bytes(int from, int to, struct omptape_unify_progress *progress)
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
        if (got > 0)
            result = omptape_write_all(to, buffer, (size_t)got);
        omptape_unify_progress_update(progress);
    }
    free(buffer);
    return result;
}

/* Some file systems do not support fsync (EINVAL, EROFS) and count as synced. */
int omptape_unify_sync(int descriptor)
{
    if (descriptor < 0)
        return -EBADF;
    return fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS ? 0 : -errno;
}

/* Copies a file under a temporary name, syncs it, renames it, and only then removes the original. */
static int copy_file(int from_folder, const char *from, int to_folder, const char *to,
                     struct omptape_unify_progress *progress)
{
    char part[NAME_BYTES];
    snprintf(part, sizeof(part), "%.200s.copy", to);
    int in = omptape_beneath_open_own_file(from_folder, from);
    if (in < 0)
        return in;
    int out = omptape_beneath_create(to_folder, part);
    if (out < 0) {
        close(in);
        return out;
    }
    int result = copy_bytes(in, out, progress);
    if (result == 0 && fsync(out) != 0)
        result = -errno;
    close(in);
    if (close(out) != 0 && result == 0)
        result = -errno;
    if (result == 0)
        result = omptape_beneath_rename(to_folder, part, to_folder, to);
    /* Two file systems may write back in any order, so the new name is synced before the old is removed. */
    if (result == 0)
        result = omptape_unify_sync(to_folder);
    (void)omptape_beneath_remove(result == 0 ? from_folder : to_folder, result == 0 ? from : part);
    return result;
}

int omptape_unify_move(int from_folder, const char *from, int to_folder, const char *to, bool *copied,
                       struct omptape_unify_progress *progress)
{
    int result = omptape_beneath_check_own(from_folder, from, S_IFREG);
    if (result == 0)
        result = omptape_beneath_rename(from_folder, from, to_folder, to);
    if (result != -EXDEV)
        return result;
    *copied = true;
    return copy_file(from_folder, from, to_folder, to, progress);
}

/* Starts the write-back of a file, or waits until it is complete. */
static int write_out(int folder, const char *name, bool wait)
{
    int file = omptape_beneath_open_own_file(folder, name);
    if (file == -EINVAL)
        return 0; /* it is a folder */
    if (file < 0)
        return file;
    int result = 0;
    if (wait)
        result = omptape_unify_sync(file);
    else
        (void)sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
    close(file);
    return result;
}

int omptape_unify_sync_all(int folder, struct omptape_unify_progress *progress)
{
    DIR *entries = omptape_beneath_list(folder, ".");
    const struct dirent *entry;
    int result = 0;
    if (entries == NULL)
        return -errno;
    /* Starting all write-backs before waiting is many times faster than syncing file by file. */
    for (int wait = 0; wait < 2; wait++) {
        rewinddir(entries);
        while (result == 0 && (entry = readdir(entries)) != NULL) {
            if (entry->d_name[0] == '.')
                continue;
            result = write_out(dirfd(entries), entry->d_name, wait != 0);
            progress->done += wait != 0;
            omptape_unify_progress_update(progress);
        }
    }
    if (result == 0)
        result = omptape_unify_sync(dirfd(entries));
    closedir(entries);
    return result;
}

void omptape_unify_remove_files(int folder, const char *ending)
{
    DIR *entries = omptape_beneath_list(folder, ".");
    const struct dirent *entry;
    if (entries == NULL)
        return;
    while ((entry = readdir(entries)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strcmp(dot, ending) == 0)
            (void)omptape_beneath_remove(dirfd(entries), entry->d_name);
    }
    closedir(entries);
}

void omptape_unify_remove_tree(int folder, const char *name)
{
    int tree = omptape_beneath_open_own_folder(folder, name);
    DIR *entries = tree >= 0 ? omptape_beneath_list(tree, ".") : NULL;
    const struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        /* Staging folders are two levels deep. */
        int below = omptape_beneath_open_own_folder(tree, entry->d_name);
        if (below < 0) {
            (void)omptape_beneath_remove(tree, entry->d_name);
            continue;
        }
        omptape_unify_remove_files(below, ".def");
        close(below);
        (void)omptape_beneath_remove_folder(tree, entry->d_name);
    }
    omptape_close_list(entries);
    if (tree >= 0) {
        close(tree);
        (void)omptape_beneath_remove_folder(folder, name);
    }
}

int omptape_unify_find_in_the_way(int folder, char *what, size_t bytes)
{
    static const char *const names[] = {OMPTAPE_ARCHIVE_DEFINITIONS, OMPTAPE_ARCHIVE_MARKERS};
    const struct dirent *entry;
    bool empty = true;
    const char *found = NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (omptape_beneath_is_there(folder, names[i]))
            found = names[i];
    DIR *entries = omptape_beneath_list(folder, OMPTAPE_ARCHIVE_EVENTS);
    bool listed = entries != NULL;
    while (listed && (entry = readdir(entries)) != NULL)
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    if (listed)
        closedir(entries);
    if (!empty || (!listed && omptape_beneath_is_there(folder, OMPTAPE_ARCHIVE_EVENTS)))
        found = OMPTAPE_ARCHIVE_EVENTS;
    if (found == NULL)
        return 0;
    omptape_beneath_explain(folder, found, -EEXIST, what, bytes);
    return -EEXIST;
}

int omptape_unify_move_unfinished(int folder, char *name, size_t bytes)
{
    enum { MAX_TRIES = 1000 };
    static const char *const names[] = {OMPTAPE_ARCHIVE_EVENTS, OMPTAPE_ARCHIVE_DEFINITIONS,
                                        OMPTAPE_ARCHIVE_MARKERS, OMPTAPE_CHECKPOINT_FILE};
    bool made = false;
    int aside = -EEXIST;
    for (unsigned i = 1; !made && i < MAX_TRIES; i++) {
        omptape_close(aside);
        snprintf(name, bytes, "unfinished-%u", i);
        aside = omptape_beneath_make_folder(folder, name, &made);
        if (aside < 0 && !omptape_beneath_is_there(folder, name))
            return aside;
    }
    int result = made ? 0 : -EEXIST;
    for (size_t i = 0; result == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
        result = omptape_beneath_rename(folder, names[i], aside, names[i]);
        result = result == -ENOENT ? 0 : result;
    }
    if (result == 0)
        (void)omptape_beneath_remove(folder, OMPTAPE_WRITER_CLAIM); /* its process has ended */
    omptape_close(aside);
    return result;
}

/* Tries to acquire the lock. An owner on another host counts as dead after 120 s without an update. Network
 * file systems may show time stamps that are a minute old. */
static int try_lock(int folder, char *who, size_t bytes)
{
    return omptape_claim_take(folder, OMPTAPE_UNIFY_LOCK, 120, who, bytes);
}

/* Returns the age of a lock whose owner is on another host, in seconds; -1 if there is none. Whether such an
 * owner is alive cannot be checked on this host. */
static double age_elsewhere(int folder)
{
    char who[OMPTAPE_CLAIM_BYTES];
    if (omptape_claim_read(folder, OMPTAPE_UNIFY_LOCK, who, sizeof(who)) != OMPTAPE_CLAIM_OTHER_HOST)
        return -1;
    return omptape_claim_age(folder, OMPTAPE_UNIFY_LOCK);
}

int omptape_unify_lock(int folder, bool waits, bool silent, char *who, size_t bytes)
{
    static const struct timespec pause = {.tv_nsec = 200000000};
    struct omptape_progress progress;
    char owner[OMPTAPE_CLAIM_BYTES];
    double before = 0;
    double age;
    int result = try_lock(folder, who, bytes);
    omptape_progress_begin(&progress, silent);
    while (result == -EBUSY && waits && (age = age_elsewhere(folder)) >= before) {
        before = age;
        omptape_claim_describe(who, owner, sizeof(owner));
        if (omptape_progress_is_due(&progress))
            omptape_progress_draw("waiting for a sign of life of %.200s, which unifies here", owner);
        nanosleep(&pause, NULL);
        result = try_lock(folder, who, bytes);
    }
    omptape_progress_erase();
    return result;
}

static const double touch_seconds = 10;

void omptape_unify_progress_begin(struct omptape_unify_progress *progress, int folder, bool silent)
{
    *progress = (struct omptape_unify_progress){.folder = folder, .touched = omptape_clock_seconds()};
    omptape_progress_begin(&progress->progress, silent);
}

void omptape_unify_progress_step(struct omptape_unify_progress *progress, const char *what, uint32_t total)
{
    progress->what = what;
    progress->done = 0;
    progress->total = total;
}

void omptape_unify_progress_update(struct omptape_unify_progress *progress)
{
    double now = omptape_clock_seconds();
    if (now - progress->touched >= touch_seconds) {
        omptape_claim_touch(progress->folder, OMPTAPE_UNIFY_LOCK);
        progress->touched = now;
    }
    if (progress->what != NULL && omptape_progress_is_due(&progress->progress))
        omptape_progress_draw("unifying: %u of %u %s", (unsigned)progress->done, (unsigned)progress->total,
                              progress->what);
}
