/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the pass over the events (pass.h): passes each event to the module of its family.
 */
#include "src/analysis/reduce/pass.h"

#include "src/analysis/causes.h"
#include "src/analysis/detected_loops.h"
#include "src/analysis/devices.h"
#include "src/analysis/interval_work.h"
#include "src/analysis/location.h"
#include "src/analysis/locks.h"
#include "src/analysis/loops.h"
#include "src/analysis/mpi/mpi.h"
#include "src/analysis/outliers.h"
#include "src/analysis/phases.h"
#include "src/analysis/reduce/endings.h"
#include "src/analysis/reduce/readings.h"
#include "src/analysis/sampled.h"
#include "src/analysis/serial.h"
#include "src/analysis/state.h"
#include "src/analysis/tasks.h"
#include "src/analysis/team.h"
#include "src/analysis/values.h"
#include "src/archive/read/regions.h"

#include <stdlib.h>

/* Inlined, because each event runs through it. */
#define COMPILED_IN static inline __attribute__((always_inline))

static int list_processes(struct analysis_state *state, uint32_t first, uint32_t count)
{
    struct omptape_analysis *result = state->result;
    result->processes = omptape_arena_alloc(&result->arena, (count + (size_t)1) * sizeof(*result->processes));
    state->processes = omptape_arena_alloc(&state->arena, (count + (size_t)1) * sizeof(*state->processes));
    if (result->processes == NULL || state->processes == NULL)
        return -1;
    state->first_process = first;
    result->process_count = count;
    for (uint32_t i = 0; i < count; i++) {
        result->processes[i].group = state->plan->processes[first + i].group;
        result->processes[i].number = state->plan->processes[first + i].number;
        result->processes[i].most_threads = 1;
        state->processes[i].wall_by_computing = result->processes[i].wall_by_computing;
    }
    return 0;
}

void omptape_pass_set_options(struct analysis_state *state, const struct omptape_analysis_options *options)
{
    state->options = options;
    state->observer = options != NULL ? options->observer : NULL;
    state->done = options != NULL && options->done != NULL ? options->done : &state->uncounted;
}

struct analysis_state *omptape_pass_begin(const struct analysis_plan *plan, uint32_t first, uint32_t count)
{
    struct analysis_state *state = malloc(sizeof(*state));
    struct omptape_analysis *result = omptape_calloc(1, sizeof(*result));
    if (state == NULL || result == NULL) {
        free(state);
        free(result);
        return NULL;
    }
    *state = *plan->first;
    state->teams = (struct replay_teams){.reader = plan->reader, .team_bytes = sizeof(struct analysis_team)};
    result->reader = plan->reader;
    state->result = result;
    omptape_pass_set_options(state, state->options);
    omptape_counted_list(state);
    if (list_processes(state, first, count) != 0) {
        omptape_pass_free(state);
        return NULL;
    }
    return state;
}

static void on_metric(struct analysis_state *state, struct analysis_location *location,
                      const struct omptape_event *event)
{
    enum { SYSTEM = 2, MINOR = 3, VOLUNTARY = 5 };
    if (state->counts && omptape_event_is_of_counters(event)) {
        omptape_analysis_book_all(state, location, event->time);
        omptape_counted_event(state, location, event);
    }
    if (location->thread != NULL && event->count == 1)
        omptape_values_event(state, event);
    if (!omptape_event_is_scheduling_metric(event))
        return;
    /* A reading at a context switch repeats the older counts. */
    const struct analysis_details *before = &location->interval.details;
    const bool is_fresh =
        event->count > VOLUNTARY && (event->values[SYSTEM].unsigned_int != before->system_ns ||
                                     event->values[MINOR].unsigned_int != before->minor_faults);
    const bool awake = is_fresh && event->values[VOLUNTARY].unsigned_int == before->voluntary;
    omptape_analysis_book_all(state, location, event->time);
    omptape_analysis_note_running(state, location, event->time, event->values[0].unsigned_int);
    omptape_analysis_sched(state, location, state->windowed ? state->time : event->time,
                           event->values[0].unsigned_int, event->values[1].unsigned_int, awake);
    omptape_interval_details(state, location, event);
    omptape_initial_change(state, location, event->time);
}

