/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements atomic_file.h.
 */
#include "src/folder/atomic_file.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/folder/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODE = 0666, LINK_BYTES = 64 };

static int explain(const struct omptape_atomic_file *file, int status, const char *why, char *error,
                   size_t bytes)
{
    return omptape_fail(error, bytes, status, "cannot make %s: %s", omptape_quoted(file->path).text, why);
}

static int say(const struct omptape_atomic_file *file, int status, char *error, size_t bytes)
{
    return explain(file, status, omptape_cause(status), error, bytes);
}

/* Returns a random hidden name, which nobody can create before. Its length does not depend on the file's
 * name, which may have the maximum length. */
static char *make_hidden_name(void)
{
    uint64_t random = 0;
    char *name = NULL;
    if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random) ||
        asprintf(&name, ".omptape-made-%016" PRIx64, random) < 0)
        return NULL;
    return name;
}

static int find_place(struct omptape_atomic_file *file, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    char *folder = slash == NULL   ? strdup(".")
                   : slash == path ? strdup("/")
                                   : strndup(path, (size_t)(slash - path));
    file->name = strdup(name);
    file->hidden = make_hidden_name();
    file->folder = folder != NULL && file->name != NULL && file->hidden != NULL
                       ? omptape_beneath_pass_named(folder)
                       : -ENOMEM;
    free(folder);
    return file->folder < 0 ? file->folder : 0;
}

/* Checks that the file can be created in its folder and may replace an existing entry. */
static int check_place(const struct omptape_atomic_file *file, char *error, size_t bytes)
{
    char why[OMPTAPE_BENEATH_WHY_BYTES];
    if (file->name[0] == '\0')
        return say(file, -EISDIR, error, bytes);
    int status = omptape_beneath_check_own(file->folder, file->name, S_IFREG);
    if (status == 0 || status == -ENOENT)
        return 0;
    omptape_beneath_explain(file->folder, file->name, status, why, sizeof(why));
    return explain(file, status, why, error, bytes);
}

static void link_of(const struct omptape_atomic_file *file, char link[LINK_BYTES])
{
    snprintf(link, LINK_BYTES, "/proc/self/fd/%d", file->file);
}

/* Opens a file without a name, if the file system supports it and /proc, needed to name it, is mounted. */
static void open_unnamed(struct omptape_atomic_file *file)
{
    char link[LINK_BYTES];
    file->file = openat(file->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, MODE);
    link_of(file, link);
    file->unnamed = file->file >= 0 && access(link, F_OK) == 0;
    if (file->file >= 0 && !file->unnamed) {
        close(file->file);
        file->file = -1;
    }
}

int omptape_atomic_file_open(struct omptape_atomic_file *file, const char *path, char *error, size_t bytes)
{
    *file = (struct omptape_atomic_file){.folder = -1, .file = -1, .path = path};
    if (strcmp(path, "-") == 0) {
        file->file = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        return file->file >= 0 ? 0 : say(file, -errno, error, bytes);
    }
    int status = find_place(file, path);
    if (status != 0)
        return say(file, status, error, bytes);
    status = check_place(file, error, bytes);
    if (status != 0)
        return status;
    open_unnamed(file);
    if (!file->unnamed)
        file->file = omptape_beneath_create(file->folder, file->hidden);
    return file->file >= 0 ? 0 : say(file, file->file, error, bytes);
}

int omptape_atomic_file_commit(struct omptape_atomic_file *file, char *error, size_t bytes)
{
    char link[LINK_BYTES];
    int status = file->folder >= 0 ? check_place(file, error, bytes) : 0;
    if (status != 0 || file->folder < 0)
        return status;
    link_of(file, link);
    if (file->unnamed && linkat(AT_FDCWD, link, file->folder, file->hidden, AT_SYMLINK_FOLLOW) != 0)
        return say(file, -errno, error, bytes);
    file->unnamed = false;
    status = omptape_beneath_rename(file->folder, file->hidden, file->folder, file->name);
    if (status != 0)
        return say(file, status, error, bytes);
    free(file->hidden);
    file->hidden = NULL;
    return 0;
}

void omptape_atomic_file_close(struct omptape_atomic_file *file)
{
    omptape_close(file->file);
    if (file->folder >= 0 && file->file >= 0 && !file->unnamed && file->hidden != NULL)
        omptape_beneath_remove(file->folder, file->hidden);
    omptape_close(file->folder);
    free(file->name);
    free(file->hidden);
}

int omptape_write_all(int file, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t n = write(file, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}

static int read_bytes(int file, unsigned char *bytes, size_t size, size_t *count)
{
    while (*count < size) {
        ssize_t n = read(file, bytes + *count, size - *count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        *count += (size_t)n;
    }
    return 0;
}

int omptape_read_all(int file, size_t max_bytes, unsigned char **bytes, size_t *count)
{
    struct stat about;
    *bytes = NULL;
    *count = 0;
    if (fstat(file, &about) != 0)
        return -errno;
    if ((uint64_t)about.st_size > max_bytes)
        return -EFBIG;
    *bytes = malloc((size_t)about.st_size + 1);
    int status = *bytes != NULL ? read_bytes(file, *bytes, (size_t)about.st_size, count) : -ENOMEM;
    if (status != 0) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}
