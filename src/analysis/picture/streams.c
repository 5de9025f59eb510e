/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Follows devices' streams (streams.h).
 */
#include "src/analysis/picture/streams.h"

#include "src/core/array.h"

#include <stdlib.h>

struct omptape_stream_frame {
    const struct omptape_definition *region;
    enum omptape_bucket bucket;
};

static enum omptape_bucket bucket_of(const struct omptape_stream *stream,
                                     const struct omptape_definition *region)
{
    switch (omptape_reader_device_work(region)) {
    case OMPTAPE_DEVICE_TRANSFER:
        return OMPTAPE_BUCKET_TRANSFER;
    case OMPTAPE_DEVICE_KERNEL:
        return OMPTAPE_BUCKET_COMPUTING;
    default:
        return stream->depth > 0 ? stream->frames[stream->depth - 1].bucket : OMPTAPE_BUCKET_IDLE;
    }
}

static bool enter(struct omptape_stream *stream, const struct omptape_reader *reader, uint64_t id)
{
    const struct omptape_definition *region = omptape_reader_find(reader, OMPTAPE_DEF_REGION, id);
    if (region == NULL)
        return true;
    struct omptape_stream_frame *frames =
        omptape_array_reserve(stream->frames, stream->depth + 1, &stream->room, sizeof(*frames));
    if (frames == NULL)
        return false;
    enum omptape_bucket bucket = bucket_of(stream, region);
    stream->frames = frames;
    stream->frames[stream->depth++] = (struct omptape_stream_frame){.region = region, .bucket = bucket};
    return true;
}

/* Takes off what is above the region too. */
static void leave(struct omptape_stream *stream, uint64_t id)
{
    for (uint32_t i = stream->frames != NULL ? stream->depth : 0; i-- > 0;) {
        if (stream->frames[i].region->id == id) {
            stream->depth = i;
            return;
        }
    }
}

bool omptape_stream_event(struct omptape_stream *stream, const struct omptape_reader *reader,
                          const struct omptape_event *event, struct omptape_stream_stretch *stretch)
{
    const struct omptape_stream_frame *top = stream->depth > 0 ? &stream->frames[stream->depth - 1] : NULL;
    bool before = stream->until > 0 && event->time > stream->until;
    *stretch = (struct omptape_stream_stretch){.region = top != NULL ? top->region : NULL,
                                               .bucket = top != NULL ? top->bucket : OMPTAPE_BUCKET_IDLE,
                                               .from = before ? stream->until : event->time,
                                               .to = event->time};
    stream->until = event->time;
    if (event->kind == OMPTAPE_EVENT_ENTER)
        return enter(stream, reader, event->refs[0].id);
    if (event->kind == OMPTAPE_EVENT_LEAVE)
        leave(stream, event->refs[0].id);
    return true;
}

void omptape_stream_free(struct omptape_stream *stream)
{
    free(stream->frames);
    *stream = (struct omptape_stream){.frames = NULL};
}
