/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds the model in one pass over the events (build.h). The time between two events of a location becomes
 * work of the open region, unless the region is a wait.
 */
#include "src/model/build.h"

#include "src/core/buckets.h"
#include "src/core/loop_counter.h"
#include "src/core/whole.h"
#include "src/replay/replay.h"

#include <errno.h>
#include <math.h>
#include <omptape/properties.h>
#include <stdlib.h>

static const double NS_PER_SECOND = 1e9;
enum { PS_PER_NS = 1000 };

uint32_t build_append(struct build *build, uint32_t strand_id, struct model_op op)
{
    struct model *model = build->model;
    if (model->ops.count >= MODEL_NONE - 1) {
        build->is_full = true;
        return MODEL_NONE;
    }
    if (!BUILD_RESERVE(build, model->ops))
        return MODEL_NONE;
    struct model_strand *strand = &model->strands.list[strand_id];
    const uint32_t added = model->ops.count++;
    op.next = MODEL_NONE;
    model->ops.list[added] = op;
    if (strand->last == MODEL_NONE)
        strand->first = added;
    else
        model->ops.list[strand->last].next = added;
    strand->last = added;
    return added;
}

uint32_t build_add(struct build *build, struct build_location *location, enum model_op_kind kind,
                   uint32_t arg, uint64_t ns)
{
    struct model_op op = {.arg = arg, .kind = (uint64_t)kind & ((1U << MODEL_KIND_BITS) - 1)};
    build_set_ns(&op, ns);
    op.place = build_place(build, location) & (MODEL_MAX_PLACES - 1);
    location->created = MODEL_NONE;
    return build_append(build, location->current, op);
}

uint32_t build_strand(struct build *build)
{
    struct model *model = build->model;
    if (!BUILD_RESERVE(build, model->strands) || !BUILD_RESERVE(build, build->strands))
        return MODEL_NONE;
    build->strands.list[build->strands.count++] = (struct build_strand){.group = MODEL_NONE};
    model->strands.list[model->strands.count] = (struct model_strand){.first = MODEL_NONE,
                                                                      .last = MODEL_NONE,
                                                                      .parent = MODEL_NONE,
                                                                      .group = MODEL_NONE,
                                                                      .team = MODEL_NONE,
                                                                      .edge = MODEL_NONE};
    return model->strands.count++;
}

struct build_frame *build_top(const struct build_location *location)
{
    struct build_frame *top = replay_top(&location->replay, sizeof(*top));
    return top != NULL && top->strand == location->current ? top : NULL;
}

uint32_t build_place(const struct build *build, const struct build_location *location)
{
    const struct build_frame *top = build_top(location);
    return top != NULL ? top->place : build->model->strands.list[location->current].place;
}

uint32_t build_find_place(struct build *build, uint32_t parent, const struct omptape_definition *region)
{
    struct model *model = build->model;
    const uintptr_t known = (uintptr_t)omptape_pairs_get(&build->places, parent, region->id);
    if (known != 0)
        return (uint32_t)(known - 1);
    uint32_t place = parent;
    while (place != 0 && model->places.list[place].region != region)
        place = model->places.list[place].parent;
    if (place == 0) {
        if (model->places.count >= MODEL_MAX_PLACES || !BUILD_RESERVE(build, model->places))
            return parent;
        place = model->places.count++;
        model->places.list[place] = (struct model_place){.parent = parent, .region = region};
    }
    if (omptape_pairs_put(&build->places, parent, region->id, (void *)((uintptr_t)place + 1)) != 0)
        build->no_memory = true;
    return place;
}

static bool is_waiting(enum omptape_region_kind kind)
{
    if (kind == OMPTAPE_REGION_TEST_LOCK || kind == OMPTAPE_REGION_TEST_NEST_LOCK)
        return false;
    return kind < OMPTAPE_REGION_KIND_COUNT &&
           (omptape_region_is_lock(kind) || omptape_bucket_rules[kind].bucket == OMPTAPE_BUCKET_BARRIER ||
            omptape_bucket_rules[kind].bucket == OMPTAPE_BUCKET_TASK_WAIT);
}

