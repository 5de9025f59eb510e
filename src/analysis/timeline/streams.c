/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Follows devices' streams (streams.h).
 */
#include "src/analysis/timeline/streams.h"

struct stream_frame {
    struct replay_frame replay;
    const struct omptape_definition *region; /* NULL: not defined */
    enum omptape_bucket bucket;
};

/* Returns the bucket of a region within `around`; NULL: none. */
static enum omptape_bucket bucket_of(const struct stream_frame *around,
                                     const struct omptape_definition *region)
{
    switch (region != NULL ? omptape_reader_device_work(region) : OMPTAPE_DEVICE_OTHER) {
    case OMPTAPE_DEVICE_TRANSFER:
        return OMPTAPE_BUCKET_TRANSFER;
    case OMPTAPE_DEVICE_KERNEL:
        return OMPTAPE_BUCKET_COMPUTING;
    default:
        return around != NULL ? around->bucket : OMPTAPE_BUCKET_IDLE;
    }
}

static void enter(void *reader, struct replay_location *location, struct replay_frame *replay,
                  const struct omptape_event *event)
{
    struct stream_frame *frame = (struct stream_frame *)replay;
    const struct stream_frame *around = location->depth > 1 ? frame - 1 : NULL;
    frame->region = omptape_reader_find(reader, OMPTAPE_DEF_REGION, event->refs[0].id);
    frame->bucket = bucket_of(around, frame->region);
    if (frame->region == NULL && around != NULL)
        frame->region = around->region;
}

static const struct replay_observer observer = {.frame_bytes = sizeof(struct stream_frame), .enter = enter};

void omptape_stream_event(struct omptape_device_stream *stream, const struct omptape_reader *reader,
                          const struct omptape_event *event, struct omptape_stream_interval *interval)
{
    const struct stream_frame *top = replay_top(&stream->replay, sizeof(*top));
    bool before = stream->until > 0 && event->time > stream->until;
    *interval = (struct omptape_stream_interval){.region = top != NULL ? top->region : NULL,
                                                 .bucket = top != NULL ? top->bucket : OMPTAPE_BUCKET_IDLE,
                                                 .from = before ? stream->until : event->time,
                                                 .to = event->time};
    stream->until = event->time;
    (void)replay_follow(&observer, (struct omptape_reader *)reader, &stream->replay, event, event->time);
}

void omptape_stream_free(struct omptape_device_stream *stream)
{
    replay_free(&stream->replay);
    *stream = (struct omptape_device_stream){.until = 0};
}
