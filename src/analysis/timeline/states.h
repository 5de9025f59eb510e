/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread's states between two scheduler readings: shares of time on a processor and waiting for one. If
 * context switches are recorded, there is a reading at each, so the thread mostly was in one state. One
 * thread.
 */
#pragma once

#include "src/archive/read/reader.h"

/* All zeros except the reader: no class has been looked up. */
struct timeline_kernel {
    const struct omptape_reader *reader;
    uint64_t class; /* metric class that was looked up last */
    bool is_known;  /* a class was looked up */
    bool is_sums;   /* that class contains a thread's scheduler sums */
};

/* A thread's sums in ns at one time. All zeros: no reading yet. */
struct timeline_reading {
    uint64_t time;
    uint64_t running;
    uint64_t queued;
};

/* Shares of the time between two readings; in the rest the thread was blocked. */
struct timeline_states {
    uint64_t from;
    uint64_t to;
    double running;
    double queued;
};

/* Returns true if the event is a scheduler reading of a thread. */
bool omptape_timeline_is_reading(struct timeline_kernel *kernel, const struct omptape_event *event);

/* Computes the states since the thread's last reading; before the first one since `begin`, because the sums
 * begin with the thread. Stores the event as the last reading. False if the event contains no information. */
bool omptape_timeline_read_states(const struct timeline_kernel *kernel, struct timeline_reading *last,
                                  const struct omptape_event *event, uint64_t begin,
                                  struct timeline_states *did);
