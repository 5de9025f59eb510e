/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums phases (phases.h).
 */
#include "src/analysis/phases.h"

#include "src/analysis/detected_loops.h"
#include "src/core/array.h"

#include <stdlib.h>
#include <string.h>

/* MAX_STEPS_IN_ALL: maximum of kept instances of all phases together. */
enum { MAX_STEPS_IN_ALL = 65536, MAX_FUNCTIONS = 256 };

/* Returns the thread's parts until `time`: the booked time and the open interval. */
static void list_parts(const struct analysis_location *location, uint64_t time,
                       uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    memcpy(parts, location->thread->parts, OMPTAPE_BUCKET_COUNT * sizeof(parts[0]));
    if (location->top != NULL && time > location->booked)
        omptape_add(&parts[location->top->account->time_class.bucket], time - location->booked);
}

struct analysis_step *omptape_phases_step(struct analysis_state *state, struct analysis_region *region,
                                          uint64_t key)
{
    struct analysis_step *step = omptape_pairs_obtain(&state->steps, &state->result->arena,
                                                      region->definition->id, key, sizeof(*step));
    if (step != NULL)
        step->region = region;
    return step;
}

/* Returns how many of this kind (struct analysis_phases) began before in the process, and counts one more. */
static uint64_t count_begun(struct analysis_state *state, struct analysis_phases *phases, uint64_t kind,
                            const struct analysis_region *region)
{
    uint64_t *begun =
        omptape_pairs_obtain(&phases->begun, &state->arena, kind, region->definition->id, sizeof(*begun));
    return begun != NULL ? (*begun)++ : UINT64_MAX;
}

/* Reserves memory for the parts of each thread. Returns false if out of memory. */
static bool reserve_threads(const struct analysis_location *location, struct analysis_moment *moment)
{
    uint32_t count = 0;
    for (const struct analysis_location *one = location->process_state->threads; one != NULL;
         one = one->next_thread)
        count++;
    return OMPTAPE_RESERVE(moment->threads, count, &moment->thread_capacity);
}

void omptape_phases_take_moment(struct analysis_state *state, const struct analysis_location *location,
                                uint64_t time, bool with_threads, struct analysis_moment *moment)
{
    const bool keeps = with_threads && reserve_threads(location, moment);
    const struct analysis_process *process = &state->result->processes[location->process];
    moment->time = time;
    moment->is_taken = true;
    moment->sampled = location->process_state->phases.sampled;
    moment->serial = omptape_plus(process->serial, location->serial); /* the thread has the last part */
    moment->communication = process->communication;
    moment->thread_count = 0;
    memset(moment->parts, 0, sizeof(moment->parts));
    for (const struct analysis_location *one = location->process_state->threads; one != NULL;
         one = one->next_thread) {
        struct analysis_phase_thread own = {.thread = one};
        list_parts(one, time, own.parts);
        omptape_parts_add(moment->parts, own.parts);
        if (keeps)
            moment->threads[moment->thread_count++] = own;
    }
}

void omptape_phases_free_moment(struct analysis_moment *moment)
{
    free(moment->threads);
    *moment = (struct analysis_moment){.threads = NULL};
}

/* Returns the open phase that the location began last; NULL if none is open. */
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
    if (location->teams.depth > 0 || location->thread == NULL ||
        !OMPTAPE_RESERVE(phases->list, phases->count + 1, &phases->capacity))
        return;
    struct analysis_open_phase *open = &phases->list[phases->count++];
    const uint64_t nth = count_begun(state, phases, 0, region);
    *open = (struct analysis_open_phase){.by = location, .region = region, .key = nth, .number = nth + 1};
    omptape_phases_take_moment(state, location, time,
                               nth < ANALYSIS_MAX_STEPS && state->steps.count < MAX_STEPS_IN_ALL,
                               &open->from);
}

void omptape_phases_number(struct analysis_state *state, const struct analysis_location *location,
                           const struct omptape_event *event)
{
    enum { NUMBER_BITS = 40, IS_STEP = 63 };
    if (event->refs[0].id != state->reader->attribute_ids[READER_STEP] || location->top == NULL)
        return;
    struct analysis_open_phase *open = find_open(location);
    if (open == NULL || location->top->region != open->region)
        return;
    open->is_step = true;
    open->number = event->value[1];
    if (open->from.threads == NULL)
        return;
    const uint64_t before =
        count_begun(state, &location->process_state->phases, 1 + open->number, open->region);
    open->key =
        UINT64_C(1) << IS_STEP | before << NUMBER_BITS | (open->number & ((UINT64_C(1) << NUMBER_BITS) - 1));
}

