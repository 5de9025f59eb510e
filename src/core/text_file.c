/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements text_file.h.
 */
#include "src/core/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

/* Reads until the end, or only once. */
static ssize_t read_file(int folder, const char *path, char *text, size_t bytes, bool once)
{
    size_t length = 0;
    ssize_t n = 0;
    text[0] = '\0';
    const int file = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0)
        return -errno;
    while (length + 1 < bytes && (n = read(file, text + length, bytes - 1 - length)) > 0) {
        length += (size_t)n;
        if (once)
            break;
    }
    const int error = n < 0 ? errno : 0;
    close(file);
    text[length] = '\0';
    return length > 0 ? (ssize_t)length : -error;
}

ssize_t omptape_read_text(int folder, const char *path, char *text, size_t bytes)
{
    return read_file(folder, path, text, bytes, false);
}

ssize_t omptape_read_piece(int folder, const char *path, char *text, size_t bytes)
{
    return read_file(folder, path, text, bytes, true);
}
