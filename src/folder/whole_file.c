/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes and reads until all is done (whole_file.h).
 */
#include "src/folder/whole_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

int omptape_read_all(int file, size_t most, unsigned char **bytes, size_t *count)
{
    struct stat about;
    *bytes = NULL;
    *count = 0;
    if (fstat(file, &about) != 0)
        return -errno;
    if ((uint64_t)about.st_size > most)
        return -EFBIG;
    *bytes = malloc((size_t)about.st_size + 1);
    int status = *bytes != NULL ? read_bytes(file, *bytes, (size_t)about.st_size, count) : -ENOMEM;
    if (status != 0) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}
