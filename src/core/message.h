/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages to the user: complete lines on stderr that begin with "omptape: ". All messages of the library and
 * the command are printed by these functions.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Writes one line and its newline with one write(2), so that lines of several processes do not mix. Erases a
 * progress line first. Preserves errno. Truncates the text to about 1,000 bytes. */
void omptape_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Appends a text to the first `used` bytes of a line, and a newline. Truncates to `bytes`, and replaces
 * characters as omptape_utf8_make_plain does. Returns the line's length. */
size_t omptape_message_complete(char *line, size_t bytes, size_t used, const char *format, va_list arguments)
    __attribute__((format(printf, 4, 0)));

/* Writes a line with one write(2), repeated after an interruption by a signal. A pipe without a reader and a
 * limit on file sizes cause no signal (SIGPIPE, SIGXFSZ), which would end the program. Returns false if the
 * line was not written completely. Changes errno. */
bool omptape_message_write(int fd, const char *line, size_t bytes);

/* Writes why a function fails into `error`, for the function's caller. Returns `status`. */
int omptape_fail(char *error, size_t bytes, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Describes an errno, positive or negative, of a failed creation or write. Names the limit that caused it and
 * how to raise it; otherwise strerror's text. */
const char *omptape_cause(int error);
