/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The function with which libdw opens what debug information names: the file of a split unit, and the one
 * that dwz made for several programs. A function of the program itself comes before libc's for all of its
 * libraries. What the traced program puts in such a place may be a pipe, at which libc's would wait.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>

/* A sanitizer calls it, too, before it has begun. */
#define FOR_LIBRARIES __attribute__((visibility("default"), used, no_sanitize("address", "undefined")))

/* The writer's own calls have more flags, and stay as they are. */
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

/* Where libdw is built for large files. */
FOR_LIBRARIES int open64(const char *path, int flags, ...) __attribute__((alias("open")));
