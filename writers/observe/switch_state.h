/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ring of one thread and the state of its context switches. Used by switch_rings.c, which opens the
 * rings, and by switches.c, which reads them.
 */
#pragma once

#include "src/core/clock.h"
#include "writers/observe/ring.h"
#include "writers/observe/switches.h"

/* OMPTAPE_SWITCH_UNKNOWN is the state before the first switch. OMPTAPE_SWITCH_LOST follows lost records:
 * neither the state nor the time is known. */
enum omptape_switch_state {
    OMPTAPE_SWITCH_UNKNOWN,
    OMPTAPE_SWITCH_LOST,
    OMPTAPE_SWITCH_ON,
    OMPTAPE_SWITCH_PREEMPTED,
    OMPTAPE_SWITCH_ASLEEP
};

struct omptape_switches {
    uint32_t tid;
    struct omptape_ring ring;
    enum omptape_switch_state state;
    bool sampled;                      /* the ring has samples */
    struct omptape_counters *counters; /* the samples have these values; NULL if they have none */
    struct omptape_counter_group group;
    bool starved;     /* samples have no counters because these were rarely counted */
    bool deep;        /* samples have a larger stack copy */
    uint32_t cut;     /* number of stack copies that were too small */
    bool is_recorded; /* the reading at the begin of this time without a processor was recorded */
    bool lost;        /* records were lost since the last reading from /proc */
    uint64_t count;   /* recorded switches to the thread */
    uint64_t since;   /* by omptape_switches_raw_ns */
    uint64_t running;
    uint64_t preempted;         /* run-queue time after preemptions, ns */
    uint64_t woken;             /* run-queue time after wake-ups, ns, by the newest reading from /proc */
    uint64_t slept_since;       /* begin of the sleep in which the thread was last looked at */
    struct omptape_sleep sleep; /* what was found then */
};

/* One moment on both clocks. */
struct omptape_switch_moment {
    uint64_t time; /* time of the trace */
    uint64_t raw;  /* by omptape_switches_raw_ns */
};

/* switch_rings.c: Returns CLOCK_MONOTONIC_RAW as the rings' records have it, ns: without a time namespace's
 * offset. */
uint64_t omptape_switches_raw_ns(void);

/* Reads both clocks. Repeats that if the writer had no processor between the readings. */
static inline struct omptape_switch_moment omptape_switches_clocks(struct omptape_writer *writer)
{
    enum { MAX_READINGS = 4, PART_OF_SECOND = 100000 };
    struct omptape_switch_moment best = {.time = 0};
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < MAX_READINGS && shortest > writer->timeline.second / PART_OF_SECOND; i++) {
        const uint64_t before = omptape_timeline_now(&writer->timeline);
        const uint64_t raw = omptape_switches_raw_ns();
        const uint64_t apart = omptape_timeline_now(&writer->timeline) - before;
        if (apart >= shortest)
            continue;
        shortest = apart;
        best = (struct omptape_switch_moment){.time = before + apart / 2, .raw = raw};
    }
    return best;
}

/* switch_rings.c: Opens an event of the thread as for the program's threads, with a ring of so many pages
 * that nobody reads. Returns 0 or negative errno. */
int omptape_switches_map(struct omptape_switch_rings *rings, struct omptape_switches *switches,
                         uint32_t pages);
void omptape_switches_unmap(struct omptape_switches *switches);

/* switches.c: Reads the records of the location's ring. `now` is the current moment. */
void omptape_switches_read(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                           struct omptape_location *location, const struct omptape_switch_moment *now);
