/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces open(), with which libdw opens files named in debug information: split units, and files that dwz
 * made for several programs. A function of the program precedes libc's for all its libraries. The traced
 * program may place a pipe under such a name, at which libc's open() would block.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>

/* A sanitizer calls the function before it is initialised. */
#define FOR_LIBRARIES __attribute__((visibility("default"), used, no_sanitize("address", "undefined")))

/* The writer's own calls have more flags and are not changed. */
FOR_LIBRARIES int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    const mode_t mode = creates ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (flags == O_RDONLY)
        flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    return openat(AT_FDCWD, path, flags, mode);
}

/* For a libdw that is built for large files. */
FOR_LIBRARIES int open64(const char *path, int flags, ...) __attribute__((alias("open")));
