/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes and joins the pyramids of single processes (timelines.h).
 */
#include "src/analysis/reduce/timelines.h"

#include "src/analysis/reduce/pyramid_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct analysis_timelines *omptape_partial_timelines_new(const struct analysis_plan *plan)
{
    struct analysis_timelines *timelines =
        omptape_calloc(1, sizeof(*timelines) + plan->count * sizeof(timelines->list[0]));
    if (timelines != NULL)
        timelines->plan = plan;
    return timelines;
}

void omptape_partial_timelines_free(struct analysis_timelines *timelines)
{
    for (uint32_t i = 0; timelines != NULL && i < timelines->plan->count; i++)
        free(timelines->list[i].bytes);
    free(timelines);
}

struct omptape_pyramid *omptape_partial_timeline_begin(const struct analysis_planned *process,
                                                       const struct omptape_pyramid *whole)
{
    struct omptape_pyramid *pyramid = omptape_pyramid_begin_part(whole);
    for (uint32_t i = 0; pyramid != NULL && i < process->location_count; i++) {
        const struct omptape_definition *location =
            omptape_reader_find(whole->reader, OMPTAPE_DEF_LOCATION, process->locations[i]);
        if (location != NULL && !omptape_pyramid_add_location(pyramid, location)) {
            omptape_pyramid_free(pyramid);
            return NULL;
        }
    }
    return pyramid;
}

int omptape_partial_timeline_keep(struct analysis_timelines *timelines,
                                  const struct analysis_planned *process, struct omptape_pyramid *pyramid)
{
    struct omptape_bytes bytes = {.list = NULL};
    if (omptape_out_of_memory)
        return -ENOMEM;
    omptape_pyramid_end(pyramid);
    omptape_pyramid_put(&bytes, pyramid);
    if (bytes.failed) {
        omptape_bytes_free(&bytes);
        return -ENOMEM;
    }
    timelines->list[process->index] = (struct analysis_timeline){.bytes = bytes.list, .count = bytes.count};
    return 0;
}

void omptape_partial_timelines_put(struct omptape_bytes *bytes, const struct analysis_timelines *timelines)
{
    for (uint32_t i = 0; i < timelines->plan->count; i++) {
        const struct analysis_timeline *timeline = &timelines->list[i];
        if (timeline->bytes == NULL)
            continue;
        omptape_bytes_put(bytes, i);
        omptape_bytes_put(bytes, timeline->count);
        omptape_bytes_put_raw(bytes, timeline->bytes, timeline->count);
    }
}

int omptape_partial_timelines_take(struct analysis_timelines *timelines, struct omptape_bytes_rest *rest)
{
    while (rest->at != rest->end) {
        uint64_t index = omptape_bytes_take(rest);
        uint64_t count = omptape_bytes_take(rest);
        if (rest->bad || index >= timelines->plan->count || count == 0 ||
            count > (uint64_t)(rest->end - rest->at))
            return -EBADMSG;
        struct analysis_timeline *timeline = &timelines->list[index];
        if (timeline->bytes != NULL)
            return -EEXIST;
        timeline->bytes = malloc((size_t)count);
        if (timeline->bytes == NULL)
            return -ENOMEM;
        timeline->count = (size_t)count;
        memcpy(timeline->bytes, rest->at, timeline->count);
        rest->at += count;
    }
    return 0;
}

/* Maps nothing: both pyramids belong to the same archive. */
static bool same_id(const void *data, enum omptape_definition_kind kind, uint64_t *id)
{
    return omptape_reader_find(data, kind, *id) != NULL;
}

static uint64_t same_number(const void *data, uint64_t number)
{
    (void)data;
    return number;
}

int omptape_partial_timeline_join(const struct analysis_timeline *timeline, struct omptape_pyramid *whole)
{
    const struct omptape_partial_map same = {
        .data = whole->reader, .id = same_id, .time = same_number, .ticks = same_number};
    struct omptape_bytes_rest rest = {.at = timeline->bytes, .end = timeline->bytes + timeline->count};
    if (omptape_pyramid_take(whole, &rest, &same))
        return 0;
    return omptape_out_of_memory ? -ENOMEM : -EBADMSG;
}