/* Returns true if the location works now. A worker without an open region waits for its next team. */
static bool is_at_work(const struct build *build, const struct build_location *location)
{
    const struct build_frame *top = build_top(location);
    if (top != NULL)
        return !is_waiting(top->kind) && top->kind != OMPTAPE_REGION_MPI;
    return location->current != location->strand || build->model->threads.list[location->thread].is_initial ||
           location->teams.depth > 0;
}

/* Longest time between two events, 13 days. Damaged archives have longer ones: millions of operations. */
static const uint64_t longest_ns = MODEL_MAX_NS << 10;

/* Adds so much work of the location. */
static void add_work(struct build *build, struct build_location *location, uint64_t spent)
{
    struct model *model = build->model;
    const uint32_t last = model->strands.list[location->current].last;
    struct model_op *before = last != MODEL_NONE ? &model->ops.list[last] : NULL;
    if (before != NULL && before->kind == MODEL_WORK && !before->flag &&
        before->place == build_place(build, location) && before->ns + spent <= MODEL_MAX_NS) {
        before->ns = (before->ns + spent) & MODEL_MAX_NS;
        build_note_work(build, location, last, spent);
        return;
    }
    const uint32_t created = location->created;
    if (spent > longest_ns)
        spent = longest_ns;
    while (spent > 0) {
        const uint64_t ns = spent < MODEL_MAX_NS ? spent : MODEL_MAX_NS;
        build_note_work(build, location, build_add(build, location, MODEL_WORK, MODEL_NONE, ns), ns);
        spent -= ns;
    }
    location->created = created;
}

/* Adds the time since the location's last event: work, and perhaps waiting for a device. */
static void add_time(struct build *build, struct build_location *location, uint64_t time)
{
    const uint64_t spent = omptape_minus(time, location->last);
    build_call_spent(build, location, spent);
    if (spent == 0 || !is_at_work(build, location))
        return;
    const bool waits = build_waits_for_device(location, time);
    const uint64_t before = waits ? omptape_minus(location->awaited.begin, location->last) : spent;
    if (before > 0)
        add_work(build, location, before);
    if (waits)
        build_wait_for_device(build, location, time);
}

static void enter_region(void *data, struct replay_location *replay, struct replay_frame *replay_frame,
                         const struct omptape_event *event)
{
    struct build *build = data;
    struct build_location *location = (struct build_location *)replay;
    struct build_frame *frame = (struct build_frame *)replay_frame;
    const struct omptape_definition *region =
        omptape_reader_find(build->model->reader, OMPTAPE_DEF_REGION, frame->replay.region);
    replay->depth--; /* temporarily, to get the enclosing place */
    const uint32_t parent = build_place(build, location);
    replay->depth++;
    *frame = (struct build_frame){.replay = frame->replay,
                                  .kind = OMPTAPE_REGION_KIND_COUNT,
                                  .strand = location->current,
                                  .place = parent,
                                  .op = MODEL_NONE,
                                  .arg = MODEL_NONE,
                                  .again = location->is_resumed && location->switched == frame->replay.begin};
    if (region == NULL)
        return;
    frame->kind = region->region->kind;
    if (frame->kind == OMPTAPE_REGION_MPI)
        region = omptape_reader_find(build->model->reader, OMPTAPE_DEF_REGION,
                                     omptape_event_call_region(build->model->reader, event));
    frame->place = build_find_place(build, parent, region);
    /* A taskgroup's wait region has the kind of a taskwait's wait. */
    if (frame->kind == OMPTAPE_REGION_TASKWAIT_WAIT && replay->depth > 1 &&
        (frame - 1)->kind == OMPTAPE_REGION_TASKGROUP)
        frame->kind = OMPTAPE_REGION_TASKGROUP_WAIT;
    if (frame->again)
        return;
    if (omptape_region_is_barrier(frame->kind))
        build_barrier(build, location, frame, frame->replay.begin);
    else if (frame->kind == OMPTAPE_REGION_TASKWAIT)
        frame->op = build_add(build, location, MODEL_TASKWAIT, MODEL_NONE, 0);
    else if (frame->kind == OMPTAPE_REGION_TASKGROUP || frame->kind == OMPTAPE_REGION_TASKGROUP_WAIT)
        build_group(build, location, frame);
    else if (build_is_loop(frame->kind))
        build_loop(build, location, frame);
    else if (frame->kind == OMPTAPE_REGION_LOOP_CHUNK || frame->kind == OMPTAPE_REGION_SECTION ||
             frame->kind == OMPTAPE_REGION_SINGLE_SBLOCK)
        build_chunk(build, location);
    else if (frame->kind == OMPTAPE_REGION_MPI)
        build_call(build, location, frame,
                   omptape_reader_name(build->model->reader, OMPTAPE_DEF_REGION, frame->replay.region));
    else if (frame->kind == OMPTAPE_REGION_TARGET_SUBMIT || frame->kind == OMPTAPE_REGION_TARGET_TO_DEVICE ||
             frame->kind == OMPTAPE_REGION_TARGET_FROM_DEVICE)
        build_request(build, location, event, frame->replay.begin);
    else if (frame->kind == OMPTAPE_REGION_PARALLEL || frame->kind == OMPTAPE_REGION_TEAMS)
        build_team_named(build, location, frame);
}

