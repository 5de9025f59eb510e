/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shows the progress of a long wait in one line on the terminal. The line is rewritten about four times a
 * second and erased before other output. The functions do nothing unless stderr is a terminal and this
 * process is in its foreground. Called by the library and the command, one waiting thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct omptape_progress {
    bool silent;
    uint64_t next; /* time of the next update, ns of CLOCK_MONOTONIC_RAW */
};

/* Starts a wait. Nothing is shown in the first second, and never if `silent`. */
void omptape_progress_begin(struct omptape_progress *progress, bool silent);

/* Returns true if the line must be updated. */
bool omptape_progress_is_due(struct omptape_progress *progress);

/* Replaces the line by "omptape: TEXT", truncated to the terminal's width. Preserves errno. */
void omptape_progress_draw(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Erases the line, if there is one. Any thread. Preserves errno. */
void omptape_progress_erase(void);
