/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads /proc/PID. Called by the library and the command, on any thread. Allocates nothing except in
 * omptape_process_activity.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads /proc/PID/`name` into `text`, truncated to `bytes`; "" if it cannot be read. `pid` 0 is the calling
 * process. Returns the length. */
size_t omptape_process_read(pid_t pid, const char *name, char *text, size_t bytes);

/* Returns the parent's process number, or 0 if it is unknown. */
pid_t omptape_process_parent(pid_t pid);

/* Writes the path of the calling process's executable. Returns false if it is unknown. */
bool omptape_process_own_path(char *path, size_t bytes);

/* Returns a number that grows while any thread of the process runs or is switched. It does not change while
 * the process is stopped (SIGSTOP) or frozen by its cgroup. 0: unknown. */
uint64_t omptape_process_activity(pid_t pid);

/* How long the observed processes have shown no activity. Initialised with zeros. */
struct omptape_process_silence {
    uint64_t activity;
    double looked; /* seconds of CLOCK_MONOTONIC */
    double lasts;  /* seconds */
};

/* Updates `silence`; called about once a second. `activity`: the sum over the observed processes, 0 if one is
 * unknown. Returns true after ten seconds without a change, the time a program waits for its writer. Time in
 * which the caller itself was stopped is not counted. */
bool omptape_process_is_silent(struct omptape_process_silence *silence, uint64_t activity);

/* Waits for a child. Returns 0 with `status` as from waitpid; -ETIMEDOUT if the child has been stopped
 * (SIGSTOP) for ten seconds; or another negative errno. */
int omptape_process_await(pid_t child, int *status);

/* Returns true if the process is an omptape-writer. */
bool omptape_process_is_writer(pid_t pid);

/* Returns true if the process is the writer of `program`, by its last argument. The first argument is not
 * used, because an emulator may insert arguments before it. */
bool omptape_process_is_writer_of(pid_t pid, pid_t program);