/* Returns the region of an MPI event. It is the region of the call's place, which is an attribute of the
 * Enter (docs/mapping.md), or the function's region. Results are therefore reported by place. */
__attribute__((noinline)) static struct analysis_region *call_of(struct analysis_state *state,
                                                                 const struct analysis_location *location,
                                                                 const struct omptape_event *event,
                                                                 struct analysis_region *function)
{
    if (event->kind == OMPTAPE_EVENT_ENTER) {
        const uint64_t call = omptape_event_call_region(state->reader, event);
        struct analysis_region *region =
            call == function->definition->id ? function : omptape_analysis_region(state, call);
        if (region != NULL)
            omptape_phases_note(location, event->time, &region->within);
        return region;
    }
    for (uint32_t i = location->replay.depth; i-- > replay_search_end(&location->replay);)
        if (analysis_frames(location)[i].region->kind == OMPTAPE_REGION_MPI)
            return analysis_frames(location)[i].region;
    return function;
}

/* Returns the region of an event; NULL if it is not defined. */
COMPILED_IN struct analysis_region *
region_of(struct analysis_state *state, struct analysis_location *location, const struct omptape_event *event)
{
    struct analysis_region *region = omptape_analysis_region(state, event->refs[0].id);
    return region != NULL && region->kind == OMPTAPE_REGION_MPI ? call_of(state, location, event, region)
                                                                : region;
}

/* Handles an Enter or Leave. `region` is NULL if it is not defined. */
COMPILED_IN void on_visit(struct analysis_state *state, struct analysis_location *location,
                          const struct omptape_event *event, struct analysis_region *region)
{
    if (event->kind == OMPTAPE_EVENT_LEAVE)
        omptape_analysis_note_leave(state, location, event);
    if (region == NULL)
        omptape_analysis_brief_event(state, location, event->time);
    else if (event->kind == OMPTAPE_EVENT_LEAVE)
        omptape_analysis_leave(state, location, event->time, region);
    else
        omptape_analysis_enter(state, location, event->time, region, event);
}

static void on_team(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                    enum omptape_event_kind kind, uint64_t ref, uint64_t asked)
{
    const bool after_creation = omptape_analysis_begin_event(state, location, time);
    switch (kind) {
    case OMPTAPE_EVENT_FORK:
        omptape_analysis_fork(state, location, time, asked);
        break;
    case OMPTAPE_EVENT_JOIN:
        omptape_analysis_join(state, location, time);
        break;
    case OMPTAPE_EVENT_TEAM_BEGIN:
        omptape_analysis_team_begin(state, location, time, ref);
        break;
    default:
        omptape_analysis_team_end(state, location, time);
        break;
    }
    omptape_analysis_end_event(location, time, after_creation);
}

/* Handles an event of a team, task or lock. Returns false for other events. */
COMPILED_IN bool on_words(struct analysis_state *pass, struct analysis_location *location, uint64_t time,
                          enum omptape_event_kind kind, uint64_t ref, const uint64_t *value)
{
    switch (kind) {
    case OMPTAPE_EVENT_FORK:
    case OMPTAPE_EVENT_JOIN:
    case OMPTAPE_EVENT_TEAM_BEGIN:
    case OMPTAPE_EVENT_TEAM_END:
        on_team(pass, location, time, kind, ref, value[0]);
        return true;
    case OMPTAPE_EVENT_TASK_CREATE:
        omptape_analysis_task_create(pass, location, time, omptape_event_task(value));
        return true;
    case OMPTAPE_EVENT_TASK_SWITCH:
        omptape_analysis_task_switch(pass, location, time, omptape_event_task(value));
        return true;
    case OMPTAPE_EVENT_TASK_COMPLETE:
        omptape_analysis_task_complete(pass, location, time, omptape_event_task(value));
        return true;
    case OMPTAPE_EVENT_LOCK_ACQUIRE:
        omptape_analysis_lock_acquire(pass, location, time, omptape_analysis_lock_name(ref, value[0]));
        return true;
    case OMPTAPE_EVENT_LOCK_RELEASE:
        omptape_analysis_lock_release(pass, location, time, omptape_analysis_lock_name(ref, value[0]));
        return true;
    default:
        return false;
    }
}

