/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locations, regions, and the stack of regions that are open on each location: what begins and ends with one
 * goes to the file that knows its family. Called for each event by parts/pass.c.
 */
#include "src/analysis/causes.h"
#include "src/analysis/devices.h"
#include "src/analysis/location.h"
#include "src/analysis/locks.h"
#include "src/analysis/loops.h"
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
    location->process_state = &state->processes[location->process];
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

struct analysis_location *omptape_analysis_find_location(struct analysis_state *state, uint64_t id)
{
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
        location->id = id;
        location->definition = definition;
        location->watched.definition = definition;
        location->wanted = find_process(state, location);
        if (omptape_location_is_thread(state->reader, definition) && location->wanted)
            open_thread(state, location);
        else if (location->wanted)
            omptape_analysis_device_open(
                state, location,
                omptape_reader_find(state->reader, OMPTAPE_DEF_LOCATION_GROUP, definition->refs[1].id));
    }
    state->near_locations[(id ^ id >> 32) % ANALYSIS_NEAR_LOCATIONS] = location;
    return location;
}

static bool describe(struct analysis_state *state, struct analysis_region_state *known,
                     const struct omptape_definition *definition)
{
    struct omptape_arena *arena = &state->result->arena;
    const struct omptape_reader *reader = state->reader;
    struct analysis_region *region = &known->result;
    region->definition = definition;
    region->kind = omptape_region_kind_of(reader, definition);
    region->label = omptape_region_label(arena, reader, definition);
    region->function = omptape_reader_text(arena, omptape_reader_string(reader, definition->refs[2].id));
    region->file = omptape_reader_text(arena, omptape_reader_string(reader, definition->refs[3].id));
    region->line = (uint32_t)definition->value[2];
    known->facts = omptape_region_facts(region->kind);
    known->watched.definition = definition;
    known->mark = UINT64_C(1) << state->regions.count % 64;
    return region->label != NULL && region->function != NULL && region->file != NULL;
}

/* Ids are near each other, but in archives of others they may be anything. */
static void keep_near(struct analysis_state *state, struct analysis_region *region, uint64_t id)
{
    enum { MOST_NEAR = 1 << 16 };
    if (id >= MOST_NEAR)
        return;
    uint32_t count = (uint32_t)id + 1;
    struct analysis_region **list = omptape_array_reserve(
        state->near_regions, count, &state->near_region_room, sizeof(struct analysis_region *));
    if (list == NULL) {
        state->no_memory = true;
        return;
    }
    state->near_regions = list;
    for (; state->near_region_count < count; state->near_region_count++)
        list[state->near_region_count] = NULL;
    list[id] = region;
}

struct analysis_region *omptape_analysis_find_region(struct analysis_state *state, uint64_t id)
{
    struct analysis_region_state *known = omptape_pairs_get(&state->regions, 0, id);
    const struct omptape_definition *definition =
        known != NULL ? NULL : omptape_reader_find(state->reader, OMPTAPE_DEF_REGION, id);
    if (known == NULL && definition == NULL)
        return NULL;
    if (known == NULL)
        known = omptape_pairs_obtain(&state->regions, &state->result->arena, 0, id, sizeof(*known));
    if (known == NULL || (definition != NULL && !describe(state, known, definition))) {
        state->no_memory = true;
        return NULL;
    }
    keep_near(state, &known->result, id);
    return &known->result;
}

static struct analysis_region *blamed_of(const struct analysis_location *location,
                                         struct analysis_region *region)
{
    if (location->depth == 0 || omptape_analysis_known(region)->facts.is_blamed)
        return region;
    for (uint32_t i = location->depth; i-- > 0;)
        if (location->frames[i].bucket != OMPTAPE_BUCKET_LOCK || i == 0)
            return location->frames[i].blamed;
    return region;
}

static bool is_spare(const struct analysis_location *location)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    return membership != NULL && membership->team->spare &&
           (location->depth == 0 || location->frames[location->depth - 1].task == 0);
}

/* As writers/translate/stack.c: who has got the lock that it asked for waits no more. */
static uint8_t bucket_of(const struct analysis_location *location, const struct analysis_region_facts *facts)
{
    if (facts->rule == OMPTAPE_BUCKET_UNLESS_SPARE && is_spare(location))
        return OMPTAPE_BUCKET_IDLE;
    if (facts->rule != OMPTAPE_BUCKET_AROUND)
        return facts->bucket;
    for (uint32_t i = location->depth; i-- > 0;)
        if (location->frames[i].bucket != OMPTAPE_BUCKET_LOCK)
            return location->frames[i].bucket;
    return location->outside;
}

static const uint8_t ways[OMPTAPE_BUCKET_COUNT] = {
    [OMPTAPE_BUCKET_LOCK] = ANALYSIS_WAY_LOCK,
    [OMPTAPE_BUCKET_TRANSFER] = ANALYSIS_WAY_TARGET,
    [OMPTAPE_BUCKET_TARGET] = ANALYSIS_WAY_TARGET,
    [OMPTAPE_BUCKET_MPI] = ANALYSIS_WAY_MPI,
};

