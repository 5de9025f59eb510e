/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Follows the regions of locations (replay.h).
 */
#include "src/replay/replay.h"

#include <stdlib.h>

static bool enter(const struct replay_observer *observer, void *data, struct replay_location *location,
                  const struct omptape_event *event, uint64_t time)
{
    struct replay_frame *frame = replay_push(location, observer->frame_bytes, event->refs[0].id, time);
    if (frame == NULL)
        return false;
    if (observer->enter != NULL)
        observer->enter(data, location, frame, event);
    return true;
}

/* Ends what is above so many frames. */
static void leave_to(const struct replay_observer *observer, void *data, struct replay_location *location,
                     uint32_t depth, uint64_t time)
{
    while (location->depth > depth) {
        if (observer->leave != NULL)
            observer->leave(data, location, replay_top(location, observer->frame_bytes), time);
        location->depth--;
    }
}

bool replay_follow(const struct replay_observer *observer, void *data, struct replay_location *location,
                   const struct omptape_event *event, uint64_t time)
{
    if (event->kind == OMPTAPE_EVENT_ENTER)
        return enter(observer, data, location, event, time);
    if (event->kind == OMPTAPE_EVENT_LEAVE) {
        const uint32_t depth = replay_depth_of(location, observer->frame_bytes, event->refs[0].id);
        if (depth > 0)
            leave_to(observer, data, location, depth - 1, time);
    }
    return true;
}

void replay_end(const struct replay_observer *observer, void *data, struct replay_location *location,
                uint64_t time)
{
    leave_to(observer, data, location, 0, time);
}

bool replay_is_nested(const struct replay_location *location, const struct replay_frame *frame,
                      size_t frame_bytes)
{
    const struct replay_location below = {
        .frames = location->frames,
        .depth = (uint32_t)((size_t)((const char *)frame - location->frames) / frame_bytes)};
    return replay_depth_of(&below, frame_bytes, frame->region) > 0;
}

void replay_free(struct replay_location *location)
{
    free(location->frames);
    *location = (struct replay_location){.frames = NULL};
}
