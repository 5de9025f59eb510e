/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Notes in which region each thread's events end (endings.h). Called by pass.c.
 */
#include "src/analysis/reduce/endings.h"

#include "src/analysis/locks.h"
#include "src/analysis/mpi/mpi.h"
#include "src/analysis/team.h"

#include <omptape/properties.h>
#include <string.h>

/* Returns the frame of the construct that users know: waiting has its own region in a barrier or taskwait. */
static const struct analysis_frame *shown_frame(const struct analysis_location *location)
{
    const struct analysis_frame *frame = location->top;
    switch (frame->region->kind) {
    case OMPTAPE_REGION_BARRIER_WAIT:
    case OMPTAPE_REGION_IMPLICIT_BARRIER_WAIT:
    case OMPTAPE_REGION_IMPLEMENTATION_BARRIER_WAIT:
    case OMPTAPE_REGION_TASKWAIT_WAIT:
    case OMPTAPE_REGION_TASKGROUP_WAIT:
    case OMPTAPE_REGION_REDUCTION_WAIT:
    case OMPTAPE_REGION_CRITICAL_SBLOCK:
        return frame > analysis_frames(location) ? frame - 1 : frame;
    default:
        return frame;
    }
}

static enum analysis_open_kind kind_of(const struct analysis_frame *top)
{
    switch ((enum omptape_bucket)top->account->time_class.bucket) {
    case OMPTAPE_BUCKET_IDLE:
        return ANALYSIS_OPEN_IDLE;
    case OMPTAPE_BUCKET_BARRIER:
        return ANALYSIS_OPEN_TEAM;
    case OMPTAPE_BUCKET_TASK_WAIT:
        return ANALYSIS_OPEN_TASKS;
    case OMPTAPE_BUCKET_LOCK:
        return top->asking ? ANALYSIS_OPEN_LOCK : ANALYSIS_OPEN_WORK;
    case OMPTAPE_BUCKET_MPI:
        return ANALYSIS_OPEN_MPI;
    default:
        return ANALYSIS_OPEN_WORK;
    }
}

/* Finds the innermost open barrier and its team. */
static void find_barrier(const struct analysis_location *location, struct analysis_ending *ending)
{
    uint32_t depth = location->replay.depth;
    while (depth > 0 &&
           omptape_analysis_region_state(analysis_frames(location)[depth - 1].region)->facts.family !=
               ANALYSIS_FAMILY_BARRIER)
        depth--;
    for (uint32_t i = location->teams.depth; depth > 0 && i-- > 0;) {
        const struct analysis_membership *membership = &analysis_memberships(location)[i];
        if (membership->depth >= depth)
            continue;
        ending->barrier = membership->team->instance + 1;
        ending->barrier_comm = membership->team->replay.comm;
        return;
    }
}

/* Returns the longest visit of the region that ended before `time`. */
static uint64_t longest_before(const struct analysis_region *region, uint64_t time)
{
    struct analysis_region_state *known = omptape_analysis_region_state((struct analysis_region *)region);
    if (known->ending != time) {
        known->ending = time;
        known->longest_before = region->visits.longest;
    }
    return known->longest_before;
}

/* Returns true if the event belongs to the noted end. Leaves written at the end may be some ticks apart. */
static bool is_at_end(const struct analysis_state *state, const struct analysis_ending *ending, uint64_t time)
{
    return ending->noted && omptape_minus(time, ending->time) <= state->short_idle / 10;
}

static void note(const struct analysis_state *state, struct analysis_location *location,
                 const struct omptape_event *event)
{
    const struct analysis_frame *top = location->top;
    const struct analysis_frame *shown = shown_frame(location);
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    struct analysis_ending *ending = &location->latest.ending;
    *ending = (struct analysis_ending){.noted = true,
                                       .in_task = top->task > 0,
                                       .kind = (uint8_t)kind_of(top),
                                       .time = event->time,
                                       .region = shown->region,
                                       .begin = shown->replay.begin};
    if (ending->region->kind == OMPTAPE_REGION_PROGRAM)
        ending->region = NULL;
    else
        ending->before = longest_before(shown->region, event->time);
    if (membership != NULL) {
        ending->team = membership->team->instance + 1;
        ending->comm = membership->team->replay.comm;
    }
    find_barrier(location, ending);
    uint64_t lock;
    ending->has_lock = omptape_event_number(state->reader, event, READER_AWAITED_LOCK, &lock);
    ending->lock = (uint32_t)lock;
}

void omptape_analysis_note_unreported_leave(struct analysis_state *state, struct analysis_location *location,
                                            const struct omptape_event *event)
{
    omptape_analysis_calls(state, location, event);
    if (is_at_end(state, &location->latest.ending, event->time))
        return;
    if (location->top != NULL && location->top->region->kind != OMPTAPE_REGION_PROGRAM) {
        location->latest.left = location->top->region;
        location->latest.left_time = event->time;
    }
    if (location->top != NULL && omptape_analysis_attribute(state, event, READER_SYNTHESISED) != 0)
        note(state, location, event);
}

void omptape_analysis_note_running(const struct analysis_state *state, struct analysis_location *location,
                                   uint64_t time, uint64_t running_ns)
{
    /* Shorter intervals are not significant. */
    enum { MIN_NS = 50000000, WHOLE = 1000 };
    const double ns = (double)omptape_minus(time, location->reading.time) * state->ns_per_tick;
    const double ran = (double)omptape_minus(running_ns, location->reading.running_ns);
    if (ns >= (double)MIN_NS)
        location->latest.running = 1 + omptape_whole(ran < ns ? (double)WHOLE * ran / ns : (double)WHOLE);
}

