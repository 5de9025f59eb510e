/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses /proc/PID/stat. Called by the library, the writer and the command, on any thread. Needs about one
 * kilobyte of stack; allocates nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct omptape_process_stat {
    char state; /* 'R', 'S', 'Z', ... */
    int32_t parent;
    uint64_t processor; /* processor time, in ticks as `start`; */
    uint64_t system;    /* ...its part in the kernel */
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t start;    /* time of the fork, in ticks of sysconf(_SC_CLK_TCK) since boot; exec keeps it */
    int32_t exit_code; /* of a dead process, as from wait(); 0 unless the caller may trace the process */
};

/* Reads the file `path`, relative to the descriptor `folder` (or AT_FDCWD). Returns 0; -ESRCH if the process
 * has ended while the file was open; or another negative errno, -ENOENT if the file does not exist. Fields
 * that an older kernel lacks are 0. */
int omptape_process_stat(int folder, const char *path, struct omptape_process_stat *stat);
/* The same for a process number. */
int omptape_process_stat_of(int32_t pid, struct omptape_process_stat *stat);

/* Returns true if /proc shows the process numbers of the caller's PID namespace. */
bool omptape_process_numbers_are_own(void);

/* Returns true for a zombie or dead process. */
static inline bool omptape_process_is_dead(const struct omptape_process_stat *stat)
{
    return stat->state == 'Z' || stat->state == 'X';
}

/* Returns true if the process has been stopped (SIGSTOP) for ten seconds. Called repeatedly: `ns` is the time
 * since the last call, *stopped is initialised with 0. */
bool omptape_process_is_stopped(int32_t pid, uint64_t ns, uint64_t *stopped);