/* Removes an open phase from the list. */
static struct analysis_open_phase close_phase(struct analysis_phases *phases,
                                              struct analysis_open_phase *open)
{
    const struct analysis_open_phase closed = *open;
    phases->count--;
    for (uint32_t i = (uint32_t)(open - phases->list); i < phases->count; i++)
        phases->list[i] = phases->list[i + 1];
    return closed;
}

void omptape_phases_sum(struct analysis_phase *sum, const struct analysis_phase *phase)
{
    sum->count += phase->count;
    sum->steps += phase->steps;
    omptape_add(&sum->wall, phase->wall);
    omptape_add(&sum->known, phase->known);
    omptape_add(&sum->serial, phase->serial);
    omptape_add(&sum->communication, phase->communication);
    omptape_parts_add(sum->parts, phase->parts);
    if (phase->longest <= sum->longest)
        return;
    sum->longest = phase->longest;
    sum->longest_begin = phase->longest_begin;
    sum->longest_number = phase->longest_number;
    memcpy(sum->longest_parts, phase->longest_parts, sizeof(sum->longest_parts));
}

struct analysis_phase_share *omptape_phases_share(struct analysis_state *state,
                                                  const struct analysis_region *region,
                                                  const struct analysis_process *process)
{
    return omptape_pairs_obtain(&state->phase_shares, &state->result->arena, region->definition->id,
                                process->group->id, sizeof(struct analysis_phase_share));
}

void omptape_phases_sum_process(struct analysis_state *state, const struct analysis_process *process,
                                struct analysis_phase *sum, const struct analysis_phase *phase)
{
    struct analysis_phase_share *share = omptape_phases_share(state, sum->region, process);
    omptape_phases_sum(sum, phase);
    if (share == NULL)
        return;
    omptape_add(&share->wall, phase->known);
    omptape_add(&share->in_mpi, phase->parts[OMPTAPE_BUCKET_MPI]);
    omptape_add(&share->communication, phase->communication);
}

/* Returns the thread that worked longest between two moments, and its parts. NULL if none are kept. */
static const struct analysis_location *find_most(const struct analysis_moment *from,
                                                 const struct analysis_moment *to,
                                                 uint64_t most_parts[OMPTAPE_BUCKET_COUNT])
{
    const struct analysis_location *most = NULL;
    uint64_t longest = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < to->thread_count; i++) {
        struct analysis_phase_thread one = to->threads[i];
        if (next < from->thread_count && from->threads[next].thread == one.thread)
            omptape_parts_subtract(one.parts, from->threads[next++].parts);
        const uint64_t worked = omptape_analysis_worked(one.parts);
        if (most != NULL && worked <= longest)
            continue;
        most = one.thread;
        longest = worked;
        memcpy(most_parts, one.parts, sizeof(one.parts));
    }
    return most;
}

/* Returns the function of a calling context, without the frames in brackets that describe how it was
 * sampled. Contexts of a hostile archive may have cycles, so only a few levels are examined. */
static uint64_t function_of(const struct omptape_reader *reader, uint64_t context)
{
    enum { MAX_MARKS = 16 };
    const struct omptape_definition *at = omptape_reader_find(reader, OMPTAPE_DEF_CALLING_CONTEXT, context);
    for (unsigned i = 0; at != NULL && i < MAX_MARKS; i++) {
        const struct omptape_definition *function =
            omptape_reader_find(reader, OMPTAPE_DEF_REGION, at->refs[0].id);
        if (function == NULL || omptape_reader_string(reader, function->refs[0].id)[0] != '[')
            break;
        at = omptape_reader_find(reader, OMPTAPE_DEF_CALLING_CONTEXT, at->refs[2].id);
    }
    return at != NULL ? at->refs[0].id : UINT64_MAX;
}

struct function_samples {
    uint64_t function; /* id */
    uint64_t context;  /* id of its first context */
    uint64_t count;
};

