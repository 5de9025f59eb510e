/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds samples up. Called by the pass for each.
 */
#include "src/analysis/sampled.h"

struct analysis_sampled *omptape_sampled_at(struct analysis_state *state, struct analysis_region *region,
                                            uint64_t place)
{
    const struct omptape_reader *reader = state->reader;
    const struct omptape_definition *function =
        omptape_reader_find(reader, OMPTAPE_DEF_REGION, place & UINT32_MAX);
    const struct omptape_definition *line =
        omptape_reader_find(reader, OMPTAPE_DEF_SOURCE_CODE_LOCATION, place >> 32);
    if (function == NULL)
        return NULL;
    struct analysis_sampled *sum = omptape_pairs_obtain(
        &state->sampled, &state->result->arena, omptape_analysis_region_id(region), place, sizeof(*sum));
    if (sum == NULL) {
        state->no_memory = true;
        return NULL;
    }
    sum->region = region;
    sum->place = place;
    sum->function = omptape_reader_string(reader, function->refs[0].id);
    sum->file = line != NULL ? omptape_reader_string(reader, line->refs[0].id) : "";
    sum->line = line != NULL ? (uint32_t)line->value[0] : 0;
    return sum;
}

static bool has_watched(struct omptape_analysis_watched *const *list, uint32_t count,
                        const struct omptape_analysis_watched *watched)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == watched)
            return true;
    return false;
}

/* Of deeper stacks the innermost regions. */
static void tell_watcher(const struct analysis_state *state, struct analysis_location *location,
                         const struct omptape_event *event)
{
    enum { MOST_REGIONS = 32 };
    const struct omptape_analysis_watcher *watcher = state->watcher;
    struct omptape_analysis_watched *regions[MOST_REGIONS];
    uint32_t count = 0;
    for (uint32_t depth = location->replay.depth; depth > 0 && count < MOST_REGIONS; depth--) {
        struct analysis_frame *frame = &analysis_frames(location)[depth - 1];
        struct omptape_analysis_watched *watched = &omptape_analysis_known(frame->region)->watched;
        if (!has_watched(regions, count, watched))
            regions[count++] = watched;
    }
    watcher->sampled(watcher->data, &location->watched, event->time, event->refs[0].id, regions, count);
}

void omptape_sampled_event(struct analysis_state *state, struct analysis_location *location,
                           const struct omptape_event *event)
{
    const struct omptape_definition *context =
        omptape_reader_find(state->reader, OMPTAPE_DEF_CALLING_CONTEXT, event->refs[0].id);
    location->events++;
    if (event->time > location->last)
        location->last = event->time;
    if (context == NULL || !state->inside)
        return;
    const uint64_t place = context->refs[1].id << 32 | (context->refs[0].id & UINT32_MAX);
    struct analysis_sampled *sum =
        omptape_sampled_at(state, location->top != NULL ? location->top->blamed : NULL, place);
    if (sum != NULL)
        sum->count++;
    if (state->watcher != NULL && state->watcher->sampled != NULL)
        tell_watcher(state, location, event);
}
