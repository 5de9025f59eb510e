/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one pass over the events (analysis.h): hands each to the file that knows its family.
 */
#include "src/analysis/regions.h"
#include "src/analysis/state.h"

#include <omptape/properties.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHORT_IDLE_NS = 10000, CREATION_CAP_NS = 3000 };

static uint64_t property_number(const struct analysis_state *state, int64_t process, const char *key)
{
    const char *text = omptape_reader_property_of(state->reader, process, key);
    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

static const char *node_of(struct analysis_state *state, const struct omptape_definition *group)
{
    return omptape_reader_text(
        &state->result->arena,
        omptape_reader_name(state->reader, OMPTAPE_DEF_SYSTEM_TREE_NODE, group->refs[1].id));
}

static bool is_wanted(const struct analysis_state *state, int64_t process)
{
    const struct omptape_analysis_options *options = state->options;
    return options == NULL || options->wants_process == NULL ||
           options->wants_process(options->data, process);
}

static int list_processes(struct analysis_state *state)
{
    struct omptape_reader *reader = state->reader;
    struct omptape_analysis *result = state->result;
    uint32_t processes = 0;
    uint32_t threads = 0;
    for (uint32_t i = 0; i < reader->definition_count; i++) {
        processes += reader->definitions[i]->kind == OMPTAPE_DEF_LOCATION_GROUP;
        threads += reader->definitions[i]->kind == OMPTAPE_DEF_LOCATION;
    }
    result->processes = omptape_arena_take(&result->arena, (processes + 1) * sizeof(*result->processes));
    result->thread_list = omptape_arena_take(&result->arena, (threads + 1) * sizeof(*result->thread_list));
    state->processes = omptape_arena_take(&state->arena, (processes + 1) * sizeof(*state->processes));
    if (result->processes == NULL || result->thread_list == NULL || state->processes == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < reader->definition_count; i++) {
        const struct omptape_definition *group = reader->definitions[i];
        if (group->kind != OMPTAPE_DEF_LOCATION_GROUP ||
            group->value[0] != OTF2_LOCATION_GROUP_TYPE_PROCESS ||
            !is_wanted(state, omptape_reader_process_number(reader, group->id)))
            continue;
        struct analysis_process *process = &result->processes[result->process_count++];
        process->group = group;
        process->number = omptape_reader_process_number(reader, group->id);
        process->name = omptape_reader_text(
            &result->arena, omptape_reader_name(reader, OMPTAPE_DEF_LOCATION_GROUP, group->id));
        process->node = node_of(state, group);
        process->processors = property_number(state, process->number, "INFO::PROCS");
        process->most_threads = 1;
        if (process->name == NULL || process->node == NULL)
            return -ENOMEM;
    }
    return 0;
}

static void on_metric(struct analysis_state *state, struct analysis_location *location,
                      const struct omptape_event *event)
{
    if (event->count == 2 && event->types[0] == OTF2_TYPE_UINT64 && event->types[1] == OTF2_TYPE_UINT64)
        omptape_analysis_sched(state, location, event->values[0].unsigned_int, event->values[1].unsigned_int);
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
    if (region->kind == OMPTAPE_REGION_LOOP || region->kind == OMPTAPE_REGION_SECTIONS)
        omptape_analysis_loop_iterations(state, region, event);
    else if (region->kind == OMPTAPE_REGION_TARGET_TO_DEVICE ||
             region->kind == OMPTAPE_REGION_TARGET_FROM_DEVICE)
        omptape_analysis_transfer_enter(state, location, event);
}

static void on_thread_event(struct analysis_state *state, struct analysis_location *location,
                            const struct omptape_event *event)
{
    struct analysis_region *region = event->kind == OMPTAPE_EVENT_ENTER || event->kind == OMPTAPE_EVENT_LEAVE
                                         ? omptape_analysis_region(state, event->refs[0].id)
                                         : NULL;
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
        omptape_analysis_task_depend(state, location, event);
        break;
    case OMPTAPE_EVENT_METRIC:
        on_metric(state, location, event);
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
    struct analysis_process *process = &state->result->processes[location->process];
    if (process->begin == 0 || location->thread->begin < process->begin)
        process->begin = location->thread->begin;
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct analysis_state *state = data;
    struct analysis_location *location = omptape_analysis_location(state, event->location);
    struct omptape_analysis *result = state->result;
    if (state->options != NULL && state->options->done != NULL)
        ++*state->options->done;
    if (location == NULL || !location->wanted)
        return !state->no_memory;
    state->inside = event->time >= state->from && event->time <= state->to;
    if (!location->seen)
        first_event(state, location, event->time);
    if (result->end == 0)
        result->begin = within(state, event->time);
    result->events += state->inside;
    result->end = within(state, event->time) > result->end ? within(state, event->time) : result->end;
    if (location->thread != NULL) {
        location->thread->events += state->inside;
        on_thread_event(state, location, event);
    } else {
        omptape_analysis_device_event(state, location, event);
    }
    location->last = event->time;
    const struct omptape_analysis_watcher *watcher = state->options == NULL ? NULL : state->options->watcher;
    return !state->no_memory && (watcher == NULL || watcher->event(watcher->data, event));
}

static void end_locations(struct analysis_state *state)
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
}

