/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The debug channel: one line for each important step of library, writer and command, for whoever looks for a
 * fault (CONTRIBUTING.md). Off unless --log (OMPTAPE_LOG) or --verbose asks for it. A line reads
 *
 *     omptape[PID] 14:03:59.123456 AREA: what was done
 *
 * with the time in UTC. Lines go to stderr, or to the file that OMPTAPE_LOG_FILE names. No line is written on
 * the hot path: callbacks and the writer's loop over records log nothing.
 */
#ifndef OMPTAPE_CORE_LOG_H
#define OMPTAPE_CORE_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* `info` has the steps of a run, `debug` also what each of them looked at. */
enum omptape_log_level { OMPTAPE_LOG_OFF, OMPTAPE_LOG_INFO, OMPTAPE_LOG_DEBUG, OMPTAPE_LOG_LEVELS };

enum omptape_log_area {
    OMPTAPE_LOG_COMMAND, /* the omptape command: the run, and each subcommand */
    OMPTAPE_LOG_LIBRARY, /* libomptape.so in the traced program */
    OMPTAPE_LOG_WRITER,  /* omptape-writer: its life, from the program's start to the closed archive */
    OMPTAPE_LOG_SYMBOLS, /* executables, libraries and their debug information */
    OMPTAPE_LOG_ARCHIVE, /* files of archives, as they are written and read */
    OMPTAPE_LOG_UNIFY,   /* one archive of several processes' archives */
    OMPTAPE_LOG_AREAS
};

/* What is logged. `file` is NULL or empty for stderr; it belongs to the caller and must
 * stay. */
struct omptape_log_choice {
    enum omptape_log_level level;
    unsigned areas; /* bit n: area n */
    const char *file;
};

/* Reads "LEVEL" or "LEVEL,AREA,...": a level is off (0), info (1) or debug. Sets `level` and `areas`. 0, or
 * -EINVAL with a phrase in `error`. */
int omptape_log_parse(const char *text, struct omptape_log_choice *choice, char *error, size_t error_bytes);

/* Logs from now on what `choice` says. With `keep` the file stays open; without, it is opened for each line,
 * so that the traced program has no descriptor more. Logs nothing in a program with more rights than its
 * caller (AT_SECURE). Call it before there is a second thread. Returns 0, or negative errno where the
 * file cannot be written: then nothing is logged. -EPERM: it is no regular file of the user, or has several
 * names. */
int omptape_log_start(const struct omptape_log_choice *choice, bool keep);

/* Do lines go to stderr? */
bool omptape_log_uses_stderr(void);

/* Writes one line by one write(2) if its level and area were chosen. Keeps errno, allocates nothing. */
void omptape_log(enum omptape_log_level level, enum omptape_log_area area, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
