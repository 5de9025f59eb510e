/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What events mean for the location that they are of: the one place that knows which regions are open there.
 * The reader's events come in, in the order of time (src/reader/reader.h: struct omptape_event); who observes
 * the replay is called for each region that begins or ends.
 *
 * Rules: an Enter opens a region, also one that is not defined. A Leave ends the innermost visit of its
 * region and all that is open in it; a Leave of a region that is not open is passed over. What is open at the
 * end of the events ends there.
 *
 * An observer that needs each instruction (src/analysis) uses the stack (stack.h) directly and keeps the same
 * rules. One thread.
 */
#ifndef OMPTAPE_REPLAY_REPLAY_H
#define OMPTAPE_REPLAY_REPLAY_H

#include "src/reader/reader.h"
#include "src/replay/stack.h"

#include <stdbool.h>

/* The functions may be NULL. `data` is what the caller of the replay hands over. */
struct replay_observer {
    size_t frame_bytes; /* of the observer's struct for a frame, which begins with struct replay_frame */
    /* A region has begun: it is the innermost. What is behind struct replay_frame has no value yet. */
    void (*enter)(void *data, struct replay_location *location, struct replay_frame *frame,
                  const struct omptape_event *event);
    /* A region ends: it still is the innermost. */
    void (*leave)(void *data, struct replay_location *location, struct replay_frame *frame, uint64_t time);
};

/* An event of the location; `time` is the event's, as the observer counts it. Events that begin or end no
 * region change nothing. False: no memory. */
bool replay_follow(const struct replay_observer *observer, void *data, struct replay_location *location,
                   const struct omptape_event *event, uint64_t time);

/* All that is open ends. */
void replay_end(const struct replay_observer *observer, void *data, struct replay_location *location,
                uint64_t time);

/* Is the region of this open frame open below it, too? */
bool replay_is_nested(const struct replay_location *location, const struct replay_frame *frame,
                      size_t frame_bytes);

/* Forgets what is open. */
void replay_free(struct replay_location *location);

#endif