bool omptape_pass_construct_event(struct analysis_state *pass, struct analysis_location *location,
                                  uint64_t time, enum omptape_event_kind kind, uint64_t ref,
                                  const uint64_t *value)
{
    return on_words(pass, location, time, kind, ref, value);
}

/* Handles a collective operation of all ranks, if the thread calls it outside of teams. */
static void on_collective(struct analysis_state *state, const struct analysis_location *location,
                          uint64_t time)
{
    const uint32_t end = replay_search_end(&location->replay);
    for (uint32_t i = location->replay.depth; location->teams.depth == 0 && i-- > end;) {
        struct analysis_region *region = analysis_frames(location)[i].region;
        if (region->kind != OMPTAPE_REGION_MPI)
            continue;
        omptape_detected_loops_begin(state, location, time, region);
        omptape_detected_loops_end(state, location, time);
        return;
    }
}

static void handle_other_event(struct analysis_state *state, struct analysis_location *location,
                               const struct omptape_event *event)
{
    switch (event->kind) {
    case OMPTAPE_EVENT_PARAMETER:
        omptape_analysis_loop_schedule(state, location, event);
        omptape_analysis_turn(state, location, event);
        omptape_analysis_task_depend(state, location, event);
        omptape_phases_number(state, location, event);
        break;
    case OMPTAPE_EVENT_METRIC:
        on_metric(state, location, event);
        break;
    case OMPTAPE_EVENT_MPI_COLLECTIVE:
        on_collective(state, location, event->time);
        omptape_analysis_message(state, location, event);
        break;
    case OMPTAPE_EVENT_MPI_SEND:
    case OMPTAPE_EVENT_MPI_RECEIVE:
    case OMPTAPE_EVENT_MPI_COLLECTIVE_LATER:
    case OMPTAPE_EVENT_RMA_OPERATION:
        omptape_analysis_message(state, location, event);
        break;
    case OMPTAPE_EVENT_MPI_SENT:
    case OMPTAPE_EVENT_MPI_POSTED:
    case OMPTAPE_EVENT_MPI_COLLECTIVE_POSTED:
    case OMPTAPE_EVENT_RMA_COLLECTIVE:
    case OMPTAPE_EVENT_RMA_GROUP:
    case OMPTAPE_EVENT_RMA_LOCK:
    case OMPTAPE_EVENT_RMA_UNLOCK:
    case OMPTAPE_EVENT_RMA_COMPLETE:
        location->thread->messages++;
        break;
    case OMPTAPE_EVENT_IO_HANDLE:
        omptape_analysis_io_handle(state, location, event);
        break;
    case OMPTAPE_EVENT_IO_OPERATION:
        omptape_analysis_io_begin(state, location, event);
        break;
    case OMPTAPE_EVENT_IO_COMPLETE:
        omptape_analysis_io_complete(state, location, event);
        break;
    case OMPTAPE_EVENT_BUFFER_FLUSH:
        omptape_analysis_book_all(state, location, event->time);
        omptape_analysis_stall(location, event->time, omptape_analysis_within(state, event->value[0]));
        break;
    default:
        break;
    }
}

/* Parameters of a task's creation are its dependences, so they belong to the creation. */
static void on_other_event(struct analysis_state *state, struct analysis_location *location,
                           const struct omptape_event *event)
{
    if (event->kind == OMPTAPE_EVENT_PARAMETER) {
        omptape_analysis_count_event(state, location, event->time);
        handle_other_event(state, location, event);
        omptape_analysis_end_event(location, event->time, false);
        return;
    }
    if (omptape_event_changes_thread(state->reader, event)) {
        omptape_analysis_change_thread(state, location, event->time);
        return;
    }
    const bool after_creation = omptape_analysis_begin_event(state, location, event->time);
    handle_other_event(state, location, event);
    omptape_analysis_end_event(location, event->time, after_creation);
}