static struct analysis_location *thread_at(const struct analysis_state *state, uint64_t id)
{
    struct analysis_location *location = omptape_pairs_get(&state->locations, 0, id);
    return location != NULL && location->thread != NULL ? location : NULL;
}

/* Returns true if the thread's last region was never left. */
static bool is_open(const struct analysis_state *state, const struct analysis_location *location)
{
    return is_at_end(state, &location->latest.ending, location->last);
}

static void await(struct analysis_open *open, const struct analysis_location *other)
{
    if (open->awaited_count < ANALYSIS_OPEN_AWAITED)
        open->awaited[open->awaited_count] = other->id + 1;
    open->awaited_count++;
}

/* Returns true if `waiting` waits for `other`, a member of its team. */
typedef bool is_awaited(const struct analysis_state *state, const struct analysis_location *waiting,
                        const struct analysis_location *other);

static void await_members(const struct analysis_state *state, struct analysis_open *open,
                          const struct analysis_location *waiting, const struct replay_comm *comm,
                          is_awaited *is)
{
    for (uint32_t i = 0; comm != NULL && i < comm->size; i++) {
        const struct analysis_location *other = thread_at(state, comm->locations[i]);
        if (other != NULL && other != waiting && is(state, waiting, other))
            await(open, other);
    }
}

static bool is_absent(const struct analysis_state *state, const struct analysis_location *waiting,
                      const struct analysis_location *other)
{
    return !is_open(state, other) || other->latest.ending.barrier != waiting->latest.ending.barrier;
}

static bool executes_task(const struct analysis_state *state, const struct analysis_location *waiting,
                          const struct analysis_location *other)
{
    (void)waiting;
    return is_open(state, other) && other->latest.ending.in_task;
}

/* Used for an ordered region: events do not show whose turn it is. */
static bool is_elsewhere(const struct analysis_state *state, const struct analysis_location *waiting,
                         const struct analysis_location *other)
{
    return is_open(state, other) && other->latest.ending.team == waiting->latest.ending.team &&
           !(other->latest.ending.kind == ANALYSIS_OPEN_LOCK &&
             other->latest.ending.region == waiting->latest.ending.region);
}

static void await_holder(struct analysis_state *state, struct analysis_open *open,
                         const struct analysis_location *waiting)
{
    const struct analysis_ending *ending = &waiting->latest.ending;
    const struct analysis_held_lock *lock =
        ending->has_lock ? omptape_pairs_get(&state->locks, waiting->process,
                                             omptape_analysis_lock_name(OTF2_PARADIGM_OPENMP, ending->lock))
                         : NULL;
    if (lock != NULL && lock->last.holder != NULL && lock->last.released == 0) {
        await(open, lock->last.holder);
        open->held_since = lock->last.acquired;
        open->held = lock->run.region != NULL ? lock->run.region->definition->id + 1 : 0;
        open->doubled = lock->last.holder == waiting;
    } else if (ending->region != NULL && ending->region->kind == OMPTAPE_REGION_ORDERED) {
        await_members(state, open, waiting, ending->comm, is_elsewhere);
    }
}

static void find_awaited(struct analysis_state *state, struct analysis_open *open,
                         const struct analysis_location *location)
{
    const struct analysis_ending *ending = &location->latest.ending;
    if (open->kind == ANALYSIS_OPEN_LOCK)
        await_holder(state, open, location);
    if (open->kind == ANALYSIS_OPEN_TEAM)
        await_members(state, open, location, ending->barrier_comm, is_absent);
    if (open->kind == ANALYSIS_OPEN_TASKS)
        await_members(state, open, location, ending->comm, executes_task);
    if (open->kind == ANALYSIS_OPEN_TEAM && open->awaited_count == 0)
        await_members(state, open, location, ending->barrier_comm, executes_task);
}

static void add_open(struct analysis_state *state, const struct analysis_location *location)
{
    const struct analysis_ending *ending = &location->latest.ending;
    const bool noted = is_open(state, location);
    struct analysis_open *open =
        omptape_pairs_obtain(&state->opens, &state->arena, 0, location->id, sizeof(*open));
    if (open == NULL)
        return;
    open->kind = location->outside == OMPTAPE_BUCKET_IDLE ? ANALYSIS_OPEN_IDLE : ANALYSIS_OPEN_WORK;
    open->end = location->last;
    open->running = location->latest.running;
    open->begin = location->first;
    if (location->latest.left != NULL) {
        open->left = location->latest.left->definition->id + 1;
        open->begin = location->latest.left_time;
    }
    if (!noted)
        return;
    open->kind = ending->kind;
    open->begin = ending->begin;
    open->before = ending->before;
    open->region = ending->region != NULL ? ending->region->definition->id + 1 : 0;
    find_awaited(state, open, location);
}

/* Returns true if a process did not end by itself. Archives of other tools lack this property. */
static bool was_ended(const struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->result->process_count; i++) {
        const char *end =
            omptape_reader_property_of(state->reader, state->result->processes[i].number, OMPTAPE_KEY_END);
        if (end != NULL && strcmp(end, "finalize") != 0)
            return true;
    }
    return false;
}

void omptape_analysis_opens_end(struct analysis_state *state)
{
    bool any = was_ended(state);
    for (uint32_t i = 0; i < state->locations.count && !any; i++)
        any = is_open(state, state->locations.list[i].value);
    for (uint32_t i = 0; i < state->locations.count && any && !state->windowed; i++) {
        const struct analysis_location *location = state->locations.list[i].value;
        if (location->thread != NULL && location->seen)
            add_open(state, location);
    }
}