static void count_function(struct function_samples *list, uint32_t *count, uint64_t function,
                           uint64_t context)
{
    uint32_t i = 0;
    while (i < *count && list[i].function != function)
        i++;
    if (i == MAX_FUNCTIONS)
        return;
    if (i == *count)
        list[(*count)++] = (struct function_samples){.function = function, .context = context};
    list[i].count++;
}

static void add_samples(const struct analysis_state *state, const struct analysis_phases *phases,
                        const struct analysis_open_phase *closed, uint64_t until, struct analysis_step *step)
{
    struct function_samples list[MAX_FUNCTIONS];
    uint32_t count = 0;
    uint64_t number = phases->sampled > ANALYSIS_PHASE_SAMPLES ? phases->sampled - ANALYSIS_PHASE_SAMPLES : 0;
    for (number = number > closed->from.sampled ? number : closed->from.sampled; number < until; number++) {
        const struct analysis_phase_sample *sample = &phases->samples[number % ANALYSIS_PHASE_SAMPLES];
        if (sample->thread != closed->most)
            continue;
        step->most_samples++;
        count_function(list, &count, function_of(state->reader, sample->context), sample->context);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].count <= step->most_there)
            continue;
        step->most_there = list[i].count;
        step->most_context = list[i].context + 1;
    }
}

/* Adds the instance of one process to its step: the processes are counted, and the longest one is kept. */
static void add_to_step(const struct analysis_state *state, struct analysis_open_phase *closed,
                        const struct analysis_moment *to, const uint64_t parts[OMPTAPE_BUCKET_COUNT],
                        struct analysis_step *step)
{
    const struct analysis_phases *phases = &closed->by->process_state->phases;
    uint64_t most_parts[OMPTAPE_BUCKET_COUNT];
    const struct analysis_location *most = find_most(&closed->from, to, most_parts);
    const uint64_t wall = closed->end - closed->from.time;
    step->count++;
    omptape_add(&step->wall, wall);
    omptape_parts_add(step->parts, parts);
    if (wall > step->longest) {
        step->longest = wall;
        step->longest_begin = closed->from.time;
        step->longest_end = closed->end;
        step->number = closed->number;
    }
    closed->step = step;
    if (most == NULL || omptape_analysis_worked(most_parts) <= step->most)
        return;
    closed->most = most;
    step->most = omptape_analysis_worked(most_parts);
    step->most_location = most->id;
    memcpy(step->most_parts, most_parts, sizeof(most_parts));
    step->most_context = step->most_there = step->most_samples = 0;
    if (phases->samples != NULL)
        add_samples(state, phases, closed, to->sampled, step);
}

void omptape_phases_add(struct analysis_state *state, struct analysis_open_phase *closed,
                        const struct analysis_moment *to, struct analysis_phase *phase,
                        struct analysis_step *step)
{
    struct analysis_phases *phases = &closed->by->process_state->phases;
    if (phases->late == NULL)
        phases->late = omptape_arena_alloc(&state->arena, ANALYSIS_LATE_PHASES * sizeof(*phases->late));
    if (phases->late == NULL)
        return;
    closed->end = to->time;
    const uint64_t wall = to->time - closed->from.time;
    struct analysis_phase one = {.count = 1,
                                 .steps = closed->is_step,
                                 .wall = wall,
                                 .known = closed->from.is_taken && to->is_taken ? wall : 0,
                                 .serial = omptape_minus(to->serial, closed->from.serial),
                                 .communication =
                                     omptape_minus(to->communication, closed->from.communication),
                                 .longest = wall,
                                 .longest_begin = closed->from.time,
                                 .longest_number = closed->is_step ? closed->number : 0};
    memcpy(one.parts, to->parts, sizeof(one.parts));
    omptape_parts_subtract(one.parts, closed->from.parts);
    memcpy(one.longest_parts, one.parts, sizeof(one.parts));
    if (omptape_phase_is_detected(phase)) /* the loop is added when it has ended */
        omptape_phases_sum(phase, &one);
    else
        omptape_phases_sum_process(state, &state->result->processes[closed->by->process], phase, &one);
    if (step != NULL)
        add_to_step(state, closed, to, one.parts, step);
    closed->sum = phase;
    closed->from.threads = NULL;
    phases->late[phases->ended++ % ANALYSIS_LATE_PHASES] = *closed;
}

