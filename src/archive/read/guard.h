/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads an archive in a child process. On a damaged or hostile file libotf2 may crash, print or run
 * endlessly. The user then gets one clear line. One thread.
 */
#pragma once

#include "src/archive/read/reader.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { OMPTAPE_EXIT_OK = 0, OMPTAPE_EXIT_VIOLATION = 1, OMPTAPE_EXIT_ERROR = 2 };

/* Progress of the work, for the parent. */
struct omptape_reader_progress {
    volatile uint64_t beats;                      /* incremented before and between the counted items */
    volatile uint64_t done;                       /* processed events or bytes */
    volatile uint64_t total;                      /* total of `done`; 0: not known (yet) */
    char current_file[OMPTAPE_READER_FILE_BYTES]; /* as in reader.h; names the file if the work crashes */
};

/* The work in the child. Its output to `out` is copied to the command's stdout after it returns. Returns the
 * exit code; with OMPTAPE_EXIT_ERROR it sets one line in `error`, or none if out of memory. The result is
 * also an error if it leaves omptape_out_of_memory (src/core/memory.h) set. It updates *progress. */
typedef int omptape_reader_work(void *data, FILE *out, char *error, size_t error_bytes,
                                struct omptape_reader_progress *progress);

/* Makes the reader report its progress and its current file in *progress. */
void omptape_reader_follow(struct omptape_reader *reader, struct omptape_reader_progress *progress);

/* Runs `work` in a child, draws its progress on the terminal, and returns the exit code. Errors become one
 * line on stderr, "omptape COMMAND: PATH: ...". An archive that is replaced meanwhile is an error, too: the
 * output might mix both. With `command` NULL nothing is printed or drawn. */
int omptape_reader_guard(const char *command, const char *path, omptape_reader_work *work, void *data);