static void leave_region(void *data, struct replay_location *replay, struct replay_frame *replay_frame,
                         uint64_t time)
{
    struct build *build = data;
    struct build_location *location = (struct build_location *)replay;
    struct build_frame *frame = (struct build_frame *)replay_frame;
    if (frame->op == MODEL_NONE || frame->strand != location->current)
        return;
    if (omptape_region_is_barrier(frame->kind))
        build_barrier_left(build, location, frame, time);
    else if (frame->kind == OMPTAPE_REGION_TASKWAIT)
        build_taskwait_left(build, location, frame, time);
    else if (frame->kind == OMPTAPE_REGION_TASKGROUP_WAIT)
        build_group_left(build, location, frame, time);
    else if (build_is_loop(frame->kind))
        build_loop_left(build, location, frame);
    else if (frame->kind == OMPTAPE_REGION_MPI)
        build_call_left(build, location, frame, time);
}

static const struct replay_observer observer = {
    .frame_bytes = sizeof(struct build_frame), .enter = enter_region, .leave = leave_region};

/* Returns the state of a lock and creates it if needed. Returns NULL if out of memory. */
static struct build_lock *find_lock(struct build *build, uint64_t process, uint64_t id)
{
    struct model *model = build->model;
    const bool is_new = omptape_pairs_get(&build->locks, process, id) == NULL;
    struct build_lock *lock = omptape_pairs_obtain(&build->locks, &build->arena, process, id, sizeof(*lock));
    if (lock == NULL || !is_new) {
        build->no_memory |= lock == NULL;
        return lock;
    }
    if (!BUILD_RESERVE(build, model->locks))
        return NULL;
    lock->lock = model->locks.count++;
    model->locks.list[lock->lock] = (struct model_lock){{0}};
    return lock;
}

/* Sets the usual lags of each lock to their geometric means, since a thread that loses its processor acquires
 * the lock a thousand times later. */
static void end_locks(struct build *build)
{
    for (uint32_t i = 0; i < build->locks.count; i++) {
        const struct build_lock *lock = build->locks.list[i].value;
        for (int has_waited = 0; has_waited < 2; has_waited++) {
            const struct build_lags *lags = &lock->lags[has_waited];
            const double mean = expm1(lags->logarithms / fmax((double)lags->count, 1));
            build->model->locks.list[lock->lock].lag[has_waited] = omptape_whole(mean + 0.5);
        }
    }
}

