/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replays a location's events and maintains its stack of open regions. Events come from the reader in order
 * of time (src/archive/read/reader.h: struct omptape_event). An observer is called for each region that
 * begins or ends.
 *
 * Rules: an Enter opens a region, even an undefined one. A Leave ends the innermost visit of its region and
 * all regions inside it. A Leave of a region that is not open is ignored. Regions that are open after the
 * last event end with it.
 *
 * The functions are inlined with a constant observer, so there are no calls through pointers. The analysis
 * uses the stack (stack.h) directly, because it assigns time before the stack changes. One thread.
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/replay/stack.h"

#include <stdbool.h>
#include <stdlib.h>

/* Callbacks of the replay; both may be NULL. `data` is the caller's. */
struct replay_observer {
    size_t frame_bytes; /* size of the observer's frame struct, which begins with struct replay_frame */
    /* A region has begun and is the innermost. The observer's part of the frame is uninitialised. */
    void (*enter)(void *data, struct replay_location *location, struct replay_frame *frame,
                  const struct omptape_event *event);
    /* A region ends and is still the innermost. */
    void (*leave)(void *data, struct replay_location *location, struct replay_frame *frame, uint64_t time);
};

/* Opens a region. Returns false if out of memory. */
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

/* Ends regions until `depth` frames are left. */
static inline void replay_leave_to(const struct replay_observer *observer, void *data,
                                   struct replay_location *location, uint32_t depth, uint64_t time)
{
    while (location->depth > depth) {
        if (observer->leave != NULL)
            observer->leave(data, location, replay_top(location, observer->frame_bytes), time);
        location->depth--;
    }
}

/* Replays an event of the location. `time` is the event's time in the observer's unit. Events other than
 * Enter and Leave are ignored. Returns false if out of memory. */
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

/* Ends all open regions. */
static inline void replay_end(const struct replay_observer *observer, void *data,
                              struct replay_location *location, uint64_t time)
{
    replay_leave_to(observer, data, location, 0, time);
}

/* Returns the innermost frame outside of this one that has the same region, or NULL. */
static inline void *replay_outer(const struct replay_location *location, const struct replay_frame *frame,
                                 size_t frame_bytes)
{
    const struct replay_location below = {
        .frames = location->frames,
        .depth = (uint32_t)((size_t)((const char *)frame - location->frames) / frame_bytes)};
    const uint32_t depth = replay_depth_of(&below, frame_bytes, frame->region);
    return depth > 0 ? replay_frame_at(&below, depth - 1, frame_bytes) : NULL;
}

/* Frees the stack without ending its regions. */
static inline void replay_free(struct replay_location *location)
{
    free(location->frames);
    *location = (struct replay_location){.frames = NULL};
}
