/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the reading of an archive in a child process. libotf2 may crash, print or never end on a damaged or
 * hostile file. Then the user gets one clear line. Used by check, info, report and export on the command's
 * only thread.
 */
#pragma once

#include "src/archive/read/reader.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { OMPTAPE_EXIT_OK = 0, OMPTAPE_EXIT_VIOLATION = 1, OMPTAPE_EXIT_ERROR = 2 };

/* How far the work has come, for the parent. */
struct omptape_reader_progress {
    volatile uint64_t beats;                /* signs of life before and between */
    volatile uint64_t done;                 /* events or bytes, */
    volatile uint64_t total;                /* ...of so many; 0: not known (yet) */
    char beside[OMPTAPE_READER_FILE_BYTES]; /* the reader's (reader.h): named if the work crashes */
};

/* The work, in the child: what it prints to `out` reaches the command's stdout when it returns. Returns the
 * exit code; with OMPTAPE_EXIT_ERROR it leaves one line in `error`, or none where memory ran out. Counts
 * *progress up. */
typedef int omptape_reader_work(void *data, FILE *out, char *error, size_t error_bytes,
                                struct omptape_reader_progress *progress);

/* Has the reader, which the work opened, tell here how far it is and what it reads. */
void omptape_reader_follow(struct omptape_reader *reader, struct omptape_reader_progress *progress);

/* Runs `work`, shows on a terminal how far it is, and returns the exit code. Errors become one line on
 * stderr, "omptape COMMAND: PATH: ...". Without a command nothing is said, nor shown. */
int omptape_reader_guard(const char *command, const char *path, omptape_reader_work *work, void *data);