COMPILED_IN void on_thread_event(struct analysis_state *state, struct analysis_location *location,
                                 const struct omptape_event *event)
{
    if (event->kind == OMPTAPE_EVENT_ENTER || event->kind == OMPTAPE_EVENT_LEAVE)
        on_visit(state, location, event, region_of(state, location, event));
    else if (event->kind == OMPTAPE_EVENT_SAMPLE)
        omptape_sampled_event(state, location, event);
    else if (omptape_event_is_thread_lifetime(event))
        return; /* the kernel's record, which cost the program nothing */
    else if (!on_words(state, location, event->time, event->kind, event->refs[0].id, event->value))
        on_other_event(state, location, event);
}

static void begin_thread(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    struct analysis_process *process = &state->result->processes[location->process];
    location->thread->begin = omptape_analysis_within(state, time);
    location->reading.time = time;
    if (process->begin == 0 || location->thread->begin < process->begin)
        process->begin = location->thread->begin;
    omptape_initial_begin(state, location, location->thread->begin);
}

/* Notes the first event of a location. Of its times only the first and the last one count. */
static void first_event(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    if (!location->seen) {
        location->seen = true;
        location->booked = omptape_analysis_within(state, time);
        if (location->thread != NULL)
            begin_thread(state, location, time);
    }
    location->first = omptape_analysis_within(state, time);
}

/* Returns true if the event is analysed. */
__attribute__((noinline)) static bool look_at(struct analysis_state *state,
                                              struct analysis_location *location, uint64_t time)
{
    if (location == NULL || !location->wanted)
        return false;
    state->inside = time >= state->from && time <= state->to;
    location->beyond += !state->inside;
    if (location->first == 0)
        first_event(state, location, time);
    location->is_analysed = location->thread != NULL && location->first != 0 && !state->windowed;
    location->needs_no_observer =
        location->is_analysed && (state->observer == NULL || state->observer->counted != NULL);
    return true;
}

/* Handles an event of a device, or of a thread that OpenMP does not know. */
static void on_device_event(struct analysis_state *state, struct analysis_location *location,
                            const struct omptape_event *event)
{
    omptape_analysis_count_event(state, location, event->time);
    if (event->kind == OMPTAPE_EVENT_SAMPLE)
        omptape_sampled_event_of_other(state, location, event);
    else
        omptape_analysis_device_event(state, location, event);
    location->last = event->time;
}

/* Passes the event to the observer. Returns false if the observer wants no more events. */
static bool notify_observer(const struct analysis_state *state, const struct analysis_location *location,
                            const struct omptape_event *event)
{
    const struct omptape_analysis_observer *observer = state->observer;
    if (observer->counted != NULL && location->thread != NULL && event->kind != OMPTAPE_EVENT_METRIC)
        return true;
    return observer->event(observer->data, event);
}

static void on_any_event(struct analysis_state *state, struct analysis_location *location,
                         const struct omptape_event *event)
{
    if (location->thread != NULL)
        on_thread_event(state, location, event);
    else
        on_device_event(state, location, event);
}

/* Handles an event of a windowed analysis. Events before the window get its begin as time, later ones its
 * end. All durations therefore lie within the window. */
__attribute__((noinline)) static void on_windowed_event(struct analysis_state *state,
                                                        struct analysis_location *location,
                                                        const struct omptape_event *event)
{
    struct omptape_event within = *event;
    within.time = omptape_analysis_within(state, event->time);
    state->time = event->time;
    on_any_event(state, location, &within);
}

/* Handles less frequent cases: a location's first event, a device's, one in a window or for the observer. */
__attribute__((noinline)) static bool handle_any_event(struct analysis_state *state,
                                                       struct analysis_location *location,
                                                       const struct omptape_event *event)
{
    if ((location == NULL || !location->is_analysed) && !look_at(state, location, event->time))
        return !omptape_out_of_memory;
    if (state->windowed)
        on_windowed_event(state, location, event);
    else
        on_any_event(state, location, event);
    if (state->observer != NULL && !notify_observer(state, location, event))
        state->stopped = true;
    return omptape_pass_wants_events(state);
}