static void follow_lock(struct build *build, struct build_location *location,
                        const struct omptape_event *event, uint64_t time)
{
    const uint64_t id = event->refs[0].id << 32 | (event->value[0] & UINT32_MAX);
    struct build_lock *lock = find_lock(build, location->process, id);
    if (lock == NULL)
        return;
    if (event->kind == OMPTAPE_EVENT_LOCK_RELEASE) {
        lock->release = time;
        build_add(build, location, MODEL_RELEASE, lock->lock, 0);
        return;
    }
    const struct build_frame *top = build_top(location);
    const uint64_t asked = top != NULL && is_waiting(top->kind) ? top->replay.begin : time;
    const bool has_waited = lock->release > asked;
    const uint64_t lag = omptape_minus(time, has_waited ? lock->release : asked);
    const uint32_t op = build_add(build, location, MODEL_ACQUIRE, lock->lock, lag);
    if (op != MODEL_NONE)
        build->model->ops.list[op].flag = has_waited;
    lock->lags[has_waited].count++;
    lock->lags[has_waited].logarithms += log1p((double)lag);
}

static void follow_sample(struct build *build, struct build_location *location,
                          const struct omptape_event *event)
{
    struct model *model = build->model;
    const struct omptape_definition *context =
        omptape_reader_find(model->reader, OMPTAPE_DEF_CALLING_CONTEXT, event->refs[0].id);
    const struct omptape_definition *generator =
        omptape_reader_find(model->reader, OMPTAPE_DEF_INTERRUPT_GENERATOR, event->refs[1].id);
    const struct omptape_definition *region =
        context != NULL ? omptape_reader_find(model->reader, OMPTAPE_DEF_REGION, context->refs[0].id) : NULL;
    if (region == NULL || generator == NULL || generator->value[2] == 0 || !is_at_work(build, location) ||
        build_is_at_device(location))
        return;
    uintptr_t function = (uintptr_t)omptape_pairs_get(&build->functions, 0, region->id);
    if (function == 0) {
        if (!BUILD_RESERVE(build, model->functions))
            return;
        model->functions.list[model->functions.count++] = region;
        function = model->functions.count;
        build->no_memory |= omptape_pairs_put(&build->functions, 0, region->id, (void *)function) != 0;
    }
    const uint32_t created = location->created;
    build_add(build, location, MODEL_SAMPLE, (uint32_t)(function - 1), 0);
    location->created = created;
}

static struct build_location *add_location(struct build *build, const struct omptape_definition *definition)
{
    struct model *model = build->model;
    struct build_location *location =
        omptape_pairs_obtain(&build->locations, &build->arena, 0, definition->id, sizeof(*location));
    if (location == NULL || !BUILD_RESERVE(build, model->threads)) {
        build->no_memory = true;
        return NULL;
    }
    const uint32_t strand = build_strand(build);
    const bool is_stream = build_is_stream(model->reader, definition);
    *location = (struct build_location){.definition = definition,
                                        .process = definition->refs[1].id,
                                        .thread = model->threads.count,
                                        .strand = strand,
                                        .current = strand,
                                        .fork = MODEL_NONE,
                                        .ended = MODEL_NONE,
                                        .created = MODEL_NONE,
                                        .open.op = MODEL_NONE};
    model->threads.list[model->threads.count++] = (struct model_thread){
        .location = definition,
        .strand = strand,
        .is_initial = !is_stream && omptape_location_is_initial(model->reader, definition)};
    location->is_stream = is_stream;
    model->streams += is_stream;
    if (is_stream)
        location->device = omptape_pairs_obtain(&build->devices, &build->arena, 0,
                                                omptape_location_device(model->reader, definition)->id,
                                                sizeof(*location->device));
    build->no_memory |= is_stream && location->device == NULL;
    return strand != MODEL_NONE ? location : NULL;
}

