/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements brief_files.h. The streams are not libc's: libc keeps its streams in one list, which fclose
 * searches linearly.
 */
#include "src/archive/brief_files.h"

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
enum { MAX_KEPT = 128, SHARE = 4 };

struct brief_file {
    int folder;
    int kept; /* descriptor; -1: the file has one only while it is read */
    bool own;
    bool failed; /* a read has failed */
    off_t at;
    dev_t device;
    ino_t inode;
    char name[];
};

static struct omptape_hash files; /* by address, which is also the stream's */
static unsigned kept_count;

static bool may_keep(void)
{
    struct rlimit limit;
    return kept_count < MAX_KEPT && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           kept_count < limit.rlim_cur / SHARE;
}

static void release(const struct brief_file *file, int descriptor)
{
    if (descriptor != file->kept)
        omptape_close(descriptor);
}

/* Returns a descriptor with *status, or negative errno. */
static int open_once(const struct brief_file *file, struct stat *status)
{
    const int descriptor = file->own ? omptape_beneath_open_own_file(file->folder, file->name)
                                     : omptape_beneath_open_file(file->folder, file->name);
    if (descriptor < 0 || fstat(descriptor, status) == 0)
        return descriptor;
    const int error = -errno;
    close(descriptor);
    return error;
}

/* Returns a descriptor of a file that was opened before, to be released. Returns -ESTALE if another file has
 * its name now, or another negative errno. */
static int open_again(const struct brief_file *file)
{
    struct stat status;
    if (file->kept >= 0)
        return file->kept;
    const int descriptor = open_once(file, &status);
    if (descriptor < 0 || (status.st_dev == file->device && status.st_ino == file->inode))
        return descriptor;
    close(descriptor);
    return -ESTALE;
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
static ssize_t read_whole(struct brief_file *file, char *buffer, size_t bytes)
{
    size_t done = 0;
    ssize_t got = 1;
    const int descriptor = open_again(file);
    if (descriptor < 0)
        return descriptor;
    while (done < bytes && (got > 0 || (got < 0 && errno == EINTR))) {
        got = pread(descriptor, buffer + done, bytes - done, file->at);
        if (got > 0) {
            done += (size_t)got;
            file->at += got;
        }
    }
    const int error = got < 0 ? -errno : 0;
    release(file, descriptor);
    return error != 0 ? error : (ssize_t)done;
}

/* Returns NULL if the stream is libc's. */
static struct brief_file *find_file(FILE *stream)
{
    return files.count > 0 ? omptape_hash_get(&files, (uint64_t)(uintptr_t)stream) : NULL;
}

bool omptape_brief_file_read(FILE *stream, void *buffer, size_t bytes, size_t *done)
{
    struct brief_file *file = find_file(stream);
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

/* Returns the file's bytes, or negative errno. */
static off_t size_of(const struct brief_file *file)
{
    struct stat status;
    const int descriptor = open_again(file);
    if (descriptor < 0)
        return descriptor;
    const off_t bytes = fstat(descriptor, &status) == 0 ? status.st_size : -errno;
    release(file, descriptor);
    return bytes;
}

bool omptape_brief_file_seek(FILE *stream, long offset, int whence, int *result)
{
    struct brief_file *file = find_file(stream);
    if (file == NULL)
        return false;
    const off_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file->at : size_of(file);
    const off_t to = from < 0 ? from : from + offset >= 0 ? from + offset : -EINVAL;
    if (to >= 0)
        file->at = to;
    else
        errno = (int)-to;
    *result = to >= 0 ? 0 : -1;
    return true;
}

bool omptape_brief_file_failed(FILE *stream, bool *failed)
{
    const struct brief_file *file = find_file(stream);
    if (file == NULL)
        return false;
    *failed = file->failed;
    return true;
}

bool omptape_brief_file_close(FILE *stream)
{
    struct brief_file *file = find_file(stream);
    if (file == NULL)
        return false;
    kept_count -= file->kept >= 0;
    omptape_close(file->kept);
    omptape_hash_remove_key(&files, (uint64_t)(uintptr_t)stream);
    if (files.count == 0)
        omptape_hash_free(&files);
    free(file);
    return true;
}

FILE *omptape_brief_file_open(int folder, const char *name, bool own)
{
    struct stat status;
    size_t bytes = strlen(name) + 1;
    struct brief_file *file = calloc(1, sizeof(*file) + bytes);
    if (file == NULL)
        return NULL;
    memcpy(file->name, name, bytes);
    file->folder = folder;
    file->own = own;
    file->kept = -1;
    const int descriptor = open_once(file, &status);
    int result = descriptor;
    if (descriptor >= 0) {
        file->device = status.st_dev;
        file->inode = status.st_ino;
        result = omptape_hash_put(&files, (uint64_t)(uintptr_t)file, file);
    }
    if (result == 0 && may_keep()) {
        file->kept = descriptor;
        kept_count++;
    }
    release(file, descriptor);
    if (result == 0)
        return (FILE *)file;
    free(file);
    errno = -result;
    return NULL;
}
