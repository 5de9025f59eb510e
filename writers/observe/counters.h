/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters of the program's threads (--counters). The events are members of a group that the thread's samples
 * lead, so that the kernel writes their values into each sample. They are opened from outside: the program
 * has none of their descriptors. On the writer's main thread.
 */
#pragma once

#include "writers/observe/counter_names.h"
#include "writers/state/writer.h"

#include <stdbool.h>
#include <stdint.h>

enum { OMPTAPE_COUNTERS_WHY_BYTES = 160 };

/* Those of a process. The first is the processor time, which the samples' own event counts. */
struct omptape_counters {
    struct omptape_counter list[OMPTAPE_COUNTERS_MOST];
    uint32_t count;           /* 0: none are counted */
    bool asked;               /* the user named them */
    uint64_t readings;        /* that were taken, */
    uint64_t scaled;          /* ...of these such that the events were not counted all the time, */
    uint64_t dropped;         /* ...and such that they were counted for too small a part of it */
    uint32_t refused_threads; /* that are sampled without them */
    char why[OMPTAPE_COUNTERS_WHY_BYTES]; /* why there are none, or one is left out; empty: all are there */
};

/* A thread's. */
struct omptape_counter_group {
    int fds[OMPTAPE_COUNTERS_MOST]; /* the leader's first; -1: not opened */
    uint64_t enabled;               /* at the reading that was taken last: ns, */
    uint64_t running;               /* ...and for how much of that they counted */
    uint64_t counts[OMPTAPE_COUNTERS_MOST];
    uint64_t switches;   /* records of them so far, */
    uint64_t migrations; /* ...and of these such that the thread went on elsewhere */
    uint32_t processor;  /* + 1: the last one it was on; 0: not known */
    uint64_t leader;     /* the kernel's number of that event */
    uint32_t dropped;    /* readings one after the other */
};

/* Looks up the names, and tests whether the kernel counts them all at once. `devices`: counter_names.h. */
void omptape_counters_start(struct omptape_counters *counters, const struct omptape_settings *settings,
                            const char *devices);

/* Makes a sampling event that is to lead a group one that writes their values. Page faults are sampled as
 * well if they are counted: in the kernel, where the thread is then, there are no samples of its time. */
void omptape_counters_ask(const struct omptape_counters *counters, struct perf_event_attr *leader);

/* The counter that is sampled; 0: none is. */
uint32_t omptape_counters_sampled(const struct omptape_counters *counters);

/* Opens the others of the group that `leader` leads, of thread `tid`; the group has `leader` then, too. Their
 * samples go into the leader's ring, which is mapped. `asked`: how the leader was opened. 0 or negative
 * errno: nothing was opened. */
int omptape_counters_open(const struct omptape_counters *counters, int leader, uint32_t tid,
                          const struct perf_event_attr *asked, struct omptape_counter_group *group);
void omptape_counters_close(struct omptape_counter_group *group);

/* Notes that the thread left a processor, or went on on one. */
void omptape_counters_note_switch(struct omptape_counter_group *group, bool off, uint32_t processor);

/* Takes the values out of a PERF_RECORD_SAMPLE of *bytes, which is without them then, and adds what was
 * counted since the last reading to `sums`. *timed: it is the leader's, of the thread's time, and not of page
 * faults. False: there are none to be believed. */
bool omptape_counters_take(struct omptape_counters *counters, struct omptape_counter_group *group,
                           unsigned char *record, size_t *bytes, bool *timed,
                           uint64_t sums[OMPTAPE_COUNTERS_MOST]);

/* Reads the values of now, and adds as well. */
bool omptape_counters_read(struct omptape_counters *counters, struct omptape_counter_group *group,
                           uint64_t sums[OMPTAPE_COUNTERS_MOST]);

/* Were the group's events counted for too little of the time, again and again? Then its thread is better
 * sampled without them: the samples come only while they are counted. */
bool omptape_counters_is_starved(const struct omptape_counter_group *group);

/* One line on what the user asked for and does not get. False: nothing. */
bool omptape_counters_explain(const struct omptape_counters *counters, char *text, size_t bytes);