static void free_state(struct analysis_state *state)
{
    struct omptape_pairs *tables[] = {
        &state->locations, &state->regions,    &state->comms,      &state->places, &state->causes,
        &state->parallels, &state->task_sites, &state->lock_sites, &state->locks,  &state->serials,
        &state->transfers, &state->loops,      &state->sent,       &state->devices};
    for (uint32_t i = 0; i < state->lock_sites.count; i++)
        omptape_hash_free(&((struct analysis_lock_site *)state->lock_sites.list[i].value)->askers);
    omptape_analysis_teams_free(state);
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        omptape_pairs_free(tables[i]);
    omptape_rows_free(&state->sites);
    omptape_rows_free(&state->addresses);
    omptape_arena_free(&state->arena);
}

int omptape_analysis_run(struct omptape_analysis **analysis, struct omptape_reader *reader,
                         const struct omptape_analysis_options *options, char *error, size_t error_bytes)
{
    struct omptape_analysis *result = calloc(1, sizeof(*result));
    *analysis = result;
    if (result == NULL) {
        snprintf(error, error_bytes, "out of memory");
        return -ENOMEM;
    }
    result->reader = reader;
    struct analysis_state state = {.result = result, .reader = reader, .options = options};
    double resolution = reader->clock_resolution > 0 ? (double)reader->clock_resolution : 1e9;
    state.ns_per_tick = 1e9 / resolution;
    state.short_idle = (uint64_t)((double)SHORT_IDLE_NS / state.ns_per_tick) + 1;
    state.creation_cap = (uint64_t)((double)CREATION_CAP_NS / state.ns_per_tick) + 1;
    state.from = options != NULL ? options->from : 0;
    state.to = options != NULL && options->to > 0 ? options->to : UINT64_MAX;
    omptape_analysis_attributes_find(&state);
    int status = list_processes(&state);
    if (status == 0)
        status = omptape_reader_read_events(reader, on_event, &state, error, error_bytes);
    end_locations(&state);
    if (status == 0 && !state.no_memory)
        status = omptape_analysis_results(&state);
    if (status == -ENOMEM || state.no_memory) {
        snprintf(error, error_bytes, "out of memory");
        status = -ENOMEM;
    }
    free_state(&state);
    return status;
}

void omptape_analysis_free(struct omptape_analysis *analysis)
{
    if (analysis == NULL)
        return;
    free(analysis->regions);
    free(analysis->loops);
    free(analysis->tasks);
    free(analysis->locks);
    free(analysis->serials);
    free(analysis->transfers);
    free(analysis->devices);
    free(analysis->findings);
    omptape_arena_free(&analysis->arena);
    free(analysis);
}

double omptape_analysis_seconds(const struct omptape_analysis *analysis, uint64_t ticks)
{
    uint64_t resolution = analysis->reader->clock_resolution;
    return (double)ticks / (resolution > 0 ? (double)resolution : 1e9);
}
