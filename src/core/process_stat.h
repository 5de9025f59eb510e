/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel says of a process in /proc/PID/stat. Library, writer, command; any thread, which needs a
 * little more than a kilobyte of stack. Allocates nothing.
 */
#ifndef OMPTAPE_CORE_PROCESS_STAT_H
#define OMPTAPE_CORE_PROCESS_STAT_H

#include <stdbool.h>
#include <stdint.h>

struct omptape_process_stat {
    char state; /* 'R', 'S', 'Z', ... */
    int32_t parent;
    uint64_t processor; /* what it has had of processors, in the ticks of `start`; */
    uint64_t system;    /* ...of this in the kernel */
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t start;    /* when it was forked (exec keeps that), in ticks of sysconf(_SC_CLK_TCK) since boot */
    int32_t exit_code; /* as wait() tells it; of a dead process, to who may trace it */
};

/* Reads the file `path`, seen from the open folder `folder` (or AT_FDCWD). 0; -ESRCH if the process is gone;
 * another negative errno if nothing is known: -ENOENT where the file is not there at all. Numbers that an
 * older kernel leaves out are 0. */
int omptape_process_stat(int folder, const char *path, struct omptape_process_stat *stat);
/* The same by the process's number. */
int omptape_process_stat_of(int32_t pid, struct omptape_process_stat *stat);

/* Only its parent still has to take note of its end. */
static inline bool omptape_process_is_dead(const struct omptape_process_stat *stat)
{
    return stat->state == 'Z' || stat->state == 'X';
}

/* Has somebody stopped the process (SIGSTOP) for ten seconds? To be asked again and again: `ns` have passed
 * since the last time, *stopped is zero at the beginning. */
bool omptape_process_is_stopped(int32_t pid, uint64_t ns, uint64_t *stopped);

#endif
