/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads /proc/PID/task/TID and /proc/stat. May be called on any thread of the writer's process.
 */
#pragma once

#include "writers/state/sched.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of processors, one bit for each. */
enum { OMPTAPE_PROCESSOR_WORDS = 256 };
struct omptape_processor_set {
    uint64_t words[OMPTAPE_PROCESSOR_WORDS];
    size_t count; /* number of used words */
};

/* Reads the processors that the thread may use (0: the calling thread). False if it is gone or on failure. */
bool omptape_machine_allowed(uint32_t tid, struct omptape_processor_set *set);

/* Sums since the machine was started, ns. */
struct omptape_processor_times {
    uint64_t busy;   /* executing anything */
    uint64_t nice;   /* part of `busy`: user code of programs with a positive nice value */
    uint64_t stolen; /* taken by the hypervisor */
    uint64_t all;    /* elapsed time */
};

/* Sums up the lines of the set's processors in the file `path` (/proc/stat). Returns false if it has none. */
bool omptape_machine_times(const char *path, const struct omptape_processor_set *set,
                           struct omptape_processor_times *times);

/* Returns the count of NUMA balancing's page faults in the file `path` (/proc/vmstat); 0 if it has none. */
uint64_t omptape_machine_numa_faults(const char *path);

/* Cache of open `schedstat` files, because opening takes three times as long as reading. A thread's slot is
 * its number modulo the number of slots; a new thread replaces the old one. */
enum { OMPTAPE_THREAD_FILES_OPEN = 128 };
struct omptape_thread_files {
    int tasks;       /* descriptor of /proc/PID/task; owned by the caller */
    uint32_t places; /* number of slots in use */
    struct {
        uint32_t tid; /* 0 if the slot is empty */
        int fd;
    } open[OMPTAPE_THREAD_FILES_OPEN];
};

/* Initialises the cache. It uses at most an eighth of the process's limit of open files. */
void omptape_thread_files_init(struct omptape_thread_files *files, int tasks);
/* Closes all files, but not `tasks`. */
void omptape_thread_files_close(struct omptape_thread_files *files);

/* Reads processor time and run-queue time from `schedstat`; the other sums stay. A call takes about 1 us, and
 * none of the program's time. Returns 0, or -ESRCH if the thread is gone or the kernel does not count. */
int omptape_thread_files_times(struct omptape_thread_files *files, uint32_t tid,
                               struct omptape_sched_reading *reading);

/* In the functions below `tasks` is a descriptor of /proc/PID/task. */

/* Size of a name as the kernel shows it, with line feeds and backslashes escaped. */
enum { OMPTAPE_THREAD_NAME_BYTES = 64 };

/* Values of a thread that are not sums. */
struct omptape_thread_details {
    char state; /* 'R', 'S', 'D', ... */
    char name[OMPTAPE_THREAD_NAME_BYTES];
    uint64_t peak_memory; /* the most that its process had resident until now, bytes; 0 if unknown */
};

/* Reads other sums and details from `stat` and `status`, in about 12 us. Returns 0, or negative errno. */
int omptape_thread_files_details(int tasks, uint32_t tid, struct omptape_sched_reading *reading,
                                 struct omptape_thread_details *details);
/* Returns the state from `stat`, or 0 if unknown. Takes about 4 us. */
char omptape_thread_files_state(int tasks, uint32_t tid);

/* The system call in which a thread sleeps. */
struct omptape_thread_call {
    int64_t number;        /* of the system call; -1 if the thread is in none */
    uint64_t arguments[3]; /* the call's first ones */
    uint64_t stack_pointer;
    uint64_t program_counter;
};

/* Returns 0, -EAGAIN if the thread does not sleep, or another negative errno. Takes about 5 us. */
int omptape_thread_files_call(int tasks, uint32_t tid, struct omptape_thread_call *call);

/* Returns true if the program is not dumpable: its files then belong to another user. */
bool omptape_thread_files_are_private(int tasks, uint32_t tid);

/* Compares two thread numbers (uint32_t) for qsort and bsearch. */
int omptape_compare_tids(const void *left, const void *right);

/* Lists the threads' numbers, sorted; the caller frees *tids. Returns their number or negative errno. */
int omptape_thread_files_list(int tasks, uint32_t **tids);
