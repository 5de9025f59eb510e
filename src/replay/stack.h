/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stack of open regions of one location, innermost last. Each observer of a replay defines its own
 * structs for locations and frames, which begin with the two structs here. An observer's data is therefore
 * attached to the location or frame, and hidden from other observers.
 *
 * A pointer to a frame is valid until the next push. One thread.
 */
#pragma once

#include "src/core/array.h"

#include <stdint.h>

struct replay_frame {
    uint64_t region; /* id in the archive */
    uint64_t begin;  /* time in the observer's unit */
};

/* A region is searched among this number of innermost frames: a hostile archive has any number of open
 * regions, and leaves some that are not. */
enum { REPLAY_MAX_SEARCH = 1000 };

/* Initialised with zeros: no open region. */
struct replay_location {
    char *frames; /* `depth` frames of the observer's size; the last ended frame is kept above them */
    uint32_t depth;
    uint32_t capacity;
};

/* Returns the frame with this index, which must be less than `depth`. */
static inline void *replay_frame_at(const struct replay_location *location, uint32_t index,
                                    size_t frame_bytes)
{
    return location->frames + index * frame_bytes;
}

/* Returns the innermost frame; NULL if no region is open. */
static inline void *replay_top(const struct replay_location *location, size_t frame_bytes)
{
    return location->depth > 0 ? replay_frame_at(location, location->depth - 1, frame_bytes) : NULL;
}

/* Pushes a frame, whose observer's part is not initialised. NULL if out of memory: it is unchanged. */
static inline void *replay_push(struct replay_location *location, size_t frame_bytes, uint64_t region,
                                uint64_t begin)
{
    if (location->depth == location->capacity) {
        char *frames =
            omptape_array_reserve(location->frames, location->depth + 1, &location->capacity, frame_bytes);
        if (frames == NULL)
            return NULL;
        location->frames = frames;
    }
    struct replay_frame *frame = replay_frame_at(location, location->depth++, frame_bytes);
    frame->region = region;
    frame->begin = begin;
    return frame;
}

/* Returns the index of the outermost frame that searches look at. */
static inline uint32_t replay_search_end(const struct replay_location *location)
{
    return location->depth > REPLAY_MAX_SEARCH ? location->depth - REPLAY_MAX_SEARCH : 0;
}

/* Returns the depth of the region's innermost frame, counted from 1; 0 if it is not open, or too far out. */
static inline uint32_t replay_depth_of(const struct replay_location *location, size_t frame_bytes,
                                       uint64_t region)
{
    for (uint32_t depth = location->depth; depth > replay_search_end(location); depth--)
        if (((const struct replay_frame *)replay_frame_at(location, depth - 1, frame_bytes))->region ==
            region)
            return depth;
    return 0;
}
