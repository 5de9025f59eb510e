/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Worksharing loops and sections: how unequal the threads' times are, and why. Called when a loop or a chunk
 * is entered, at the barrier after the loop, and at the end. LLVM does not report which thread executed which
 * sections.
 *
 * The chunks show how many iterations each thread had. With them the longest thread's time above the mean is
 * split into three parts. Two of them would remain if all iterations took the same time: what no schedule
 * could avoid, and what a better one could. The third part is the different cost of iterations.
 */
#include "src/analysis/loops.h"

#include "src/analysis/causes.h"
#include "src/analysis/location.h"
#include "src/analysis/shares.h"
#include "src/analysis/state.h"
#include "src/analysis/team.h"

#include <stddef.h>
#include <string.h>

static struct analysis_loop *loop_of(struct analysis_state *state, struct analysis_region *region)
{
    struct analysis_region_state *known = omptape_analysis_region_state(region);
    if (known->loop != NULL)
        return known->loop;
    struct analysis_loop *loop = omptape_analysis_at_region(state, &state->loops, region, sizeof(*loop));
    if (loop == NULL)
        return NULL;
    known->loop = loop;
    loop->schedule = "";
    return loop;
}

static bool is_loop(const struct analysis_region *region)
{
    return region->kind == OMPTAPE_REGION_LOOP || region->kind == OMPTAPE_REGION_SECTIONS ||
           region->kind == OMPTAPE_REGION_DISTRIBUTE;
}

void omptape_analysis_loop_name_schedule(struct analysis_state *state, struct analysis_loop *loop)
{
    loop->schedule = omptape_reader_text(
        &state->result->arena,
        loop->schedule_text > 0 ? omptape_reader_string(state->reader, loop->schedule_text - 1) : "");
    if (loop->schedule == NULL)
        loop->schedule = "";
}

void omptape_analysis_loop_schedule(struct analysis_state *state, struct analysis_location *location,
                                    const struct omptape_event *event)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    if (top == NULL || !is_loop(top->region) ||
        event->refs[0].id != state->reader->attribute_ids[READER_SCHEDULE] || event->ref_count < 2)
        return;
    struct analysis_loop *loop = loop_of(state, top->region);
    if (loop == NULL || loop->schedule_text != 0)
        return;
    loop->schedule_text = event->refs[1].id + 1;
    omptape_analysis_loop_name_schedule(state, loop);
}

/* Returns the chunks of a static schedule after the first: LLVM reports only each thread's first chunk. That
 * chunk must begin at the thread's number times its length (compilers count from 0 or from 1). There is then
 * a further chunk for each round of the team. */
static struct analysis_rounds rounds_after(const struct analysis_state *state,
                                           const struct analysis_location *location,
                                           const struct omptape_event *event, uint64_t length)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    uint64_t start = omptape_analysis_attribute(state, event, READER_CHUNK_START);
    uint64_t whole = location->loop.iterations;
    uint64_t size = membership->team->replay.comm->size;
    if (length > whole / size) /* a single round */
        return (struct analysis_rounds){0};
    uint64_t before = membership->index * length;
    uint64_t round = size * length;
    if ((start != before && start != before + 1) || before + round >= whole)
        return (struct analysis_rounds){0};
    uint64_t chunks = (whole - before - 1) / round;
    uint64_t last = whole - before - chunks * round;
    return (struct analysis_rounds){.chunks = chunks,
                                    .iterations = (chunks - 1) * length + (last < length ? last : length)};
}

/* Adds the unreported chunks of a static schedule. Further reported chunks are subtracted from these. */
static void add_static_chunks(const struct analysis_state *state, struct analysis_location *location,
                              const struct omptape_event *event, struct analysis_share *share,
                              uint64_t length)
{
    struct analysis_rounds *rounds = &location->loop.rounds;
    share->chunks -= rounds->chunks;
    share->iterations -= rounds->iterations;
    *rounds = location->loop.chunks++ == 0 ? rounds_after(state, location, event, length)
                                           : (struct analysis_rounds){0};
    share->chunks += rounds->chunks;
    share->iterations += rounds->iterations;
}