/* Returns the state of a location. Returns NULL if it is not a process's thread or memory is exhausted. */
static struct build_location *find_location(struct build *build, uint64_t id, uint64_t time)
{
    if (build->newest != NULL && build->newest->definition->id == id)
        return build->newest;
    struct build_location *location = omptape_pairs_get(&build->locations, 0, id);
    const struct omptape_definition *definition =
        location != NULL ? NULL : omptape_reader_find(build->model->reader, OMPTAPE_DEF_LOCATION, id);
    if (location == NULL && definition != NULL &&
        (omptape_location_is_thread(build->model->reader, definition) ||
         build_is_stream(build->model->reader, definition))) {
        location = add_location(build, definition);
        if (location != NULL)
            build->model->threads.list[location->thread].begin = location->last = time;
    }
    if (location != NULL)
        build->newest = location;
    return location;
}

static void follow_parameter(struct build *build, const struct build_location *location,
                             const struct omptape_event *event)
{
    const uint64_t *words = build->model->reader->attribute_ids;
    if (event->refs[0].id == words[READER_SCHEDULE])
        build_loop_schedule(build, location, omptape_reader_string(build->model->reader, event->refs[1].id));
    else if (event->refs[0].id == words[READER_DEPENDS_ON])
        build_task_depends(build, location, event->value[1]);
}

/* Follows an Enter or a Leave. */
static void follow_region(struct build *build, struct build_location *location,
                          const struct omptape_event *event, uint64_t time)
{
    const struct omptape_reader *reader = build->model->reader;
    if (event->kind == OMPTAPE_EVENT_ENTER) {
        (void)omptape_event_number(reader, event, READER_TASK_ID, &location->identity);
        (void)omptape_event_number(reader, event, READER_ITERATIONS, &location->iterations);
    }
    if (!replay_follow(&observer, build, &location->replay, event, time))
        build->no_memory = true;
}

static void follow_event(struct build *build, struct build_location *location,
                         const struct omptape_event *event, uint64_t time)
{
    switch (event->kind) {
    case OMPTAPE_EVENT_ENTER:
    case OMPTAPE_EVENT_LEAVE:
        follow_region(build, location, event, time);
        break;
    case OMPTAPE_EVENT_FORK:
        build_fork(build, location, time);
        break;
    case OMPTAPE_EVENT_JOIN:
        build_join(build, location);
        break;
    case OMPTAPE_EVENT_TEAM_BEGIN:
        build_team_begin(build, location, event, time);
        break;
    case OMPTAPE_EVENT_TEAM_END:
        build_team_end(build, location, event);
        break;
    case OMPTAPE_EVENT_TASK_CREATE:
        build_task_created(build, location, event, time);
        break;
    case OMPTAPE_EVENT_TASK_SWITCH:
        build_task_switched(build, location, event, time);
        break;
    case OMPTAPE_EVENT_TASK_COMPLETE:
        build_task_complete(build, location, event, time);
        break;
    case OMPTAPE_EVENT_LOCK_ACQUIRE:
    case OMPTAPE_EVENT_LOCK_RELEASE:
        follow_lock(build, location, event, time);
        break;
    case OMPTAPE_EVENT_PARAMETER:
        follow_parameter(build, location, event);
        break;
    case OMPTAPE_EVENT_SAMPLE:
        follow_sample(build, location, event);
        break;
    case OMPTAPE_EVENT_METRIC:
        build_reading(build, location, event, time);
        break;
    case OMPTAPE_EVENT_MPI_SEND:
    case OMPTAPE_EVENT_MPI_RECEIVE:
        build_message(build, location, event);
        break;
    case OMPTAPE_EVENT_MPI_COLLECTIVE:
    case OMPTAPE_EVENT_RMA_COLLECTIVE:
        build_collective(build, location, event);
        break;
    case OMPTAPE_EVENT_MPI_COLLECTIVE_LATER:
    case OMPTAPE_EVENT_RMA_OPERATION:
    case OMPTAPE_EVENT_IO_OPERATION:
        build->model->unfollowed++;
        break;
    default:
        break;
    }
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct build *build = data;
    if (build->done != NULL)
        ++*build->done;
    if (!build->has_first)
        build->first = event->time;
    build->has_first = true;
    const uint64_t time =
        omptape_whole((double)omptape_minus(event->time, build->first) * build->ns_per_tick);
    struct build_location *location = find_location(build, event->location, time);
    if (location == NULL) {
        build->model->device += event->kind == OMPTAPE_EVENT_ENTER;
        return !build->no_memory;
    }
    if (location->is_stream) {
        build_device_event(build, location, event, time);
        return !build->no_memory && !build->is_full;
    }
    build->model->wall = time > build->model->wall ? time : build->model->wall;
    add_time(build, location, time);
    follow_event(build, location, event, time);
    location->last = time;
    return !build->no_memory && !build->is_full;
}

