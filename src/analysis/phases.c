/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds phases up (phases.h). Called for each visit of a region of kind USER, and when the ledger moves time.
 */
#include "src/analysis/phases.h"

#include "src/core/array.h"

#include <stdlib.h>

/* What the threads of the location's process have done until now: what is booked, and what goes on. */
static void sum_up(const struct analysis_location *location, uint64_t time,
                   uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        parts[bucket] = 0;
    for (const struct analysis_location *one = location->process_state->threads; one != NULL;
         one = one->next_thread) {
        for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
            omptape_add(&parts[bucket], one->thread->parts[bucket]);
        if (one->top != NULL && time > one->booked)
            omptape_add(&parts[one->top->account->manner.bucket], time - one->booked);
    }
}

/* The one that the location began last; NULL: none is open. */
static struct analysis_open_phase *find_open(const struct analysis_location *location)
{
    const struct analysis_phases *phases = &location->process_state->phases;
    for (uint32_t i = phases->count; i-- > 0;)
        if (phases->list[i].by == location)
            return &phases->list[i];
    return NULL;
}

void omptape_phases_enter(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                          const struct analysis_region *region)
{
    struct analysis_phases *phases = &location->process_state->phases;
    if (location->teams.depth > 0 || location->thread == NULL)
        return;
    struct analysis_open_phase *list =
        omptape_array_reserve(phases->list, phases->count + 1, &phases->room, sizeof(*list));
    if (list == NULL) {
        state->no_memory = true;
        return;
    }
    phases->list = list;
    struct analysis_open_phase *open = &list[phases->count++];
    *open = (struct analysis_open_phase){.by = location, .region = region, .begin = time};
    sum_up(location, time, open->parts);
}

void omptape_phases_number(const struct analysis_state *state, const struct analysis_location *location,
                           const struct omptape_event *event)
{
    if (event->refs[0].id != state->reader->words[READER_STEP] || location->top == NULL)
        return;
    struct analysis_open_phase *open = find_open(location);
    if (open == NULL || location->top->region != open->region)
        return;
    open->is_step = true;
    open->number = event->value[1];
}

/* Takes it off the list, and keeps it for what turns out later. */
static struct analysis_open_phase close_phase(struct analysis_state *state, struct analysis_phases *phases,
                                              struct analysis_open_phase *open, uint64_t time)
{
    struct analysis_open_phase closed = *open;
    closed.end = time;
    phases->count--;
    for (uint32_t i = (uint32_t)(open - phases->list); i < phases->count; i++)
        phases->list[i] = phases->list[i + 1];
    if (phases->late == NULL)
        phases->late = omptape_arena_take(&state->arena, ANALYSIS_LATE_PHASES * sizeof(*phases->late));
    state->no_memory |= phases->late == NULL;
    return closed;
}

void omptape_phases_leave(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                          struct analysis_region *region, uint64_t begin)
{
    struct analysis_phases *phases = &location->process_state->phases;
    struct analysis_open_phase *open = find_open(location);
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    if (open == NULL || open->region != region || open->begin != begin)
        return;
    struct analysis_open_phase closed = close_phase(state, phases, open, time);
    struct analysis_phase *phase =
        omptape_analysis_counts(state, time - begin)
            ? omptape_analysis_at_region(state, &state->phases, region, sizeof(*phase))
            : NULL;
    if (phase == NULL || phases->late == NULL)
        return;
    sum_up(location, time, parts);
    phase->count++;
    phase->steps += closed.is_step;
    omptape_add(&phase->wall, time - begin);
    const bool is_longest = time - begin > phase->longest;
    if (is_longest) {
        phase->longest = time - begin;
        phase->longest_begin = begin;
        phase->longest_number = closed.number;
    }
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        parts[bucket] = omptape_minus(parts[bucket], closed.parts[bucket]);
        omptape_add(&phase->parts[bucket], parts[bucket]);
        if (is_longest)
            phase->longest_parts[bucket] = parts[bucket];
    }
    closed.sum = phase;
    phases->late[phases->ended++ % ANALYSIS_LATE_PHASES] = closed;
}

static void move(uint64_t parts[OMPTAPE_BUCKET_COUNT], enum omptape_bucket from, enum omptape_bucket to,
                 uint64_t amount)
{
    amount = amount < parts[from] ? amount : parts[from];
    parts[from] -= amount;
    omptape_add(&parts[to], amount);
}

void omptape_phases_move(const struct analysis_location *location, enum omptape_bucket from,
                         enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t amount)
{
    struct analysis_phases *phases = &location->process_state->phases;
    const uint64_t least = phases->ended > ANALYSIS_LATE_PHASES ? phases->ended - ANALYSIS_LATE_PHASES : 0;
    if (amount == 0 || end <= begin)
        return;
    for (uint64_t i = phases->ended; i-- > least;) {
        const struct analysis_open_phase *late = &phases->late[i % ANALYSIS_LATE_PHASES];
        if (late->end <= begin)
            break;
        const uint64_t first = late->begin > begin ? late->begin : begin;
        const uint64_t last = late->end < end ? late->end : end;
        const uint64_t part = omptape_analysis_part(amount, omptape_minus(last, first), end - begin);
        move(late->sum->parts, from, to, part);
        if (late->sum->longest_begin == late->begin)
            move(late->sum->longest_parts, from, to, part);
    }
    /* What was before an open one is no part of it. */
    for (uint32_t i = 0; i < phases->count; i++) {
        const uint64_t until = phases->list[i].begin < end ? phases->list[i].begin : end;
        move(phases->list[i].parts, from, to,
             omptape_analysis_part(amount, omptape_minus(until, begin), end - begin));
    }
}

void omptape_phases_free(struct analysis_process_state *process)
{
    free(process->phases.list);
    process->phases = (struct analysis_phases){.list = NULL};
}
