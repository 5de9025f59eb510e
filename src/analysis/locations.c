/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locations, regions, and the stack of regions that are open on each location: what begins and ends with one
 * goes to the file that knows its family. Called for each event by run.c.
 */
#include "src/analysis/causes.h"
#include "src/analysis/devices.h"
#include "src/analysis/location.h"
#include "src/analysis/locks.h"
#include "src/analysis/regions.h"
#include "src/analysis/serial.h"
#include "src/analysis/shares.h"
#include "src/analysis/state.h"
#include "src/analysis/tasks.h"
#include "src/analysis/team.h"
#include "src/core/array.h"

#include <omptape/locations.h>
#include <stdlib.h>
#include <string.h>

/* Of a device's location the process whose device it is. False: it is not looked at. */
static bool find_process(const struct analysis_state *state, struct analysis_location *location)
{
    const struct analysis_process *process =
        omptape_analysis_process(state, location->definition->refs[1].id);
    if (process != NULL)
        location->process = (uint32_t)(process - state->result->processes);
    return process != NULL;
}

static void open_thread(struct analysis_state *state, struct analysis_location *location)
{
    struct omptape_analysis *result = state->result;
    struct analysis_thread *thread = omptape_arena_take(&result->arena, sizeof(*thread));
    if (thread == NULL) {
        state->no_memory = true;
        return;
    }
    const char *name = omptape_reader_name(state->reader, OMPTAPE_DEF_LOCATION, location->definition->id);
    thread->location = location->definition;
    thread->process = location->process;
    location->thread = thread;
    location->outside = strncmp(name, "OMP thread ", strlen("OMP thread ")) == 0 ? OMPTAPE_BUCKET_IDLE
                                                                                 : OMPTAPE_BUCKET_SERIAL;
    result->processes[location->process].threads++;
}

struct analysis_location *omptape_analysis_location(struct analysis_state *state, uint64_t id)
{
    if (state->last_location != NULL && state->last_location->definition->id == id)
        return state->last_location;
    struct analysis_location *location = omptape_pairs_get(&state->locations, 0, id);
    if (location == NULL) {
        const struct omptape_definition *definition =
            omptape_reader_find(state->reader, OMPTAPE_DEF_LOCATION, id);
        if (definition == NULL)
            return NULL;
        location = omptape_pairs_obtain(&state->locations, &state->arena, 0, id, sizeof(*location));
        if (location == NULL) {
            state->no_memory = true;
            return NULL;
        }
        location->definition = definition;
        location->wanted = find_process(state, location);
        if (omptape_location_is_thread(state->reader, definition) && location->wanted)
            open_thread(state, location);
        else if (location->wanted)
            omptape_analysis_device_open(
                state, location,
                omptape_reader_find(state->reader, OMPTAPE_DEF_LOCATION_GROUP, definition->refs[1].id));
    }
    state->last_location = location;
    return location;
}

struct analysis_region *omptape_analysis_region(struct analysis_state *state, uint64_t id)
{
    struct analysis_region *region = omptape_pairs_get(&state->regions, 0, id);
    const struct omptape_definition *definition =
        region != NULL ? NULL : omptape_reader_find(state->reader, OMPTAPE_DEF_REGION, id);
    if (region != NULL || definition == NULL)
        return region;
    struct omptape_arena *arena = &state->result->arena;
    region = omptape_pairs_obtain(&state->regions, arena, 0, id, sizeof(struct analysis_region_state));
    if (region == NULL) {
        state->no_memory = true;
        return NULL;
    }
    const struct omptape_reader *reader = state->reader;
    region->definition = definition;
    region->kind = omptape_region_kind_of(reader, definition);
    region->label = omptape_region_label(arena, reader, definition);
    region->function = omptape_reader_text(arena, omptape_reader_string(reader, definition->refs[2].id));
    region->file = omptape_reader_text(arena, omptape_reader_string(reader, definition->refs[3].id));
    region->line = (uint32_t)definition->value[2];
    if (region->label == NULL || region->function == NULL || region->file == NULL)
        state->no_memory = true;
    return region;
}

