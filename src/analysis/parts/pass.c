/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one pass over the events (pass.h): hands each to the file that knows its family.
 */
#include "src/analysis/parts/pass.h"

#include "src/analysis/causes.h"
#include "src/analysis/devices.h"
#include "src/analysis/location.h"
#include "src/analysis/locks.h"
#include "src/analysis/loops.h"
#include "src/analysis/mpi/bytes.h"
#include "src/analysis/mpi/sites.h"
#include "src/analysis/regions.h"
#include "src/analysis/state.h"
#include "src/analysis/tasks.h"
#include "src/analysis/team.h"

#include <stdlib.h>

static int list_processes(struct analysis_state *state, uint32_t first, uint32_t count)
{
    struct omptape_analysis *result = state->result;
    result->processes = omptape_arena_take(&result->arena, (count + (size_t)1) * sizeof(*result->processes));
    state->processes = omptape_arena_take(&state->arena, (count + (size_t)1) * sizeof(*state->processes));
    if (result->processes == NULL || state->processes == NULL)
        return -1;
    state->first_process = first;
    result->process_count = count;
    for (uint32_t i = 0; i < count; i++) {
        result->processes[i].group = state->plan->processes[first + i].group;
        result->processes[i].number = state->plan->processes[first + i].number;
        result->processes[i].most_threads = 1;
    }
    return 0;
}

struct analysis_state *omptape_pass_begin(const struct analysis_plan *plan, uint32_t first, uint32_t count)
{
    struct analysis_state *state = malloc(sizeof(*state));
    struct omptape_analysis *result = calloc(1, sizeof(*result));
    if (state == NULL || result == NULL) {
        free(state);
        free(result);
        return NULL;
    }
    *state = *plan->first;
    result->reader = plan->reader;
    state->result = result;
    if (list_processes(state, first, count) != 0) {
        omptape_pass_free(state);
        return NULL;
    }
    return state;
}

static void on_metric(struct analysis_state *state, struct analysis_location *location,
                      const struct omptape_event *event)
{
    if (event->count == 2 && event->types[0] == OTF2_TYPE_UINT64 && event->types[1] == OTF2_TYPE_UINT64)
        omptape_analysis_sched(state, location, event->time, event->values[0].unsigned_int,
                               event->values[1].unsigned_int);
}

/* Does the event belong to the creation of a task that the one before began? */
static bool is_in_creation(const struct omptape_event *event, const struct analysis_region *region)
{
    return event->kind == OMPTAPE_EVENT_TASK_CREATE || event->kind == OMPTAPE_EVENT_PARAMETER ||
           (event->kind == OMPTAPE_EVENT_LEAVE && region != NULL &&
            region->kind == OMPTAPE_REGION_TASK_CREATE);
}

static void on_region(struct analysis_state *state, struct analysis_location *location,
                      const struct omptape_event *event, struct analysis_region *region)
{
    if (region == NULL)
        return;
    if (event->kind == OMPTAPE_EVENT_LEAVE) {
        omptape_analysis_leave(state, location, event->time, region);
        return;
    }
    omptape_analysis_enter(state, location, event->time, region);
    switch (region->kind) {
    case OMPTAPE_REGION_LOOP:
    case OMPTAPE_REGION_LOOP_CHUNK:
    case OMPTAPE_REGION_DISTRIBUTE:
    case OMPTAPE_REGION_DISTRIBUTE_CHUNK:
    case OMPTAPE_REGION_SECTIONS:
        omptape_analysis_loop_enter(state, location, event);
        break;
    case OMPTAPE_REGION_TARGET_TO_DEVICE:
    case OMPTAPE_REGION_TARGET_FROM_DEVICE:
        omptape_analysis_transfer_enter(state, location, event);
        break;
    default:
        break;
    }
}