/* Ends everything that is still open, at the last event of each location. */
static void end_events(struct build *build)
{
    for (uint32_t i = 0; i < build->locations.count; i++) {
        struct build_location *location = build->locations.list[i].value;
        replay_end(&observer, build, &location->replay, location->last);
    }
    end_locks(build);
    build_loops_end(build);
    build_calls_end(build);
    build_crowd(build);
}

static void free_build(struct build *build)
{
    for (uint32_t i = 0; i < build->locations.count; i++) {
        struct build_location *location = build->locations.list[i].value;
        replay_free(&location->replay);
        replay_free(&location->teams);
        free(location->works.list);
    }
    omptape_pairs_free(&build->locations);
    omptape_pairs_free(&build->locks);
    omptape_pairs_free(&build->tasks);
    omptape_pairs_free(&build->identities);
    omptape_pairs_free(&build->places);
    omptape_pairs_free(&build->functions);
    omptape_pairs_free(&build->devices);
    omptape_pairs_free(&build->requests);
    omptape_pairs_free(&build->shortest);
    build_calls_free(build);
    replay_free_teams(&build->teams);
    omptape_arena_free(&build->arena);
    free(build->strands.list);
    free(build->group_ends.list);
}

static int fail(const struct build *build, char *error, size_t error_bytes)
{
    (void)snprintf(error, error_bytes, "%s",
                   build->is_full ? "there are more than 4 thousand million operations" : "out of memory");
    return build->is_full ? -EFBIG : -ENOMEM;
}

int model_build(struct model *model, struct omptape_reader *reader, volatile uint64_t *done, char *error,
                size_t error_bytes)
{
    struct build build = {.model = model, .reader = reader, .done = done};
    const double resolution = reader->clock_resolution > 0 ? (double)reader->clock_resolution : NS_PER_SECOND;
    *model = (struct model){.reader = reader};
    build.ns_per_tick = NS_PER_SECOND / resolution;
    model->chunk_ns = omptape_reader_number_of(reader, -1, OMPTAPE_KEY_CHUNK_COST) / PS_PER_NS;
    if (model->chunk_ns == 0)
        model->chunk_ns = OMPTAPE_USUAL_CHUNK_NS;
    build.teams.reader = reader;
    build.teams.team_bytes = sizeof(struct build_team);
    int status = -ENOMEM;
    if (omptape_channels_begin(&build.channels, reader, done) && BUILD_RESERVE(&build, model->places)) {
        model->places.list[model->places.count++] = (struct model_place){.parent = 0};
        status = omptape_reader_read_events(reader, on_event, &build, error, error_bytes);
    }
    if (!build.no_memory && !build.is_full)
        end_events(&build);
    if (build.no_memory || omptape_out_of_memory || build.is_full)
        status = fail(&build, error, error_bytes);
    free_build(&build);
    return status;
}

void model_free(struct model *model)
{
    free(model->ops.list);
    free(model->queued.list);
    free(model->places.list);
    free(model->strands.list);
    free(model->edges.list);
    free(model->teams.list);
    free(model->barriers.list);
    free(model->loops.list);
    free(model->parts.list);
    free(model->chunks.list);
    free(model->threads.list);
    free(model->locks.list);
    free(model->syncs.list);
    free(model->sync_links.list);
    free(model->functions.list);
    *model = (struct model){.reader = NULL};
}

bool model_is_within(const struct model *model, uint32_t place, const struct omptape_definition *region)
{
    while (place != 0 && model->places.list[place].region != region)
        place = model->places.list[place].parent;
    return place != 0;
}
