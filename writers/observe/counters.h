/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the counters of the program's threads (--counters). The events are members of a group whose leader is
 * the thread's sampling event, so the kernel writes their values into each sample. The writer opens the
 * events: the program has none of their descriptors. Called on the writer's main thread.
 */
#pragma once

#include "writers/state/writer.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OMPTAPE_COUNTER_NAME_BYTES = 64 };

/* Source of a counter's values: a perf event, or the context switches in the thread's ring. The switches can
 * be counted without privilege. */
enum omptape_counter_source { OMPTAPE_COUNTER_PERF, OMPTAPE_COUNTER_SWITCHES, OMPTAPE_COUNTER_MIGRATIONS };

/* One event. `event` has type, config and the exclude flags; its other fields are zero. */
struct omptape_counter {
    char name[OMPTAPE_COUNTER_NAME_BYTES];
    enum omptape_counter_source source;
    struct perf_event_attr event;
};

/* Looks up one event: "cycles", "L1-dcache-load-misses", "r01c2", "cpu/event=0xc0,umask=1/", a name in
 * `devices`/PMU/events, or a name of libpfm4. A suffix selects what is counted: ":u" the program (the
 * default), ":k" the kernel, ":uk" both. `devices` is /sys/bus/event_source/devices. Returns 0, -ENOENT if
 * there is no such event, or -EINVAL if a term is wrong or the text is too long. */
int omptape_counter_lookup(const char *devices, const char *text, struct omptape_counter *counter);

/* Copies the first event of a list ("a,b/x,y/,c") into `text`. Returns the rest, or NULL after the last
 * event. */
const char *omptape_counter_split(const char *list, char *text, size_t bytes);

enum { OMPTAPE_COUNTERS_WHY_BYTES = 160 };

/* The counters of a process. The first one is the processor time, which the sampling event itself counts. */
struct omptape_counters {
    struct omptape_counter list[OMPTAPE_MAX_COUNTERS];
    uint32_t count;                       /* 0 if nothing is counted */
    bool asked;                           /* true if the user named them */
    uint64_t readings;                    /* number of readings */
    uint64_t scaled;                      /* readings whose events were not counted all the time */
    uint64_t dropped;                     /* readings that were dropped: counted for too little time */
    uint32_t refused_threads;             /* threads sampled without counters */
    char why[OMPTAPE_COUNTERS_WHY_BYTES]; /* first reason why a counter is missing; empty if none is */
};

/* The counters of one thread. */
struct omptape_counter_group {
    int fds[OMPTAPE_MAX_COUNTERS]; /* the leader's first; -1 if not opened */
    uint64_t enabled;              /* time enabled at the last reading, ns */
    uint64_t running;              /* part of `enabled` in which the events were counted, ns */
    uint64_t counts[OMPTAPE_MAX_COUNTERS];
    uint64_t switches;   /* context switches so far */
    uint64_t migrations; /* switches onto another processor than before */
    uint32_t processor;  /* last processor + 1; 0 if unknown */
    uint64_t leader;     /* the kernel's id of the leader */
    uint32_t dropped;    /* consecutive dropped readings */
};

/* Looks up the events and tests whether the kernel counts all of them at the same time. `devices` is the
 * folder of omptape_counter_lookup. */
void omptape_counters_start(struct omptape_counters *counters, const struct omptape_settings *settings,
                            const char *devices);

/* Prepares a sampling event as the leader of a group, whose values the kernel then writes into each sample.
 * If page faults are counted, they are sampled as well: the time samples do not cover a thread in the kernel.
 */
void omptape_counters_configure(const struct omptape_counters *counters, struct perf_event_attr *leader);

/* Returns the index of the counter that is sampled, or 0 if none is. */
uint32_t omptape_counters_sampled(const struct omptape_counters *counters);

/* Opens the other events of thread `tid` in the group of `leader`; the group owns `leader` afterwards. The
 * samples of these events go into the leader's ring, which must be mapped. `asked` holds the leader's
 * attributes. Returns 0, or negative errno after which no event is open. */
int omptape_counters_open(const struct omptape_counters *counters, int leader, uint32_t tid,
                          const struct perf_event_attr *asked, struct omptape_counter_group *group);
void omptape_counters_close(struct omptape_counter_group *group);

/* Notes that the thread left its processor (`off`), or continued on `processor`. */
void omptape_counters_note_switch(struct omptape_counter_group *group, bool off, uint32_t processor);

/* Removes the counters' values from a PERF_RECORD_SAMPLE of *bytes and adds the increase since the last
 * reading to `sums`. Sets *timed to true for a sample of the leader (processor time) and to false for a page
 * fault. Returns false if the values are unusable. */
bool omptape_counters_decode(struct omptape_counters *counters, struct omptape_counter_group *group,
                             unsigned char *record, size_t *bytes, bool *timed,
                             uint64_t sums[OMPTAPE_MAX_COUNTERS]);

/* Reads the current values and adds the increase to `sums`. Returns false if they are unusable. */
bool omptape_counters_read(struct omptape_counters *counters, struct omptape_counter_group *group,
                           uint64_t sums[OMPTAPE_MAX_COUNTERS]);

/* Returns true if the group's events were counted for too little time in several consecutive readings. The
 * thread should then be sampled without counters, because samples arrive only while the group is counted. */
bool omptape_counters_is_starved(const struct omptape_counter_group *group);

/* Writes one line about counters that the user asked for and does not get. Returns false if there are none.
 */
bool omptape_counters_explain(const struct omptape_counters *counters, char *text, size_t bytes);
