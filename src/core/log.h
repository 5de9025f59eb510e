/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The debug log: one line for each important step of library, writer and command (CONTRIBUTING.md). Enabled
 * by
 * --log (OMPTAPE_LOG) or --verbose. The format is
 *
 *     omptape[PID] 14:03:59.123456 AREA: what was done
 *
 * with the time in UTC. Lines go to stderr, or to the file that OMPTAPE_LOG_FILE names. No line is written on
 * the hot path: callbacks and the writer's loop over records log nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* `info` logs the steps of a run, `debug` also their inputs. */
enum omptape_log_level { OMPTAPE_LOG_OFF, OMPTAPE_LOG_INFO, OMPTAPE_LOG_DEBUG, OMPTAPE_LOG_LEVELS };

enum omptape_log_area {
    OMPTAPE_LOG_COMMAND, /* the omptape command: the run, and each subcommand */
    OMPTAPE_LOG_LIBRARY, /* libomptape.so in the traced program */
    OMPTAPE_LOG_WRITER,  /* omptape-writer, from the program's start to the closed archive */
    OMPTAPE_LOG_SYMBOLS, /* executables, libraries and their debug information */
    OMPTAPE_LOG_ARCHIVE, /* reading and writing of archive files */
    OMPTAPE_LOG_UNIFY,   /* unification of process archives */
    OMPTAPE_LOG_AREAS
};

/* Selection of lines. `file` is NULL or empty for stderr; it belongs to the caller and must stay valid. */
struct omptape_log_choice {
    enum omptape_log_level level;
    unsigned areas; /* bit n: area n */
    const char *file;
};

/* Parses "LEVEL" or "LEVEL,AREA,..." into `level` and `areas`. Levels are off (0), info (1) and debug.
 * Returns 0, or -EINVAL with the cause in `error`. */
int omptape_log_parse(const char *text, struct omptape_log_choice *choice, char *error, size_t error_bytes);

/* Starts logging. With `keep` the file stays open; otherwise it is opened for each line, so that the traced
 * program has no additional descriptor. Logs nothing in a program with more rights than its caller
 * (AT_SECURE). Must be called before a second thread exists. Returns 0, or negative errno if the file cannot
 * be written; nothing is logged then. -EPERM: not a regular file of the user, or several hard links. */
int omptape_log_start(const struct omptape_log_choice *choice, bool keep);

/* Returns true if lines are written to stderr. */
bool omptape_log_uses_stderr(void);

/* Writes one line with one write(2) if its level and area are selected. Preserves errno; allocates nothing.
 */
void omptape_log(enum omptape_log_level level, enum omptape_log_area area, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