static void count_gap(const struct analysis_state *state, struct analysis_team *team,
                      struct analysis_loop *loop, uint64_t time)
{
    if (team->taken == loop)
        omptape_analysis_count(state, &loop->gaps, omptape_minus(time, team->taken_at), team->taken_at, 0);
    team->taken = loop;
    team->taken_at = time;
}

void omptape_analysis_loop_enter(struct analysis_state *state, struct analysis_location *location,
                                 const struct omptape_event *event)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    const struct analysis_frame *top = omptape_analysis_top(location);
    struct analysis_region *region = top != NULL ? top->account->blamed : NULL;
    if (top != NULL)
        location->top->number = location->top->parts = 0;
    if (membership == NULL || region == NULL || !is_loop(region))
        return;
    uint64_t iterations = omptape_analysis_attribute(
        state, event, region->kind == OMPTAPE_REGION_SECTIONS ? READER_COUNT : READER_ITERATIONS);
    struct analysis_share *share = omptape_shares_obtain(location, &membership->member->shares, region,
                                                         ANALYSIS_ACTIVITY_COMPUTING, false);
    if (share == NULL)
        return;
    if (top->region == region) {
        location->loop.iterations = iterations;
        location->loop.chunks = 0;
        location->loop.rounds = (struct analysis_rounds){0};
        membership->team->taken = NULL;
        share->whole += state->inside ? iterations : 0;
        return;
    }
    location->top->number = omptape_analysis_attribute(state, event, READER_CHUNK_START);
    location->top->parts = iterations;
    if (iterations == 0 || !state->inside) /* clang: a thread without iterations */
        return;
    share->chunks++;
    share->iterations += iterations;
    struct analysis_loop *loop = loop_of(state, region);
    if (loop != NULL)
        count_gap(state, membership->team, loop, event->time);
    if (loop != NULL && loop->schedule[0] == 's' && strcmp(loop->schedule, "static") == 0)
        add_static_chunks(state, location, event, share, iterations);
}

/* What the members of a team did in a loop during one phase. */
struct analysis_instance {
    uint64_t longest;
    uint64_t time; /* sum over all members */
    uint64_t iterations;
    uint64_t whole; /* as reported at the loop's begin */
    uint64_t chunks;
    uint64_t of_longest; /* iterations of the longest member */
    uint32_t last;       /* index of the longest member */
};

static const struct analysis_share *share_of(const struct analysis_barrier *barrier, uint32_t member,
                                             const struct analysis_region *region)
{
    const struct analysis_shares *shares = &barrier->arrivals[member].shares;
    for (uint32_t i = 0; i < shares->count; i++) {
        const struct analysis_share *share = &shares->list[i];
        if (share->region == region && !share->nested && share->activity == ANALYSIS_ACTIVITY_COMPUTING)
            return share;
    }
    return NULL;
}

static bool add_members(struct analysis_state *state, struct analysis_loop *loop, uint32_t size)
{
    struct analysis_loop_thread *list =
        omptape_arena_alloc(&state->result->arena, size * sizeof(struct analysis_loop_thread));
    if (list == NULL)
        return false;
    if (loop->threads > 0)
        memcpy(list, loop->thread_list, loop->threads * sizeof(*list));
    loop->thread_list = list;
    loop->threads = size;
    return true;
}

static struct analysis_instance add_threads(const struct analysis_team *team, struct analysis_loop *loop,
                                            const struct analysis_barrier *barrier)
{
    struct analysis_instance instance = {0};
    for (uint32_t i = 0; i < team->replay.comm->size; i++) {
        const struct analysis_share *share = share_of(barrier, i, loop->region);
        struct analysis_loop_thread *thread = &loop->thread_list[i];
        if (share == NULL)
            continue;
        omptape_add(&thread->time, share->time);
        omptape_add(&thread->iterations, share->iterations);
        omptape_add(&instance.time, share->time);
        omptape_add(&instance.iterations, share->iterations);
        omptape_add(&instance.chunks, share->chunks);
        instance.whole = share->whole > instance.whole ? share->whole : instance.whole;
        if (share->time >= thread->longest) {
            thread->longest = share->time;
            thread->longest_location = team->members[i].location->definition->id;
        }
        if (share->time > instance.longest) {
            instance.longest = share->time;
            instance.of_longest = share->iterations;
            instance.last = i;
        }
    }
    return instance;
}