static bool is_part(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_LOOP_CHUNK || kind == OMPTAPE_REGION_DISTRIBUTE_CHUNK ||
           kind == OMPTAPE_REGION_TASKLOOP_CHUNK || kind == OMPTAPE_REGION_SECTION ||
           kind == OMPTAPE_REGION_SINGLE_SBLOCK;
}

/* Whose work it is what is done there: a chunk's is its loop's, a critical section's body that of what is
 * around it. */
static struct analysis_region *blamed_of(const struct analysis_location *location,
                                         struct analysis_region *region)
{
    if (region->kind < OMPTAPE_REGION_KIND_COUNT && !is_part(region->kind) &&
        omptape_bucket_rules[region->kind].rule != OMPTAPE_BUCKET_AROUND)
        return region;
    bool own = region->kind == OMPTAPE_REGION_LOOP || region->kind == OMPTAPE_REGION_SECTIONS ||
               region->kind == OMPTAPE_REGION_SINGLE || region->kind == OMPTAPE_REGION_MASKED ||
               region->kind == OMPTAPE_REGION_DISTRIBUTE || region->kind == OMPTAPE_REGION_WORKSHARE ||
               region->kind == OMPTAPE_REGION_SCOPE || region->kind == OMPTAPE_REGION_PROGRAM;
    if (own || location->depth == 0)
        return region;
    for (uint32_t i = location->depth; i-- > 0;)
        if (location->frames[i].bucket != OMPTAPE_BUCKET_LOCK || i == 0)
            return location->frames[i].blamed;
    return region;
}

/* As writers/translate/stack.c: who has got the lock that it asked for waits no more. */
static uint8_t bucket_of(const struct analysis_location *location, const struct analysis_region *region)
{
    const struct analysis_membership *membership =
        location->membership_count > 0 ? &location->memberships[location->membership_count - 1] : NULL;
    if (region->kind == OMPTAPE_REGION_PROGRAM)
        return OMPTAPE_BUCKET_SERIAL;
    const struct omptape_bucket_rule rule = region->kind < OMPTAPE_REGION_KIND_COUNT
                                                ? omptape_bucket_rules[region->kind]
                                                : (struct omptape_bucket_rule){0};
    if (rule.rule == OMPTAPE_BUCKET_UNLESS_SPARE && membership != NULL && membership->team->spare &&
        (location->depth == 0 || location->frames[location->depth - 1].task == 0))
        return OMPTAPE_BUCKET_IDLE;
    if (rule.rule != OMPTAPE_BUCKET_AROUND)
        return rule.bucket;
    for (uint32_t i = location->depth; i-- > 0;)
        if (location->frames[i].bucket != OMPTAPE_BUCKET_LOCK)
            return location->frames[i].bucket;
    return location->outside;
}

static uint8_t way_of(uint8_t bucket)
{
    switch (bucket) {
    case OMPTAPE_BUCKET_LOCK:
        return ANALYSIS_WAY_LOCK;
    case OMPTAPE_BUCKET_TRANSFER:
    case OMPTAPE_BUCKET_TARGET:
        return ANALYSIS_WAY_TARGET;
    case OMPTAPE_BUCKET_MPI:
        return ANALYSIS_WAY_MPI;
    default:
        return ANALYSIS_WAY_COMPUTING;
    }
}

static bool is_task(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_TASK || kind == OMPTAPE_REGION_TASK_UNTIED ||
           kind == OMPTAPE_REGION_TARGET_TASK;
}

static bool is_idle(const struct analysis_frame *frame)
{
    return frame != NULL &&
           (frame->bucket == OMPTAPE_BUCKET_BARRIER || frame->bucket == OMPTAPE_BUCKET_TASK_WAIT);
}

/* Idle stretches go on through the regions of waiting. */
static void follow_idle(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    if (state->processes[location->process].devices != NULL)
        omptape_analysis_device_host(state, location, time);
    omptape_analysis_follow_work(state, location, time);
    bool idle = is_idle(omptape_analysis_top(location));
    if (idle && !location->idle.open)
        omptape_analysis_idle_begin(state, location, time);
    else if (!idle && location->idle.open)
        omptape_analysis_idle_end(state, location, time);
}

