/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What /proc/PID/task/TID tells of a thread. Any thread of the writer's process.
 */
#pragma once

#include "writers/state/sched.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the kernel tells of the machine's processors. Any thread. */
/* A set of processors: a bit for each. */
enum { OMPTAPE_PROCESSOR_WORDS = 256 };
struct omptape_processor_set {
    uint64_t words[OMPTAPE_PROCESSOR_WORDS];
    size_t count; /* of the words that are used */
};

/* The processors that the thread may run on (0: the one that asks). False: it is gone, or nothing is known.
 */
bool omptape_machine_allowed(uint32_t tid, struct omptape_processor_set *set);

/* Sums since the machine was started, ns. */
struct omptape_processor_times {
    uint64_t busy;   /* with anything */
    uint64_t stolen; /* by the hypervisor */
    uint64_t all;    /* the time that went by */
};

/* Reads the file `path` (/proc/stat) for the processors in the set, all together. False: nothing is known. */
bool omptape_machine_times(const char *path, const struct omptape_processor_set *set,
                           struct omptape_processor_times *times);

/* `schedstat` of some threads stays open: opening takes three times as long as reading. A thread's place is
 * its number's remainder; another one with the same takes its place. */
enum { OMPTAPE_THREAD_FILES_OPEN = 128 };
struct omptape_thread_files {
    int tasks;       /* the folder /proc/PID/task; the owner's */
    uint32_t places; /* so many are used; the others are empty */
    struct {
        uint32_t tid; /* 0: empty */
        int fd;
    } open[OMPTAPE_THREAD_FILES_OPEN];
};

/* Takes no more than an eighth of the files that the process may have open. */
void omptape_thread_files_init(struct omptape_thread_files *files, int tasks);
/* Closes all but `tasks`. */
void omptape_thread_files_close(struct omptape_thread_files *files);

/* `schedstat`: reads processor time and time on a run queue; leaves the other sums. A read takes about 1 us,
 * and none of the program's time. 0; -ESRCH: the thread is gone, or the kernel does not count. */
int omptape_thread_files_times(struct omptape_thread_files *files, uint32_t tid,
                               struct omptape_sched_reading *reading);

/* `tasks`: the open folder /proc/PID/task. */

/* As the kernel shows it: a line feed and a backslash are escaped. */
enum { OMPTAPE_THREAD_NAME_BYTES = 64 };

/* What is no sum. */
struct omptape_thread_details {
    char state; /* 'R', 'S', 'D', ... */
    char name[OMPTAPE_THREAD_NAME_BYTES];
};

/* `stat` and `status`: reads the other sums, and the details. About 12 us. 0 or negative errno: nothing was
 * changed. */
int omptape_thread_files_details(int tasks, uint32_t tid, struct omptape_sched_reading *reading,
                                 struct omptape_thread_details *details);
/* `stat`: its state. About 4 us. 0: not known. */
char omptape_thread_files_state(int tasks, uint32_t tid);

/* What a thread that sleeps has called of the kernel. */
struct omptape_thread_call {
    int64_t number; /* of the system call; -1: none */
    uint64_t stack_pointer;
    uint64_t program_counter;
};

/* 0; -EAGAIN: the thread does not sleep; or another negative errno. About 5 us. */
int omptape_thread_files_call(int tasks, uint32_t tid, struct omptape_thread_call *call);

/* True if the program is not dumpable: the kernel gives its files to another user. */
bool omptape_thread_files_are_private(int tasks, uint32_t tid);

/* The threads' numbers, sorted: *tids, which the caller frees. Returns how many; negative errno: nothing is
 * known. */
int omptape_thread_files_list(int tasks, uint32_t **tids);