/* Splits `lost`, the time of the longest thread above the mean. */
static void split(const struct analysis_state *state, struct analysis_loop *loop,
                  const struct analysis_instance *instance, uint64_t size, uint64_t lost)
{
    uint64_t all = instance->iterations;
    bool cut = state->windowed && instance->whole == 0;
    if (all == 0 || cut || (instance->whole > 0 && instance->whole != all))
        return;
    uint64_t more = omptape_minus(omptape_times(instance->of_longest, size), all);
    uint64_t least = (size - all % size) % size;
    uint64_t unequal = omptape_analysis_part(instance->time / size, more, all);
    uint64_t few = omptape_analysis_part(instance->time / size, least, all);
    unequal = unequal < lost ? unequal : lost;
    few = few < unequal ? few : unequal;
    omptape_add(&loop->lost_few, few);
    omptape_add(&loop->lost_iterations, unequal - few);
    omptape_add(&loop->lost_cost, lost - unequal);
}

static void count_late(struct analysis_loop *loop, uint64_t mean, uint64_t lost)
{
    const uint64_t part = 4;
    loop->lost_worst = omptape_greater(loop->lost_worst, lost);
    if (lost < mean / part)
        return;
    loop->late_instances++;
    omptape_add(&loop->lost_late, lost);
}

static void add_instance(struct analysis_state *state, const struct analysis_team *team,
                         const struct analysis_barrier *barrier, struct analysis_region *region)
{
    uint32_t size = team->replay.comm->size;
    struct analysis_loop *loop = loop_of(state, region);
    if (loop == NULL || size == 0 || (size > loop->threads && !add_members(state, loop, size)))
        return;
    const struct analysis_instance instance = add_threads(team, loop, barrier);
    if (!omptape_analysis_counts(state, instance.time))
        return;
    uint64_t mean = instance.time / size;
    uint64_t parallel = team->region != NULL ? team->region->definition->id + 1 : 0;
    if (parallel > 0 && (loop->parallel_number == 0 || parallel < loop->parallel_number))
        loop->parallel_number = parallel;
    loop->instances++;
    omptape_add(&loop->iterations,
                instance.whole > instance.iterations ? instance.whole : instance.iterations);
    omptape_add(&loop->chunks, instance.chunks);
    omptape_add(&loop->wall, instance.longest);
    loop->mean += mean;
    omptape_add(&loop->thread_list[instance.last].late, omptape_minus(instance.longest, mean));
    count_late(loop, mean, omptape_minus(instance.longest, mean));
    split(state, loop, &instance, size, omptape_minus(instance.longest, mean));
}

/* Adds the instances of all loops that the members executed since the previous barrier. */
void omptape_analysis_loop_done(struct analysis_state *state, struct analysis_team *team,
                                const struct analysis_barrier *barrier)
{
    for (uint32_t i = 0; i < team->replay.comm->size; i++) {
        const struct analysis_shares *shares = &barrier->arrivals[i].shares;
        for (uint32_t j = 0; j < shares->count; j++) {
            const struct analysis_share *share = &shares->list[j];
            if (!is_loop(share->region) || share->nested || share->activity != ANALYSIS_ACTIVITY_COMPUTING)
                continue;
            uint32_t first = 0;
            while (share_of(barrier, first, share->region) == NULL)
                first++;
            if (first == i)
                add_instance(state, team, barrier, share->region);
        }
    }
}

void omptape_analysis_loops_end(struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->loops.count; i++) {
        const struct analysis_loop *loop = state->loops.list[i].value;
        for (uint32_t j = 0; j < loop->threads; j++)
            (void)omptape_pairs_put(&state->loop_threads, loop->region->definition->id, j,
                                    &loop->thread_list[j]);
    }
}

/* Builds each loop's list of threads from all passes. The pairs are sorted, so each loop's last thread comes
 * first. */
static void list_threads(struct analysis_state *state)
{
    for (uint32_t i = state->loop_threads.count; i > 0; i--) {
        const struct omptape_pair *pair = &state->loop_threads.list[i - 1];
        struct analysis_loop *loop = omptape_pairs_get(&state->loops, 0, pair->high);
        if (loop->threads > pair->low || add_members(state, loop, (uint32_t)pair->low + 1))
            loop->thread_list[pair->low] = *(const struct analysis_loop_thread *)pair->value;
    }
}

