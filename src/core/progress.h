/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One line on the terminal that says how far a long wait has come. It is rewritten in place about four times
 * a second, erased when something else is to be said. Only where stderr is the terminal that this process is
 * in the foreground of; anywhere else all of this does nothing. Used by the library and by the command, one
 * waiting thread at a time.
 */
#ifndef OMPTAPE_CORE_PROGRESS_H
#define OMPTAPE_CORE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct omptape_progress {
    bool silent;
    uint64_t next; /* when the line is to be drawn again, in CLOCK_MONOTONIC_RAW's ns */
};

/* A wait begins. Nothing is shown in its first second, and never if `silent`. */
void omptape_progress_begin(struct omptape_progress *progress, bool silent);

/* It is time to draw the line. */
bool omptape_progress_is_due(struct omptape_progress *progress);

/* Shows "omptape: TEXT" in place of what was shown before; cut to the terminal's width. Keeps errno. */
void omptape_progress_draw(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Takes the line away, if there is one. Any thread. Keeps errno. */
void omptape_progress_erase(void);

#endif
