/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What /proc says of a process. For the library and the command; any thread. Allocates nothing, but for
 * omptape_process_activity.
 */
#ifndef OMPTAPE_JOB_PROCESS_H
#define OMPTAPE_JOB_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads /proc/PID/`name` as a text, cut to what fits; empty if there is none. Returns its length. */
size_t omptape_process_read(pid_t pid, const char *name, char *text, size_t bytes);

/* Its parent; 0: not known. */
pid_t omptape_process_parent(pid_t pid);

/* The path of the program that calls; false: not known. */
bool omptape_process_own_path(char *path, size_t bytes);

/* A number that grows while a thread of the process runs, or is put on a processor and taken off again. It
 * stands still while the process is stopped (SIGSTOP) or frozen (its cgroup). 0: not known. */
uint64_t omptape_process_activity(pid_t pid);

/* For how long others have given no sign of life: all zero at the beginning. */
struct omptape_process_silence {
    uint64_t activity;
    double looked; /* seconds of CLOCK_MONOTONIC */
    double lasts;  /* seconds */
};

/* One look, about once a second: `activity` is the sum of those of the processes that are waited for, 0 if
 * one is not known. True once they have been silent for ten seconds, as long as a program waits for its
 * writer. The time in which the caller was stopped itself does not count. */
bool omptape_process_is_silent(struct omptape_process_silence *silence, uint64_t activity);

/* Waits for a child of the caller's, unless somebody stops it (SIGSTOP) for ten seconds. 0, and `status` is
 * as waitpid gives it; -ETIMEDOUT: it is stopped; or another negative errno. */
int omptape_process_await(pid_t child, int *status);

/* Is it an omptape-writer? */
bool omptape_process_is_writer(pid_t pid);

/* Is it that program's? Its last argument says so; an emulator may put words before the first one. */
bool omptape_process_is_writer_of(pid_t pid, pid_t program);

#endif
