/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds calls of MPI to the model (build.h). A call that receives needs the call that sent. A call of a
 * collective operation needs the calls of those members for which the kind of operation waits. A blocking
 * send that waited for its receiver needs the receiving call. The rest of a call's time stays as recorded.
 */
#include "src/model/build.h"

#include "src/core/whole.h"

#include <stdlib.h>
#include <string.h>

/* Returns the location's open call, or NULL if there is none or it began before the recording. */
static struct build_call *open_call(const struct build *build, const struct build_location *location,
                                    uint32_t *number)
{
    for (uint32_t i = location->replay.depth; i-- > replay_search_end(&location->replay);) {
        const struct build_frame *frame = replay_frame_at(&location->replay, i, sizeof(*frame));
        if (frame->kind != OMPTAPE_REGION_MPI || frame->op == MODEL_NONE)
            continue;
        *number = frame->arg;
        return &build->calls.list[frame->arg];
    }
    return NULL;
}

void build_call_spent(struct build *build, const struct build_location *location, uint64_t ns)
{
    uint32_t number;
    const struct build_frame *top = build_top(location);
    struct build_call *call =
        top != NULL && top->kind == OMPTAPE_REGION_MPI ? open_call(build, location, &number) : NULL;
    if (call != NULL)
        call->spent = omptape_plus(call->spent, ns);
}

void build_call_left(struct build *build, struct build_location *location, const struct build_frame *frame,
                     uint64_t time)
{
    struct build_call *call = &build->calls.list[frame->arg];
    call->end = build_add(build, location, MODEL_CALL_END, MODEL_NONE, call->spent);
    call->end_time = time;
}

static uint32_t add_sync(struct build *build)
{
    struct model *model = build->model;
    if (!BUILD_RESERVE(build, model->syncs))
        return MODEL_NONE;
    model->syncs.list[model->syncs.count] = (struct model_sync){.last = 0};
    return model->syncs.count++;
}

static void add_sync_link(struct build *build, uint32_t op, uint32_t sync)
{
    struct model *model = build->model;
    if (op == MODEL_NONE || sync == MODEL_NONE || !BUILD_RESERVE(build, model->sync_links))
        return;
    model->sync_links.list[model->sync_links.count] =
        (struct model_sync_link){.sync = sync, .next = model->ops.list[op].arg};
    model->ops.list[op].arg = model->sync_links.count++;
}

/* The operation, which begins at `time`, enters the synchronisation. */
static void enter(struct build *build, uint32_t op, uint64_t time, uint32_t sync)
{
    if (sync == MODEL_NONE)
        return;
    struct model_sync *made = &build->model->syncs.list[sync];
    made->needed++;
    made->last = time > made->last ? time : made->last;
    add_sync_link(build, op, sync);
}

void build_depend(struct build *build, uint32_t needed, uint64_t time, uint32_t op)
{
    const uint32_t sync = add_sync(build);
    enter(build, needed, time, sync);
    add_sync_link(build, op, sync);
}

/* Returns the call that completes a message. A long message proceeds only when its sender is in MPI again. If
 * the sender entered a call while the receiver waited, the receiver needs that call. */
static uint32_t find_progress(const struct build *build, uint64_t sender, uint32_t send,
                              const struct build_call *receive)
{
    const struct build_location *location = omptape_pairs_get(&build->locations, 0, sender);
    uint32_t number = MODEL_NONE;
    const struct build_call *call = location != NULL ? open_call(build, location, &number) : NULL;
    return call != NULL && receive != NULL && call->begin_time > receive->begin_time ? number : send;
}

void build_message(struct build *build, const struct build_location *location,
                   const struct omptape_event *event)
{
    const bool sends = event->kind == OMPTAPE_EVENT_MPI_SEND;
    struct omptape_message_end *made;
    uint32_t number = MODEL_NONE;
    struct build_call *call = open_call(build, location, &number);
    struct omptape_message_end *other = omptape_channels_match(&build->channels, event, &made);
    if (call != NULL)
        call->blocks |= event->value[3] == OMPTAPE_EVENT_NO_REQUEST;
    if (made != NULL)
        made->owned = (void *)((uintptr_t)number + 1);
    if (other == NULL)
        return;
    uint32_t others = (uint32_t)((uintptr_t)other->owned - 1);
    if (!sends && others != MODEL_NONE)
        others = find_progress(build, other->location, others, call);
    omptape_channels_release(&build->channels, other);
    if (number != MODEL_NONE && others != MODEL_NONE && BUILD_RESERVE(build, build->messages))
        build->messages.list[build->messages.count++] =
            (struct build_message){.send = sends ? number : others, .receive = sends ? others : number};
}

/* Returns the synchronisation of the process's next collective operation. Operations are matched by their
 * number within the order. Returns MODEL_NONE if out of memory. */
static uint32_t find_sync(struct build *build, uint64_t comm, uint64_t process)
{
    uint64_t *turn = omptape_pairs_obtain(&build->turns, &build->arena, comm, process, sizeof(*turn));
    if (turn == NULL) {
        build->no_memory = true;
        return MODEL_NONE;
    }
    const uint64_t number = (*turn)++;
    uintptr_t sync = (uintptr_t)omptape_pairs_get(&build->syncs, comm, number);
    if (sync == 0) {
        sync = (uintptr_t)add_sync(build) + 1;
        build->no_memory |= omptape_pairs_put(&build->syncs, comm, number, (void *)sync) != 0;
    }
    return (uint32_t)(sync - 1);
}

/* Orders of collective operations: communicators, windows, and the begin and end of MPI. The lower bits hold
 * the communicator or window. */
