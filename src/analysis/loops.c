/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Worksharing loops: how unequal the threads' times in them are. Called where a loop is entered and at the
 * barrier behind it.
 */
#include "src/analysis/state.h"

static struct analysis_loop *loop_of(struct analysis_state *state, struct analysis_region *region)
{
    struct analysis_loop *loop =
        omptape_pairs_obtain(&state->loops, &state->result->arena, 0, region->definition->id, sizeof(*loop));
    if (loop == NULL) {
        state->no_memory = true;
        return NULL;
    }
    loop->region = region;
    return loop;
}

static bool is_loop(const struct analysis_region *region)
{
    return region->kind == OMPTAPE_REGION_LOOP || region->kind == OMPTAPE_REGION_SECTIONS ||
           region->kind == OMPTAPE_REGION_DISTRIBUTE;
}

void omptape_analysis_loop_schedule(struct analysis_state *state, struct analysis_location *location,
                                    const struct omptape_event *event)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    if (top == NULL || !is_loop(top->region) || event->refs[0].id != state->parameter_schedule ||
        event->ref_count < 2)
        return;
    struct analysis_loop *loop = loop_of(state, top->region);
    if (loop != NULL && loop->schedule_text == 0)
        loop->schedule_text = event->refs[1].id + 1;
}

void omptape_analysis_loop_iterations(struct analysis_state *state, struct analysis_region *region,
                                      const struct omptape_event *event)
{
    struct analysis_loop *loop = is_loop(region) ? loop_of(state, region) : NULL;
    if (loop != NULL)
        loop->iterations += omptape_analysis_attribute(event, state->attribute_iterations);
}

/* One instance: of all members the times in the loops since the barrier before. */
void omptape_analysis_loop_done(struct analysis_state *state, struct analysis_team *team,
                                const struct analysis_barrier *barrier)
{
    uint32_t size = team->comm->size;
    const struct analysis_shares *some = &barrier->arrivals[0].shares;
    for (uint32_t i = 0; i < some->count; i++) {
        struct analysis_region *region = some->list[i].region;
        if (!is_loop(region) || some->list[i].nested || some->list[i].way != ANALYSIS_WAY_COMPUTING)
            continue;
        struct analysis_loop *loop = loop_of(state, region);
        uint64_t longest = 0;
        uint64_t slowest = 0;
        uint64_t sum = 0;
        for (uint32_t j = 0; loop != NULL && j < size; j++) {
            const struct analysis_shares *shares = &barrier->arrivals[j].shares;
            for (uint32_t k = 0; k < shares->count; k++) {
                const struct analysis_share *share = &shares->list[k];
                if (share->region != region || share->nested || share->way != ANALYSIS_WAY_COMPUTING)
                    continue;
                sum += share->time;
                if (share->time > longest) {
                    longest = share->time;
                    slowest = team->members[j].location->definition->id;
                }
            }
        }
        if (loop == NULL || !state->inside || size == 0)
            continue;
        loop->instances++;
        loop->wall += longest;
        if (longest > loop->slowest_time) {
            loop->slowest_time = longest;
            loop->slowest = slowest;
        }
        loop->mean += sum / size;
        loop->threads = size > loop->threads ? size : loop->threads;
    }
}
