/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What devices' streams do, stretch by stretch: the innermost region that is open on one, from event to
 * event. (Threads' time is the analysis'.) Used by pyramid.c and windows.c, which keep a stream for each
 * location.
 *
 * Units: ticks. One thread. A Leave of something that is not open is passed over.
 */
#pragma once

#include "src/core/buckets.h"
#include "src/replay/replay.h"

/* All zeros is one before its first event. */
struct omptape_device_stream {
    struct replay_location replay;
    uint64_t until; /* the last event */
};

struct omptape_stream_stretch {
    const struct omptape_definition *region; /* NULL: idle */
    enum omptape_bucket bucket;
    uint64_t from;
    uint64_t to; /* as `from`: there was nothing before */
};

/* The stream's next event: what it did since the one before. */
void omptape_stream_event(struct omptape_device_stream *stream, const struct omptape_reader *reader,
                          const struct omptape_event *event, struct omptape_stream_stretch *stretch);
void omptape_stream_free(struct omptape_device_stream *stream);
