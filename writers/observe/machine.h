/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel tells of the machine's processors. Any thread.
 */
#ifndef OMPTAPE_WRITERS_OBSERVE_MACHINE_H
#define OMPTAPE_WRITERS_OBSERVE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
