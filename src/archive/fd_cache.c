/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements fd_cache.h. If a file needs a descriptor and none is left, the least recently used file loses
 * its descriptor. It is reopened by name later and must be the same file then. The streams are not libc's:
 * libc keeps its streams in one list, which fclose searches linearly.
 */
#include "src/archive/fd_cache.h"

#include "src/core/hash.h"
#include "src/folder/beneath.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* At most a quarter of the descriptor limit is used, so that enough remain for the rest of the process. */
enum { MAX_DESCRIPTORS = 128, MIN_DESCRIPTORS = 2, SHARE = 4 };

struct cached_file {
    int folder;
    bool own;
    bool failed;    /* a read has failed */
    int descriptor; /* -1: closed at present */
    off_t at;
    dev_t device;
    ino_t inode;
    struct cached_file *newer; /* neighbours in the list of files with a descriptor, sorted by last use */
    struct cached_file *older;
    char name[];
};

static struct {
    struct cached_file *newest;
    struct cached_file *oldest;
    unsigned count;
} holders;

static struct omptape_hash files; /* by address, which is also the stream's */

unsigned omptape_fd_cache_in_use(void)
{
    return holders.count;
}

unsigned omptape_fd_cache_most(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / SHARE >= MAX_DESCRIPTORS)
        return MAX_DESCRIPTORS;
    return limit.rlim_cur / SHARE > MIN_DESCRIPTORS ? (unsigned)(limit.rlim_cur / SHARE) : MIN_DESCRIPTORS;
}

static void leave_list(struct cached_file *file)
{
    *(file->newer != NULL ? &file->newer->older : &holders.newest) = file->older;
    *(file->older != NULL ? &file->older->newer : &holders.oldest) = file->newer;
    file->newer = file->older = NULL;
}

static void join_list(struct cached_file *file)
{
    file->older = holders.newest;
    *(holders.newest != NULL ? &holders.newest->newer : &holders.oldest) = file;
    holders.newest = file;
}

static void close_cached(struct cached_file *file)
{
    if (file->descriptor < 0)
        return;
    close(file->descriptor);
    file->descriptor = -1;
    leave_list(file);
    holders.count--;
}

static int open_once(const struct cached_file *file)
{
    return file->own ? omptape_beneath_open_own_file(file->folder, file->name)
                     : omptape_beneath_open_file(file->folder, file->name);
}

/* Returns 0 when the file has a descriptor, or negative errno. */
static int obtain_descriptor(struct cached_file *file)
{
    if (file->descriptor >= 0) {
        leave_list(file);
        join_list(file);
        return 0;
    }
    while (holders.oldest != NULL && holders.count >= omptape_fd_cache_most())
        close_cached(holders.oldest);
    int descriptor = open_once(file);
    while ((descriptor == -EMFILE || descriptor == -ENFILE) && holders.oldest != NULL) {
        close_cached(holders.oldest);
        descriptor = open_once(file);
    }
    if (descriptor < 0)
        return descriptor;
    file->descriptor = descriptor;
    join_list(file);
    holders.count++;
    return 0;
}

/* Reopens the file if it has no descriptor. Returns -ESTALE if another file has its name now. */
static int obtain_again(struct cached_file *file)
{
    struct stat status;
    bool had_one = file->descriptor >= 0;
    int result = obtain_descriptor(file);
    if (had_one)
        return result;
    if (result == 0 && fstat(file->descriptor, &status) != 0)
        result = -errno;
    if (result == 0 && (status.st_dev != file->device || status.st_ino != file->inode))
        result = -ESTALE;
    if (result != 0)
        close_cached(file);
    return result;
}

/* Zeroes the rest of a chunk. libotf2 requests whole chunks in memory that it has just touched, and most
 * event files are shorter. Whole pages are released to the kernel, which supplies zeros if they are read. */
static void clear_rest(char *from, char *to)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)from + page - 1) & ~(page - 1);
    uintptr_t last = (uintptr_t)to & ~(page - 1);
    if (last <= first || madvise(from + (first - (uintptr_t)from), last - first, MADV_DONTNEED) != 0) {
        memset(from, 0, (size_t)(to - from));
        return;
    }
    memset(from, 0, first - (uintptr_t)from);
    memset(to - ((uintptr_t)to - last), 0, (uintptr_t)to - last);
}

/* Reads up to `bytes`; returns the number of bytes read, or negative errno. */
static ssize_t read_whole(struct cached_file *file, char *buffer, size_t bytes)
{
    size_t done = 0;
    ssize_t got = 1;
    int result = obtain_again(file);
    while (result == 0 && done < bytes && got > 0) {
        got = pread(file->descriptor, buffer + done, bytes - done, file->at);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got < 0)
            result = -errno;
        else {
            done += (size_t)got;
            file->at += got;
        }
    }
    return result != 0 ? result : (ssize_t)done;
}

/* Returns NULL if the stream is libc's. */
static struct cached_file *find_file(FILE *stream)
{
    return files.count > 0 ? omptape_hash_get(&files, (uint64_t)(uintptr_t)stream) : NULL;
}

bool omptape_fd_cache_read(FILE *stream, void *buffer, size_t bytes, size_t *done)
{
    struct cached_file *file = find_file(stream);
    *done = 0;
    if (file == NULL)
        return false;
    ssize_t got = bytes > 0 ? read_whole(file, buffer, bytes) : 0;
    if (got < 0) {
        file->failed = true;
        errno = (int)-got;
        return true;
    }
    *done = (size_t)got;
    if (*done < bytes)
        clear_rest((char *)buffer + got, (char *)buffer + bytes);
    return true;
}

bool omptape_fd_cache_seek(FILE *stream, long offset, int whence, int *result)
{
    struct cached_file *file = find_file(stream);
    struct stat status = {.st_size = 0};
    if (file == NULL)
        return false;
    int error = whence == SEEK_END ? obtain_again(file) : 0;
    if (error == 0 && whence == SEEK_END && fstat(file->descriptor, &status) != 0)
        error = -errno;
    off_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file->at : status.st_size;
    if (error == 0 && from + offset < 0)
        error = -EINVAL;
    if (error == 0)
        file->at = from + offset;
    else
        errno = -error;
    *result = error == 0 ? 0 : -1;
    return true;
}

bool omptape_fd_cache_failed(FILE *stream, bool *failed)
{
    const struct cached_file *file = find_file(stream);
    if (file == NULL)
        return false;
    *failed = file->failed;
    return true;
}

bool omptape_fd_cache_close(FILE *stream)
{
    struct cached_file *file = find_file(stream);
    if (file == NULL)
        return false;
    close_cached(file);
    omptape_hash_remove_key(&files, (uint64_t)(uintptr_t)stream);
    if (files.count == 0)
        omptape_hash_free(&files);
    free(file);
    return true;
}

FILE *omptape_fd_cache_open(int folder, const char *name, bool own)
{
    struct stat status;
    size_t bytes = strlen(name) + 1;
    struct cached_file *file = calloc(1, sizeof(*file) + bytes);
    if (file == NULL)
        return NULL;
    memcpy(file->name, name, bytes);
    file->folder = folder;
    file->own = own;
    file->descriptor = -1;
    int result = obtain_descriptor(file);
    if (result == 0 && fstat(file->descriptor, &status) != 0)
        result = -errno;
    if (result == 0) {
        file->device = status.st_dev;
        file->inode = status.st_ino;
        result = omptape_hash_put(&files, (uint64_t)(uintptr_t)file, file);
    }
    if (result == 0)
        return (FILE *)file;
    close_cached(file);
    free(file);
    errno = -result;
    return NULL;
}
