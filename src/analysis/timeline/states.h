/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel says of a thread between two of its readings. It was on a processor for some of the time,
 * and waited for one for some. Where context switches are recorded, readings are at these: it mostly did one
 * thing. One thread.
 */
#pragma once

#include "src/archive/read/reader.h"

/* All zeros but for the reader: no class is known yet. */
struct timeline_kernel {
    const struct omptape_reader *reader;
    uint64_t class; /* of metrics, the last one that was looked up, */
    bool is_known;  /* ...if any was, */
    bool is_sums;   /* ...and whether it has the kernel's sums for a thread */
};

/* A thread's sums in ns at one time. All 0: there was none yet. */
struct timeline_reading {
    uint64_t time;
    uint64_t running;
    uint64_t queued;
};

/* Shares of the time between two readings; the thread was blocked in the rest. */
struct timeline_states {
    uint64_t from;
    uint64_t to;
    double running;
    double queued;
};

/* Is the event a reading of a thread's sums? */
bool omptape_timeline_is_reading(struct timeline_kernel *kernel, const struct omptape_event *event);

/* What the thread did since its last reading, or since `begin`: its sums began when it was made. The event
 * becomes the last reading. False: it says nothing. */
bool omptape_timeline_read_states(const struct timeline_kernel *kernel, struct timeline_reading *last,
                                  const struct omptape_event *event, uint64_t begin,
                                  struct timeline_states *did);