static void on_thread_event(struct analysis_state *state, struct analysis_location *location,
                            const struct omptape_event *event)
{
    struct analysis_region *region = event->kind == OMPTAPE_EVENT_ENTER || event->kind == OMPTAPE_EVENT_LEAVE
                                         ? omptape_analysis_region(state, event->refs[0].id)
                                         : NULL;
    if (region != NULL && region->kind == OMPTAPE_REGION_MPI)
        region = omptape_analysis_mpi_call(state, location, event, region);
    bool creates =
        event->kind == OMPTAPE_EVENT_ENTER && region != NULL && region->kind == OMPTAPE_REGION_TASK_CREATE;
    bool in_creation = is_in_creation(event, region);
    if (location->created != NULL && !in_creation && !creates)
        omptape_analysis_task_created_after(state, location, event->time);
    switch (event->kind) {
    case OMPTAPE_EVENT_ENTER:
    case OMPTAPE_EVENT_LEAVE:
        on_region(state, location, event, region);
        break;
    case OMPTAPE_EVENT_FORK:
        omptape_analysis_fork(state, location, event->time);
        break;
    case OMPTAPE_EVENT_JOIN:
        omptape_analysis_join(state, location, event->time);
        break;
    case OMPTAPE_EVENT_TEAM_BEGIN:
        omptape_analysis_team_begin(state, location, event->time, event->refs[0].id);
        break;
    case OMPTAPE_EVENT_TEAM_END:
        omptape_analysis_team_end(state, location, event->time);
        break;
    case OMPTAPE_EVENT_TASK_CREATE:
        omptape_analysis_task_create(state, location, event);
        break;
    case OMPTAPE_EVENT_TASK_SWITCH:
        omptape_analysis_task_switch(state, location, event);
        break;
    case OMPTAPE_EVENT_TASK_COMPLETE:
        omptape_analysis_task_complete(state, location, event);
        break;
    case OMPTAPE_EVENT_LOCK_ACQUIRE:
        omptape_analysis_lock_acquire(state, location, event);
        break;
    case OMPTAPE_EVENT_LOCK_RELEASE:
        omptape_analysis_lock_release(state, location, event);
        break;
    case OMPTAPE_EVENT_PARAMETER:
        omptape_analysis_loop_schedule(state, location, event);
        omptape_analysis_turn(state, location, event);
        omptape_analysis_task_depend(state, location, event);
        break;
    case OMPTAPE_EVENT_METRIC:
        on_metric(state, location, event);
        break;
    case OMPTAPE_EVENT_MPI_SEND:
    case OMPTAPE_EVENT_MPI_RECEIVE:
    case OMPTAPE_EVENT_MPI_COLLECTIVE:
    case OMPTAPE_EVENT_MPI_COLLECTIVE_LATER:
        omptape_analysis_message(state, location, event);
        break;
    case OMPTAPE_EVENT_MPI_SENT:
    case OMPTAPE_EVENT_MPI_POSTED:
    case OMPTAPE_EVENT_MPI_COLLECTIVE_POSTED:
    case OMPTAPE_EVENT_RMA_COLLECTIVE:
    case OMPTAPE_EVENT_RMA_GROUP:
    case OMPTAPE_EVENT_RMA_LOCK:
    case OMPTAPE_EVENT_RMA_UNLOCK:
    case OMPTAPE_EVENT_RMA_OPERATION:
    case OMPTAPE_EVENT_RMA_COMPLETE:
        location->thread->messages++;
        break;
    case OMPTAPE_EVENT_IO_OPERATION:
        omptape_analysis_io_begin(state, location, event);
        break;
    case OMPTAPE_EVENT_IO_COMPLETE:
        omptape_analysis_io_complete(state, location, event);
        break;
    case OMPTAPE_EVENT_BUFFER_FLUSH:
        omptape_analysis_book(state, location, event->time);
        omptape_analysis_stall(state, location, event->time, event->value[0]);
        break;
    default:
        break;
    }
    if (!in_creation && !creates)
        location->created = NULL;
    location->has_switched = event->kind == OMPTAPE_EVENT_TASK_SWITCH && event->value[1] != 0;
}

static uint64_t within(const struct analysis_state *state, uint64_t time)
{
    time = time > state->from ? time : state->from;
    return time < state->to ? time : state->to;
}

static void first_event(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    location->seen = true;
    location->booked = time;
    if (location->thread == NULL)
        return;
    location->thread->begin = within(state, time);
    location->serial_begin = time;
    location->told.time = time;
    struct analysis_process *process = &state->result->processes[location->process];
    if (process->begin == 0 || location->thread->begin < process->begin)
        process->begin = location->thread->begin;
}

static void count_event(struct analysis_state *state, uint64_t time)
{
    struct analysis_whole *whole = &state->whole;
    time = within(state, time);
    if (whole->begin == 0 || time < whole->begin)
        whole->begin = time;
    whole->end = time > whole->end ? time : whole->end;
    whole->events += state->inside;
}

bool omptape_pass_event(void *pass, const struct omptape_event *event)
{
    struct analysis_state *state = pass;
    struct analysis_location *location = omptape_analysis_location(state, event->location);
    if (state->options != NULL && state->options->done != NULL)
        ++*state->options->done;
    if (location == NULL || !location->wanted)
        return !state->no_memory;
    state->inside = event->time >= state->from && event->time <= state->to;
    if (!location->seen)
        first_event(state, location, event->time);
    count_event(state, event->time);
    location->records += event->time != location->last;
    if (location->thread != NULL) {
        location->thread->events += state->inside;
        on_thread_event(state, location, event);
    } else {
        omptape_analysis_device_event(state, location, event);
    }
    location->last = event->time;
    const struct omptape_analysis_watcher *watcher = state->options == NULL ? NULL : state->options->watcher;
    state->stopped = watcher != NULL && !watcher->event(watcher->data, event);
    return !state->no_memory && !state->stopped;
}

bool omptape_pass_end(struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->locations.count; i++) {
        struct analysis_location *location = state->locations.list[i].value;
        omptape_analysis_end_location(state, location);
        if (location->thread == NULL)
            continue;
        location->thread->end = within(state, location->last);
        struct analysis_process *process = &state->result->processes[location->process];
        process->end = location->thread->end > process->end ? location->thread->end : process->end;
    }
    for (uint32_t i = 0; i < state->result->process_count; i++)
        state->processes[i].counted = true;
    omptape_analysis_loops_end(state);
    return !state->no_memory;
}

void omptape_pass_free(struct analysis_state *state)
{
    if (state == NULL)
        return;
    struct omptape_pairs *tables[] = {
        &state->locations,    &state->regions,    &state->comms,      &state->places,  &state->causes,
        &state->parallels,    &state->task_sites, &state->lock_sites, &state->locks,   &state->serials,
        &state->transfers,    &state->mpi,        &state->late,       &state->loops,   &state->loop_threads,
        &state->lock_holders, &state->sent,       &state->io,         &state->devices, &state->waiting_tasks,
        &state->address_ends};
    if (state->result != NULL)
        omptape_analysis_locks_free(state);
    omptape_analysis_teams_free(state);
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        omptape_pairs_free(tables[i]);
    omptape_rows_free(&state->sites);
    omptape_rows_free(&state->addresses);
    omptape_arena_free(&state->arena);
    omptape_analysis_free(state->result);
    free(state);
}
