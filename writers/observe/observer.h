/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State of the observer: what observe.c reads and properties.c writes into the archive.
 */
#pragma once

#include "src/core/quota.h"
#include "writers/observe/energy.h"
#include "writers/observe/observe.h"
#include "writers/observe/others.h"
#include "writers/observe/sleepers.h"
#include "writers/observe/switches.h"

/* Longest time between two readings of a thread if there are few threads. */
enum { OMPTAPE_OBSERVER_PERIOD_NS = 100000000 };

/* State of the machine and the process, read once at the start and once at the end. */
struct omptape_surroundings {
    struct omptape_quota quota;
    struct omptape_processor_times times;
    bool times_known;
    uint64_t numa_faults;  /* OMPTAPE_KEY_NUMA_FAULTS since the machine was started */
    uint64_t processor_ns; /* processor time of all of the process's threads, also ended ones; 0 if unknown */
};

struct omptape_observer {
    int process; /* descriptor of the program's folder in /proc; owned by the watch */
    int tasks;   /* descriptor of its folder "task" */
    struct omptape_thread_files files;
    uint64_t begin;
    uint64_t next;
    uint64_t details_ns; /* processor time that reading details has taken */
    uint32_t at;         /* last thread read, an index of omptape_others_thread_at */
    uint32_t next_look;  /* index of the thread that is looked at next, if `has_next` */
    bool has_next;
    uint64_t next_list;
    uint64_t links; /* link count of the folder "task", which grows with the number of threads */
    struct omptape_others others;
    struct omptape_switch_rings rings;
    struct omptape_sleepers sleepers;
    struct omptape_energy energy;
    struct omptape_processor_set allowed; /* processors of the process at the start; .count is 0 if unknown */
    struct omptape_surroundings at_start;
    struct omptape_surroundings at_end;
    uint64_t peak_memory; /* OMPTAPE_KEY_PEAK_MEMORY until now, 0 if unknown */
    uint64_t gone_ns;     /* processor time of threads that ended before the start, part of processor_ns */
    uint64_t end_time;    /* time of the trace at which the last reading began */
    bool ended;
    bool is_nice;    /* the program has a positive nice value, or its value is unknown */
    bool incomplete; /* the recording ended before the program: some threads of OpenMP may be unknown */
};
