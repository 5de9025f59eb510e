/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one way in which omptape speaks to the user from inside a process: whole lines on stderr, starting with
 * "omptape: ".
 */
#ifndef OMPTAPE_CORE_MESSAGE_H
#define OMPTAPE_CORE_MESSAGE_H

/* Writes one line (the newline is added), by one write(2), so that lines of several processes do not mix;
 * a progress line goes first. Keeps errno. Longer texts are cut at about 1,000 bytes. */
void omptape_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