#define ORDER_WINDOW (UINT64_C(1) << 32)
#define ORDER_INIT (UINT64_C(2) << 32)
#define ORDER_END (UINT64_C(3) << 32)

/* Enters a collective operation. The end of the call is not known yet; build_calls_end links it to the
 * synchronisation that it needs. */
static void enter_collective(struct build *build, uint64_t process, struct build_call *call, uint64_t order,
                             uint64_t comm, enum omptape_collective_needs needs, uint64_t root)
{
    const struct omptape_rank_list *ranks =
        comm != OTF2_UNDEFINED_COMM ? omptape_ranks_of(&build->channels.ranks, comm) : NULL;
    if (ranks == NULL || ranks->present < 2)
        return;
    const bool is_root = root < ranks->size && ranks->processes[root] == process;
    const uint32_t sync = find_sync(build, order, process);
    if (call == NULL || needs == OMPTAPE_NEEDS_LOWER) {
        build->model->unfollowed++;
        return;
    }
    if (needs == OMPTAPE_NEEDS_ALL || is_root == (needs == OMPTAPE_NEEDS_ROOT))
        enter(build, call->begin, call->begin_time, sync);
    if (needs == OMPTAPE_NEEDS_ALL || is_root == (needs == OMPTAPE_ROOT_NEEDS_ALL))
        call->needs = sync;
}

/* All processes of the world begin and end MPI together (MPI 3.1, 8.7). */
static void join_world(struct build *build, uint64_t process, struct build_call *call, const char *function)
{
    const bool is_end = strcmp(function, "MPI_Finalize") == 0;
    const uint64_t world = omptape_ranks_world_of(&build->channels.ranks, process);
    if (is_end || strcmp(function, "MPI_Init") == 0 || strcmp(function, "MPI_Init_thread") == 0)
        enter_collective(build, process, call, (is_end ? ORDER_END : ORDER_INIT) | world, world,
                         OMPTAPE_NEEDS_ALL, 0);
}

void build_call(struct build *build, struct build_location *location, struct build_frame *frame,
                const char *function)
{
    uint32_t outer;
    if (open_call(build, location, &outer) != NULL || !BUILD_RESERVE(build, build->calls))
        return;
    build->model->calls++;
    frame->op = build_add(build, location, MODEL_CALL_BEGIN, MODEL_NONE, 0);
    frame->arg = build->calls.count++;
    struct build_call *call = &build->calls.list[frame->arg];
    *call = (struct build_call){
        .begin = frame->op, .end = MODEL_NONE, .begin_time = frame->replay.begin, .needs = MODEL_NONE};
    if (frame->op != MODEL_NONE)
        join_world(build, location->process, call, function);
}

void build_collective(struct build *build, const struct build_location *location,
                      const struct omptape_event *event)
{
    const bool is_window = event->kind == OMPTAPE_EVENT_RMA_COLLECTIVE;
    const struct omptape_definition *window =
        is_window ? omptape_reader_find(build->model->reader, OMPTAPE_DEF_RMA_WIN, event->refs[0].id) : NULL;
    uint32_t number;
    if (!is_window || window != NULL)
        enter_collective(build, location->process, open_call(build, location, &number),
                         (is_window ? ORDER_WINDOW : 0) | event->refs[0].id,
                         window != NULL ? window->refs[1].id : event->refs[0].id,
                         omptape_collective_needs_of(event->value[0]), event->value[1]);
}

/* Returns true if the send waited for its receiver. A short overlap of the two calls is coincidence. */
static bool has_waited(const struct build_call *send, const struct build_call *receive)
{
    return send->blocks && receive->blocks && send->begin_time < receive->begin_time &&
           receive->begin_time - send->begin_time > (send->end_time - send->begin_time) / 2 &&
           receive->begin_time < send->end_time;
}

static void add_dependence(struct build *build, const struct build_call *needed,
                           const struct build_call *call)
{
    build_depend(build, needed->begin, needed->begin_time, call->end);
}

/* Sets the call's own time: what it takes after everything that it needs is available. */
static void set_call_time(struct build *build, const struct build_call *call)
{
    const struct model *model = build->model;
    uint64_t last = call->begin_time;
    for (uint32_t i = model->ops.list[call->end].arg; i != MODEL_NONE; i = model->sync_links.list[i].next) {
        const uint64_t needed = model->syncs.list[model->sync_links.list[i].sync].last;
        last = needed > last ? needed : last;
    }
    const uint64_t rest = omptape_minus(call->end_time, last);
    build_set_ns(&model->ops.list[call->end], rest < call->spent ? rest : call->spent);
}

void build_calls_end(struct build *build)
{
    for (uint32_t i = 0; i < build->messages.count; i++) {
        const struct build_call *send = &build->calls.list[build->messages.list[i].send];
        const struct build_call *receive = &build->calls.list[build->messages.list[i].receive];
        if (receive->end != MODEL_NONE && send->begin_time < receive->end_time)
            add_dependence(build, send, receive);
        if (send->end != MODEL_NONE && has_waited(send, receive))
            add_dependence(build, receive, send);
    }
    for (uint32_t i = 0; i < build->calls.count; i++) {
        const struct build_call *call = &build->calls.list[i];
        if (call->needs != MODEL_NONE && build->model->syncs.list[call->needs].last <= call->end_time)
            add_sync_link(build, call->end, call->needs);
    }
    for (uint32_t i = 0; i < build->calls.count && !build->no_memory; i++)
        if (build->calls.list[i].end != MODEL_NONE)
            set_call_time(build, &build->calls.list[i]);
}

void build_calls_free(struct build *build)
{
    omptape_channels_free(&build->channels);
    omptape_pairs_free(&build->turns);
    omptape_pairs_free(&build->syncs);
    free(build->calls.list);
    free(build->messages.list);
}