static uint64_t unexplained(const struct analysis_loop *loop, uint64_t imbalance)
{
    return omptape_minus(omptape_minus(omptape_minus(imbalance, loop->lost_few), loop->lost_iterations),
                         loop->lost_cost);
}

void omptape_analysis_loops_finish(struct analysis_state *state)
{
    list_threads(state);
    for (uint32_t i = 0; i < state->loops.count; i++) {
        struct analysis_loop *loop = state->loops.list[i].value;
        uint64_t latest = 0;
        const uint64_t imbalance = omptape_minus(loop->wall, loop->mean);
        uint64_t processor = omptape_analysis_preemption_wall(state, loop->region);
        loop->parallel = loop->parallel_number > 0
                             ? omptape_pairs_get(&state->regions, 0, loop->parallel_number - 1)
                             : NULL;
        loop->lost_processor = processor < imbalance ? processor : imbalance;
        for (uint32_t j = 0; j < loop->threads; j++) {
            const struct analysis_loop_thread *thread = &loop->thread_list[j];
            if (j == 0 || thread->late > latest) {
                latest = thread->late;
                loop->slowest = thread->longest_location;
            }
        }
        const uint64_t lost[ANALYSIS_LOOP_REASONS] = {[ANALYSIS_LOOP_UNKNOWN] = unexplained(loop, imbalance),
                                                      [ANALYSIS_LOOP_FEW] = loop->lost_few,
                                                      [ANALYSIS_LOOP_ITERATIONS] = loop->lost_iterations,
                                                      [ANALYSIS_LOOP_COST] = loop->lost_cost,
                                                      [ANALYSIS_LOOP_PROCESSOR] = loop->lost_processor};
        for (enum analysis_loop_reason j = 0; j < ANALYSIS_LOOP_REASONS; j++)
            loop->reason = lost[j] > lost[loop->reason] ? j : loop->reason;
    }
}

const char *omptape_loop_reason(enum analysis_loop_reason reason)
{
    static const char *const names[ANALYSIS_LOOP_REASONS] = {"", "few", "iterations", "cost", "processor"};
    return names[reason];
}

/* LLVM 16 reports chunks, but no schedule. Of a static schedule it only reports each thread's first chunk. */
bool omptape_loop_is_static(const struct analysis_loop *loop)
{
    if (loop->schedule[0] != '\0')
        return strcmp(loop->schedule, "static") == 0;
    return loop->chunks <= omptape_times(loop->instances, loop->threads);
}

/* Finds waits in doacross loops: threads that waited for another thread's iteration (ordered
 * depend(sink)). Runtimes report when a thread continues, but not since when it waited. It waited if it
 * continues right after the iteration's end; its wait then counts from its previous event. Collapsed loops
 * are not found, because each loop has a number of its own. Series of turns recorded as one are an
 * *ordered* region that lasts as long as the waits (locks.c). */
void omptape_analysis_turn(struct analysis_state *state, const struct analysis_location *location,
                           const struct omptape_event *event)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    const struct analysis_frame *top = omptape_analysis_top(location);
    uint64_t parameter = event->refs[0].id;
    uint64_t iteration = event->value[1];
    if (membership == NULL || top == NULL)
        return;
    struct analysis_team *team = membership->team;
    struct analysis_turn *turn = &team->turn;
    if (parameter == state->reader->attribute_ids[READER_DEPEND_SOURCE])
        *turn = (struct analysis_turn){.by = location, .iteration = iteration, .time = event->time};
    else if (parameter == state->reader->attribute_ids[READER_DEPEND_SINK] && turn->by != NULL &&
             turn->by != location && turn->iteration == iteration && turn->time > location->last &&
             event->time - turn->time < state->short_idle / 5)
        omptape_analysis_charge(
            state, omptape_analysis_cause(state, OMPTAPE_FINDING_LOCK, top->account->blamed, team->region),
            turn->time - location->last, team->threads, location->last, turn->time, turn->by->definition->id);
}