bool omptape_pass_event(void *pass, const struct omptape_event *event)
{
    struct analysis_state *state = pass;
    struct analysis_location *location = omptape_analysis_location(state, event->location);
    ++*state->done;
    if (location == NULL || !location->needs_no_observer || event->kind == OMPTAPE_EVENT_METRIC)
        return handle_any_event(state, location, event);
    on_thread_event(state, location, event);
    return omptape_pass_wants_events(state);
}

struct analysis_location *omptape_pass_location(struct analysis_state *pass, uint64_t id)
{
    struct analysis_location *location = omptape_analysis_location(pass, id);
    return location != NULL && location->needs_no_observer ? location : NULL;
}

struct analysis_region *omptape_pass_region(struct analysis_state *pass, uint64_t id)
{
    struct analysis_region *region = omptape_analysis_region(pass, id);
    return region != NULL && region->kind != OMPTAPE_REGION_MPI ? region : NULL;
}

bool omptape_pass_wants_events(const struct analysis_state *pass)
{
    return !omptape_out_of_memory && !pass->stopped;
}

static void end_location(struct analysis_state *state, struct analysis_location *location)
{
    struct analysis_whole *whole = &state->whole;
    omptape_analysis_end_location(state, location);
    whole->events += location->events - location->beyond;
    if (location->first != 0 && (whole->begin == 0 || location->first < whole->begin))
        whole->begin = location->first;
    if (location->seen)
        whole->end = omptape_greater(whole->end, location->last);
    if (state->observer != NULL && state->observer->counted != NULL)
        state->observer->counted(state->observer->data, location->definition, location->events);
    if (location->thread == NULL)
        return;
    struct analysis_process *process = &state->result->processes[location->process];
    location->thread->events = location->events - location->beyond;
    location->thread->end = location->last;
    process->end = location->thread->end > process->end ? location->thread->end : process->end;
}

bool omptape_pass_end(struct analysis_state *state)
{
    omptape_analysis_opens_end(state);
    for (uint32_t i = 0; i < state->locations.count; i++) {
        struct analysis_location *location = state->locations.list[i].value;
        if (location->initial != NULL)
            omptape_initial_advance(state, location, location->last);
    }
    for (uint32_t i = 0; i < state->locations.count; i++)
        end_location(state, state->locations.list[i].value);
    for (uint32_t i = 0; i < state->result->process_count; i++)
        state->processes[i].counted = true;
    omptape_detected_loops_add_phases(state);
    omptape_analysis_loops_end(state);
    omptape_outliers_end_pass(state);
    return !omptape_out_of_memory;
}

void omptape_pass_free(struct analysis_state *state)
{
    if (state == NULL)
        return;
    struct omptape_pairs *tables[] = {
        &state->locations,    &state->regions,      &state->causes,         &state->parallels,
        &state->task_sites,   &state->lock_sites,   &state->locks,          &state->serials,
        &state->transfers,    &state->mpi,          &state->late,           &state->loops,
        &state->loop_threads, &state->lock_holders, &state->sent,           &state->io,
        &state->devices,      &state->address_ends, &state->opens,          &state->initials,
        &state->outliers,     &state->sampled,      &state->serial_sampled, &state->other_sampled,
        &state->phases,       &state->steps,        &state->values,         &state->late_sampled,
        &state->phase_shares};
    if (state->result != NULL)
        omptape_analysis_locks_free(state);
    omptape_analysis_teams_free(state);
    omptape_readings_free(state);
    for (uint32_t i = 0; state->result != NULL && i < state->result->process_count; i++) {
        omptape_phases_free(&state->processes[i]);
        omptape_detected_loops_free(&state->processes[i]);
    }
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        omptape_pairs_free(tables[i]);
    omptape_hash_free(&state->waiting_tasks);
    free(state->cached_regions);
    omptape_rows_free(&state->sites);
    omptape_rows_free(&state->addresses);
    omptape_arena_free(&state->arena);
    omptape_analysis_free(state->result);
    free(state);
}