/* Idle stretches go on through the regions of waiting. */
__attribute__((noinline)) static void follow_change(struct analysis_state *state,
                                                    struct analysis_location *location, uint64_t time)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    const bool is_idle = top != NULL && top->is_idle;
    if (location->process_state->devices != NULL)
        omptape_analysis_device_host(state, location, time);
    if (location->works != (top != NULL && top->works))
        omptape_analysis_follow_work(state, location, time);
    if (is_idle == location->idle.open)
        return;
    if (is_idle)
        omptape_analysis_idle_begin(state, location, time);
    else
        omptape_analysis_idle_end(state, location, time);
}

/* What is the innermost region has changed. */
static inline void follow(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    if (location->works != (top != NULL && top->works) ||
        location->idle.open != (top != NULL && top->is_idle) || location->process_state->devices != NULL)
        follow_change(state, location, time);
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

/* The frame is all of it but what belongs to tasks. */
static struct analysis_frame *open_frame(struct analysis_state *state, struct analysis_location *location,
                                         uint64_t time, struct analysis_region_state *known)
{
    struct analysis_frame *frame = push(state, location);
    if (frame == NULL)
        return NULL;
    const struct analysis_frame *around = location->depth > 0 ? frame - 1 : NULL;
    const uint8_t bucket = bucket_of(location, &known->facts);
    frame->region = &known->result;
    frame->blamed = blamed_of(location, &known->result);
    frame->begin = time;
    frame->work = 0;
    frame->marks = (around != NULL ? around->marks : 0) | known->mark;
    frame->task = around != NULL ? around->task : 0;
    frame->bucket = bucket;
    frame->way = ways[bucket];
    frame->works = omptape_buckets[bucket].work;
    frame->is_idle = bucket == OMPTAPE_BUCKET_BARRIER || bucket == OMPTAPE_BUCKET_TASK_WAIT;
    frame->deferred = false;
    frame->asking = false;
    frame->site = NULL;
    frame->chain = 0;
    location->depth++;
    location->top = frame;
    return frame;
}

void omptape_analysis_enter(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            struct analysis_region *region, const struct omptape_event *event)
{
    struct analysis_region_state *known = omptape_analysis_known(region);
    if (known->facts.family == ANALYSIS_FAMILY_CREATE)
        omptape_analysis_task_created_by(state, location, time, region);
    else if (known->facts.family == ANALYSIS_FAMILY_TEAM)
        omptape_analysis_team_named(location, region);
    omptape_analysis_book(state, location, time);
    struct analysis_frame *frame = open_frame(state, location, time, known);
    if (frame == NULL)
        return;
    switch ((enum analysis_family)known->facts.family) {
    case ANALYSIS_FAMILY_TASK:
        frame->task = location->depth;
        omptape_analysis_task_enter(state, location, time, frame);
        break;
    case ANALYSIS_FAMILY_TEAM:
        frame->task = 0; /* an implicit task's own */
        omptape_analysis_team_region(state, location, region);
        break;
    case ANALYSIS_FAMILY_BARRIER:
        omptape_analysis_barrier_enter(state, location, time, region);
        break;
    default:
        if (frame->bucket == OMPTAPE_BUCKET_LOCK)
            omptape_analysis_lock_ask(frame);
        break;
    }
    follow(state, location, time);
    if (known->facts.family == ANALYSIS_FAMILY_LOOP)
        omptape_analysis_loop_enter(state, location, event);
    else if (known->facts.family == ANALYSIS_FAMILY_MOVE)
        omptape_analysis_transfer_enter(state, location, event);
}

/* The region that was left just now. */
static bool is_open_below(const struct analysis_location *location, struct analysis_region *region)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    if (top == NULL || (top->marks & omptape_analysis_known(region)->mark) == 0)
        return false;
    for (uint32_t i = location->depth; i-- > 0;)
        if (location->frames[i].region == region)
            return true;
    return false;
}

/* The frame stays where it is, above the others, until the next region is entered. */
static void leave_innermost(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    struct analysis_frame *frame = location->top;
    if (frame->asking)
        omptape_analysis_lock_leave(state, location, frame, time);
    location->depth--;
    location->top = location->depth > 0 ? frame - 1 : NULL;
    struct analysis_region_state *known = omptape_analysis_known(frame->region);
    omptape_analysis_count(state, &known->result.visits, time - frame->begin, frame->begin, location->id);
    if (!is_open_below(location, &known->result))
        known->result.inclusive += omptape_analysis_clipped(state, frame->begin, time);
    if (location->idle.open && !(location->depth > 0 && frame[-1].is_idle))
        omptape_analysis_idle_end(state, location, time);
    if (known->facts.family == ANALYSIS_FAMILY_TASK) {
        omptape_analysis_task_leave(state, location, time, frame);
    } else if (known->facts.family == ANALYSIS_FAMILY_BARRIER) {
        omptape_analysis_barrier_leave(state, location, time);
    } else if (frame->bucket == OMPTAPE_BUCKET_TRANSFER) {
        omptape_analysis_transfer_leave(state, location, time);
        omptape_analysis_move_leave(location, frame, time);
    }
    follow(state, location, time);
}

void omptape_analysis_leave(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            const struct analysis_region *region)
{
    uint32_t depth = location->depth;
    while (depth > 0 && location->frames[depth - 1].region != region)
        depth--;
    while (depth > 0 && location->depth >= depth) {
        omptape_analysis_book(state, location, time);
        leave_innermost(state, location, time);
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
    location->newest = NULL;
    location->top = NULL;
    location->pending = NULL;
    location->membership_count = 0;
    location->depth = 0;
}
