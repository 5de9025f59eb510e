/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stack of what is open on one location, innermost last. Each observer of a replay has its own struct for
 * a location and for a frame; these begin with the two structs here. So what an observer keeps of a location
 * or of an open region is attached to it, and no other observer sees it.
 *
 * A pointer to a frame holds until the next push. One thread.
 */
#ifndef OMPTAPE_REPLAY_STACK_H
#define OMPTAPE_REPLAY_STACK_H

#include "src/core/array.h"

#include <stdint.h>

struct replay_frame {
    uint64_t region; /* its id in the archive */
    uint64_t begin;  /* as the observer counts time */
};

/* All zeros: nothing is open. */
struct replay_location {
    char *frames; /* `depth` of them, each of the observer's size; a frame that ended stays above them */
    uint32_t depth;
    uint32_t room;
};

/* The frame with this index; an index that is too great is the caller's fault. */
static inline void *replay_frame_at(const struct replay_location *location, uint32_t index,
                                    size_t frame_bytes)
{
    return location->frames + index * frame_bytes;
}

/* The innermost frame; NULL: nothing is open. */
static inline void *replay_top(const struct replay_location *location, size_t frame_bytes)
{
    return location->depth > 0 ? replay_frame_at(location, location->depth - 1, frame_bytes) : NULL;
}

/* Opens a frame, whose own part is not cleared. NULL: no memory; nothing has changed. */
static inline void *replay_push(struct replay_location *location, size_t frame_bytes, uint64_t region,
                                uint64_t begin)
{
    if (location->depth == location->room) {
        char *frames =
            omptape_array_reserve(location->frames, location->depth + 1, &location->room, frame_bytes);
        if (frames == NULL)
            return NULL;
        location->frames = frames;
    }
    struct replay_frame *frame = replay_frame_at(location, location->depth++, frame_bytes);
    frame->region = region;
    frame->begin = begin;
    return frame;
}

/* How many frames there are up to the innermost one of the region, with it; 0: it is not open. */
static inline uint32_t replay_depth_of(const struct replay_location *location, size_t frame_bytes,
                                       uint64_t region)
{
    uint32_t depth = location->depth;
    while (depth > 0 &&
           ((const struct replay_frame *)replay_frame_at(location, depth - 1, frame_bytes))->region != region)
        depth--;
    return depth;
}

#endif
