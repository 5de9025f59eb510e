/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Splits a device stream's time into intervals between events, each with the innermost open region. (The
 * analysis does this for threads.) Used by pyramid.c and windows.c, which keep a stream for each location.
 *
 * Units: ticks. One thread. A Leave without an open region is skipped.
 */
#pragma once

#include "src/core/buckets.h"
#include "src/replay/replay.h"

/* All zeros: before the first event. */
struct omptape_device_stream {
    struct replay_location replay;
    uint64_t until; /* last event */
};

struct omptape_stream_interval {
    const struct omptape_definition *region; /* NULL: idle */
    enum omptape_bucket bucket;
    uint64_t from;
    uint64_t to; /* equal to `from`: no interval */
};

/* Handles the stream's next event, and returns the interval since the previous one. */
void omptape_stream_event(struct omptape_device_stream *stream, const struct omptape_reader *reader,
                          const struct omptape_event *event, struct omptape_stream_interval *interval);
void omptape_stream_free(struct omptape_device_stream *stream);
