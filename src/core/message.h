/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one way in which omptape speaks to the user from inside a process: whole lines on stderr, starting with
 * "omptape: ".
 */
#ifndef OMPTAPE_CORE_MESSAGE_H
#define OMPTAPE_CORE_MESSAGE_H

#include <stdarg.h>
#include <stddef.h>

/* Writes one line (the newline is added), by one write(2), so that lines of several processes do not mix;
 * a progress line goes first. Keeps errno. Longer texts are cut at about 1,000 bytes. */
void omptape_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Appends a text to the first `used` bytes of a line, and ends the line. What does not fit into `bytes` is
 * cut, and control characters become spaces. Returns the line's length. */
size_t omptape_message_complete(char *line, size_t bytes, size_t used, const char *format, va_list arguments)
    __attribute__((format(printf, 4, 0)));

/* Writes a line by one write(2), again where a signal interrupted it. Changes errno. */
void omptape_message_write(int fd, const char *line, size_t bytes);

/* Why something could not be made or written: a phrase for an errno, positive or negative. A limit that is
 * the reason is named, with what raises it; else it is strerror's. */
const char *omptape_cause(int error);

#endif