static struct analysis_frame *push(struct analysis_state *state, struct analysis_location *location)
{
    struct analysis_frame *frames =
        omptape_array_reserve(location->frames, location->depth + 1, &location->frame_room, sizeof(*frames));
    if (frames == NULL) {
        state->no_memory = true;
        return NULL;
    }
    location->frames = frames;
    return &frames[location->depth];
}

void omptape_analysis_enter(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            struct analysis_region *region)
{
    if (region->kind == OMPTAPE_REGION_TASK_CREATE)
        omptape_analysis_task_created_by(state, location, time, region);
    else if (region->kind == OMPTAPE_REGION_PARALLEL || region->kind == OMPTAPE_REGION_TEAMS)
        omptape_analysis_team_named(location, region);
    omptape_analysis_book(state, location, time);
    struct analysis_frame *frame = push(state, location);
    if (frame == NULL)
        return;
    uint8_t bucket = bucket_of(location, region);
    *frame = (struct analysis_frame){.region = region,
                                     .blamed = blamed_of(location, region),
                                     .begin = time,
                                     .bucket = bucket,
                                     .way = way_of(bucket),
                                     .task = location->depth > 0 ? frame[-1].task : 0};
    location->depth++;
    if (is_task(region->kind)) {
        frame->task = location->depth;
        omptape_analysis_task_enter(state, location, time, frame);
    } else if (region->kind == OMPTAPE_REGION_PARALLEL || region->kind == OMPTAPE_REGION_TEAMS) {
        frame->task = 0; /* an implicit task's own */
        omptape_analysis_team_region(state, location, region);
    } else if (omptape_region_is_barrier(region->kind)) {
        omptape_analysis_barrier_enter(state, location, time, region);
    } else if (bucket == OMPTAPE_BUCKET_LOCK) {
        omptape_analysis_lock_ask(frame);
    }
    follow_idle(state, location, time);
}

static bool is_open_below(const struct analysis_location *location, const struct analysis_region *region)
{
    for (uint32_t i = location->depth; i-- > 0;)
        if (location->frames[i].region == region)
            return true;
    return false;
}

static void leave_innermost(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    if (location->frames[location->depth - 1].asking)
        omptape_analysis_lock_leave(state, location, &location->frames[location->depth - 1], time);
    const struct analysis_frame frame = location->frames[--location->depth];
    struct analysis_region *region = frame.region;
    omptape_analysis_count(state, &region->visits, time - frame.begin, frame.begin, location->definition->id);
    if (!is_open_below(location, region))
        region->inclusive += omptape_analysis_clipped(state, frame.begin, time);
    if (is_idle(omptape_analysis_top(location)) != location->idle.open && location->idle.open)
        omptape_analysis_idle_end(state, location, time);
    if (is_task(region->kind))
        omptape_analysis_task_leave(state, location, time, &frame);
    else if (omptape_region_is_barrier(region->kind))
        omptape_analysis_barrier_leave(state, location, time);
    else if (frame.bucket == OMPTAPE_BUCKET_TRANSFER) {
        omptape_analysis_transfer_leave(state, location, time);
        omptape_analysis_move_leave(location, &frame, time);
    }
    follow_idle(state, location, time);
}

void omptape_analysis_leave(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            const struct analysis_region *region)
{
    for (uint32_t i = location->depth; i-- > 0;) {
        if (location->frames[i].region != region)
            continue;
        while (location->depth > i) {
            omptape_analysis_book(state, location, time);
            leave_innermost(state, location, time);
        }
        return;
    }
}

void omptape_analysis_end_location(struct analysis_state *state, struct analysis_location *location)
{
    if (location->thread != NULL) {
        omptape_analysis_book(state, location, location->last);
        while (location->depth > 0) {
            omptape_analysis_book(state, location, location->last);
            leave_innermost(state, location, location->last);
        }
        omptape_analysis_serial_ends(state, location, NULL);
        omptape_analysis_settle(state, location, (struct analysis_queued){0});
    }
    free(location->frames);
    free(location->memberships);
    free(location->pending);
    location->frames = NULL;
    location->memberships = NULL;
    location->pending = NULL;
    location->membership_count = 0;
    location->depth = 0;
}