void omptape_phases_leave(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                          struct analysis_region *region, uint64_t begin)
{
    struct analysis_open_phase *open = find_open(location);
    if (open == NULL || open->region != region || open->from.time != begin)
        return;
    struct analysis_open_phase closed = close_phase(&location->process_state->phases, open);
    struct analysis_moment from = closed.from;
    struct analysis_moment to = {.threads = NULL};
    const bool is_kept = from.threads != NULL && time > begin;
    struct analysis_phase *phase =
        omptape_analysis_counts(state, time - begin)
            ? omptape_analysis_at_region(state, &state->phases, region, sizeof(*phase))
            : NULL;
    if (phase != NULL) {
        omptape_phases_take_moment(state, location, time, is_kept, &to);
        omptape_phases_add(state, &closed, &to, phase,
                           is_kept ? omptape_phases_step(state, region, closed.key) : NULL);
    }
    omptape_phases_free_moment(&from);
    omptape_phases_free_moment(&to);
}

void omptape_phases_sampled(struct analysis_state *state, const struct analysis_location *location,
                            uint64_t context)
{
    struct analysis_phases *phases = &location->process_state->phases;
    if (phases->count == 0 && location->process_state->loop_detector == NULL)
        return;
    if (phases->samples == NULL)
        phases->samples =
            omptape_arena_alloc(&state->arena, ANALYSIS_PHASE_SAMPLES * sizeof(*phases->samples));
    if (phases->samples == NULL)
        return;
    phases->samples[phases->sampled++ % ANALYSIS_PHASE_SAMPLES] =
        (struct analysis_phase_sample){.thread = location, .context = context};
}

/* Prefers the innermost phase without a number to steps, because its name is more informative. */
void omptape_phases_note(const struct analysis_location *location, uint64_t begin,
                         struct analysis_within *within)
{
    const struct analysis_phases *phases = &location->process_state->phases;
    const struct analysis_open_phase *found = NULL;
    for (uint32_t i = phases->count; i-- > 0 && (found == NULL || found->is_step);)
        if (phases->list[i].from.time <= begin && (found == NULL || !phases->list[i].is_step))
            found = &phases->list[i];
    if (found == NULL) {
        within->outside++;
        return;
    }
    const uint64_t id = found->region->definition->id + 1;
    within->first = within->first == 0 || id < within->first ? id : within->first;
    within->last = id > within->last ? id : within->last;
}

/* Time before the begin of an open phase is no part of it. */
void omptape_phases_move_moment(struct analysis_moment *moment, const struct analysis_location *location,
                                enum omptape_bucket from, enum omptape_bucket to, uint64_t begin,
                                uint64_t end, uint64_t amount)
{
    const uint64_t until = moment->time < end ? moment->time : end;
    const uint64_t part = omptape_analysis_part(amount, omptape_minus(until, begin), end - begin);
    omptape_move_part(moment->parts, from, to, part);
    for (uint32_t i = 0; i < moment->thread_count && part > 0; i++)
        if (moment->threads[i].thread == location)
            omptape_move_part(moment->threads[i].parts, from, to, part);
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
        const uint64_t first = late->from.time > begin ? late->from.time : begin;
        const uint64_t last = late->end < end ? late->end : end;
        const uint64_t part = omptape_analysis_part(amount, omptape_minus(last, first), end - begin);
        omptape_move_part(late->sum->parts, from, to, part);
        if (late->sum->longest_begin == late->from.time)
            omptape_move_part(late->sum->longest_parts, from, to, part);
        if (late->step == NULL)
            continue;
        omptape_move_part(late->step->parts, from, to, part);
        if (late->most == location && late->step->most_location == location->id)
            omptape_move_part(late->step->most_parts, from, to, part);
    }
    for (uint32_t i = 0; i < phases->count; i++)
        omptape_phases_move_moment(&phases->list[i].from, location, from, to, begin, end, amount);
    omptape_detected_loops_move(location, from, to, begin, end, amount);
}

void omptape_phases_free(struct analysis_process_state *process)
{
    for (uint32_t i = 0; i < process->phases.count; i++)
        omptape_phases_free_moment(&process->phases.list[i].from);
    omptape_pairs_free(&process->phases.begun);
    free(process->phases.list);
    process->phases = (struct analysis_phases){.list = NULL};
}
