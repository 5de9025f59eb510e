/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What events mean for the location that they are of: the one place that knows which regions are open there.
 * Events come from the reader in the order of time (src/archive/read/reader.h: struct omptape_event). The
 * observer of the replay is called for each region that begins or ends.
 *
 * Rules: an Enter opens a region, also one that is not defined. A Leave ends the innermost visit of its
 * region and all that is open in it. A Leave of a region that is not open has no effect. What is open at the
 * end of the events ends there.
 *
 * All of it is compiled into the observer, which is constant: there are no calls through pointers. The
 * analysis uses the stack (stack.h) directly, by the same rules, as it books time before the stack changes.
 * One thread.
 */
#ifndef OMPTAPE_REPLAY_REPLAY_H
#define OMPTAPE_REPLAY_REPLAY_H

#include "src/archive/read/reader.h"
#include "src/replay/stack.h"

#include <stdbool.h>
#include <stdlib.h>

/* The functions may be NULL. `data` is what the caller of the replay hands over. */
struct replay_observer {
    size_t frame_bytes; /* of the observer's struct for a frame, which begins with struct replay_frame */
    /* A region has begun: it is the innermost. What is behind struct replay_frame has no value yet. */
    void (*enter)(void *data, struct replay_location *location, struct replay_frame *frame,
                  const struct omptape_event *event);
    /* A region ends: it still is the innermost. */
    void (*leave)(void *data, struct replay_location *location, struct replay_frame *frame, uint64_t time);
};

/* A region begins. */
static inline bool replay_enter(const struct replay_observer *observer, void *data,
                                struct replay_location *location, const struct omptape_event *event,
                                uint64_t time)
{
    struct replay_frame *frame = replay_push(location, observer->frame_bytes, event->refs[0].id, time);
    if (frame == NULL)
        return false;
    if (observer->enter != NULL)
        observer->enter(data, location, frame, event);
    return true;
}

/* What is above so many frames ends. */
static inline void replay_leave_to(const struct replay_observer *observer, void *data,
                                   struct replay_location *location, uint32_t depth, uint64_t time)
{
    while (location->depth > depth) {
        if (observer->leave != NULL)
            observer->leave(data, location, replay_top(location, observer->frame_bytes), time);
        location->depth--;
    }
}

/* An event of the location; `time` is the event's, as the observer counts it. Events that begin or end no
 * region change nothing. False: no memory. */
static inline bool replay_follow(const struct replay_observer *observer, void *data,
                                 struct replay_location *location, const struct omptape_event *event,
                                 uint64_t time)
{
    if (event->kind == OMPTAPE_EVENT_ENTER)
        return replay_enter(observer, data, location, event, time);
    if (event->kind == OMPTAPE_EVENT_LEAVE) {
        const uint32_t depth = replay_depth_of(location, observer->frame_bytes, event->refs[0].id);
        if (depth > 0)
            replay_leave_to(observer, data, location, depth - 1, time);
    }
    return true;
}

/* All that is open ends. */
static inline void replay_end(const struct replay_observer *observer, void *data,
                              struct replay_location *location, uint64_t time)
{
    replay_leave_to(observer, data, location, 0, time);
}

/* Is the region of this open frame open below it, too? */
static inline bool replay_is_nested(const struct replay_location *location, const struct replay_frame *frame,
                                    size_t frame_bytes)
{
    const struct replay_location below = {
        .frames = location->frames,
        .depth = (uint32_t)((size_t)((const char *)frame - location->frames) / frame_bytes)};
    return replay_depth_of(&below, frame_bytes, frame->region) > 0;
}

/* Forgets what is open. */
static inline void replay_free(struct replay_location *location)
{
    free(location->frames);
    *location = (struct replay_location){.frames = NULL};
}

#endif
