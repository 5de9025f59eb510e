/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads MPI's events in a second pass (mpi.h) and matches messages and their requests. Collective
 * operations are matched in collectives.c and posted.c, windows in epochs.c.
 */
#include "src/analysis/mpi/mpi.h"

#include "src/analysis/location.h"
#include "src/analysis/mpi/calls.h"
#include "src/archive/read/regions.h"
#include "src/replay/channels.h"

#include <omptape/properties.h>
#include <stdlib.h>

/* MIN_KEPT: MPI implementations buffer smaller messages and deliver them without their receivers. */
enum { EVENTS_FOR_A_SIGN = 1 << 14, MIN_KEPT = 4096 };

/* One end of a message, owned by a channel (channels.h). A send is in use by its channel until it is
 * received, and by its request until that completes. */
struct waits_end {
    uint32_t uses;           /* number of users */
    struct waits_call *call; /* call that sends, or that posted the receive */
    bool to_untraced;        /* a send to a process without a trace */
    /* The following fields are for sends with a request. */
    struct waits_call *completion;          /* call that waits for completion; NULL if none yet */
    struct waits_call *receiver;            /* call that posted the receive; NULL if not received yet */
    uint64_t received;                      /* time of the receive; 0 if MPI may buffer the message */
    uint64_t received_at;                   /* location of the receive */
    struct omptape_message_end *in_channel; /* set while the send waits in its channel */
    struct waits_wanted wanted;             /* what it needs meanwhile */
};

static struct waits_end *new_end(struct waits *waits, struct waits_call *call)
{
    struct waits_end *end = omptape_free_list_alloc(&waits->free_ends, &waits->arena, sizeof(*end));
    if (end == NULL)
        return NULL;
    *end = (struct waits_end){.uses = 1, .call = omptape_waits_call_use(call)};
    return end;
}

static void drop_end(struct waits *waits, struct waits_end *end)
{
    struct waits_call *const used[] = {end->call, end->completion, end->receiver};
    if (--end->uses > 0)
        return;
    for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++)
        if (used[i] != NULL)
            omptape_waits_call_drop(waits, used[i]);
    omptape_free_list_free(&waits->free_ends, end);
}

/* Charges a wait for a send: until its receive is posted, and then until the receiver calls MPI again. */
static void wait_for_receiver(struct waits *waits, const struct waits_end *send, struct waits_call *waiting)
{
    const struct waits_call *posting = send->receiver;
    omptape_waits_needs(waits, waiting, OMPTAPE_FINDING_LATE_RECEIVER, posting);
    const struct waits_thread *thread =
        send->received > 0 ? omptape_waits_thread(waits, send->received_at) : NULL;
    if (thread != NULL)
        omptape_waits_stalled(waits, waiting, thread,
                              posting->begin > send->call->begin ? posting->begin : send->call->begin,
                              send->received);
}

/* Notes that the send's receive was posted in this call. */
static void received_by(struct waits *waits, struct waits_end *send, struct waits_call *posting,
                        const struct omptape_event *event)
{
    send->receiver = omptape_waits_call_use(posting);
    send->in_channel = NULL;
    if (event->value[2] >= MIN_KEPT) {
        send->received = event->time;
        send->received_at = event->location;
    }
    wait_for_receiver(waits, send, send->call);
    if (send->completion != NULL)
        wait_for_receiver(waits, send, send->completion);
}

/* Charges a receive's wait: until the send, and then until the sender calls MPI again. */
static void wait_for_sender(struct waits *waits, const struct waits_end *send, struct waits_call *waiting,
                            const struct waits_call *posting, const struct omptape_event *event)
{
    omptape_waits_needs(waits, waiting, OMPTAPE_FINDING_LATE_SENDER, send->call);
    const struct waits_thread *thread =
        event->value[2] >= MIN_KEPT ? omptape_waits_thread(waits, send->call->location) : NULL;
    if (thread != NULL)
        omptape_waits_stalled(waits, waiting, thread,
                              posting->begin > send->call->begin ? posting->begin : send->call->begin,
                              event->time);
}

/* Returns true if the other process of a message has no trace. */
static bool is_alone(struct waits *waits, const struct waits_call *call, const struct omptape_event *event)
{
    return omptape_ranks_process(&waits->channels.ranks, event->refs[0].id, event->value[0], call->process) ==
           OMPTAPE_NO_PROCESS;
}

/* Stores the send so that the call that waits for it finds it by its request. */
static void keep_send(struct waits *waits, const struct waits_call *call, uint64_t request,
                      struct waits_end *send)
{
    struct waits_end *old = omptape_pairs_remove(&waits->sends, call->process, request);
    if (old != NULL)
        drop_end(waits, old);
    if (omptape_pairs_put(&waits->sends, call->process, request, send) == 0)
        send->uses++;
}

/* Handles a send to a process without a trace: the time that it, or a later call, waits for it is unknown. */
static void send_alone(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    if (event->value[3] == OMPTAPE_EVENT_NO_REQUEST) {
        omptape_waits_unknown(waits, call);
        return;
    }
    struct waits_end *send = new_end(waits, call);
    if (send == NULL)
        return;
    send->to_untraced = true;
    keep_send(waits, call, event->value[3], send);
    drop_end(waits, send);
}

/* Notes whether the send answers the message that this thread received last. Whoever serves others works
 * after it received, and not before. */
static void note_answer(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    struct waits_thread *thread = omptape_waits_thread(waits, call->location);
    call->sends = true;
    if (thread == NULL)
        return;
    thread->sent = call->begin;
    if (thread->heard == 0)
        return;
    const uint64_t process =
        omptape_ranks_process(&waits->channels.ranks, event->refs[0].id, event->value[0], call->process);
    if (thread->heard == 1 + process) {
        call->replies = thread->heard_sent;
        if (omptape_minus(call->begin, thread->heard_at) > thread->heard_after)
            call->answered = thread->heard_sent;
    }
    thread->heard = 0;
}

static void on_send(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    note_answer(waits, call, event);
    if (is_alone(waits, call, event)) {
        send_alone(waits, call, event);
        return;
    }
    struct omptape_message_end *made;
    struct omptape_message_end *receive = omptape_channels_match(&waits->channels, event, &made);
    if (receive != NULL) { /* received before it was sent: clocks differ */
        drop_end(waits, receive->owned);
        omptape_channels_release(&waits->channels, receive);
        return;
    }
    struct waits_end *send = made != NULL ? new_end(waits, call) : NULL;
    if (send == NULL) {
        if (made != NULL)
            made->cancelled = true;
        return;
    }
    made->owned = send;
    send->wanted = (struct waits_wanted){.is_known = true,
                                         .request = event->value[3],
                                         .sends = true,
                                         .comm = event->refs[0].id,
                                         .has_rank = true,
                                         .rank = event->value[0],
                                         .has_tag = true,
                                         .tag = event->value[1]};
    if (event->value[3] == OMPTAPE_EVENT_NO_REQUEST) {
        call->sent = send->wanted;
        return;
    }
    send->in_channel = made;
    keep_send(waits, call, event->value[3], send);
}

/* Notes a received message. `sender`: NULL if it is not known; then the message may be an answer. */
static void note_heard(struct waits_thread *thread, const struct waits_call *sender, struct waits_call *call,
                       const struct omptape_event *event)
{
    call->hears |=
        thread->sent > 0 && (sender != NULL ? sender->replies == thread->sent : thread->sent > thread->got);
    thread->got = call->begin;
    if (sender == NULL)
        return;
    thread->heard = 1 + sender->process;
    thread->heard_at = event->time;
    thread->heard_sent = sender->begin;
    thread->heard_after = omptape_minus(call->begin, thread->call_end);
}

static void on_receive(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    struct omptape_message_end *made;
    struct waits_call *posting = event->value[3] == OMPTAPE_EVENT_NO_REQUEST
                                     ? NULL
                                     : omptape_pairs_remove(&waits->receives, call->process, event->value[3]);
    struct omptape_message_end *met = omptape_channels_match(&waits->channels, event, &made);
    struct waits_thread *thread = omptape_waits_thread(waits, call->location);
    if (is_alone(waits, call, event))
        omptape_waits_unknown(waits, call);
    if (thread != NULL)
        note_heard(thread, met != NULL ? ((struct waits_end *)met->owned)->call : NULL, call, event);
    if (met != NULL) {
        struct waits_end *send = met->owned;
        wait_for_sender(waits, send, call, posting != NULL ? posting : call, event);
        if (posting != NULL && posting->receives_probed) /* probed: that call waited for it */
            omptape_waits_needs(waits, posting, OMPTAPE_FINDING_LATE_SENDER, send->call);
        received_by(waits, send, posting != NULL ? posting : call, event);
        drop_end(waits, send);
        omptape_channels_release(&waits->channels, met);
    } else if (made != NULL) {
        made->owned = new_end(waits, call);
        made->cancelled = made->owned == NULL;
    }
    if (posting != NULL)
        omptape_waits_call_drop(waits, posting);
}

static void on_posted(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    struct waits_call *old = omptape_pairs_remove(&waits->receives, call->process, event->value[0]);
    call->posts = true;
    if (old != NULL)
        omptape_waits_call_drop(waits, old);
    (void)omptape_pairs_put(&waits->receives, call->process, event->value[0], omptape_waits_call_use(call));
}

static void on_sent(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    struct waits_end *send = omptape_pairs_remove(&waits->sends, call->process, event->value[0]);
    if (send == NULL)
        return;
    send->completion = omptape_waits_call_use(call);
    if (send->to_untraced)
        omptape_waits_unknown(waits, call);
    if (send->receiver != NULL)
        wait_for_receiver(waits, send, call);
    drop_end(waits, send);
}

/* Drops a cancelled send or receive: nobody receives it. */
static void on_cancelled(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    struct waits_end *send = omptape_pairs_remove(&waits->sends, call->process, event->value[0]);
    struct waits_call *posting = omptape_pairs_remove(&waits->receives, call->process, event->value[0]);
    if (send != NULL) {
        if (send->in_channel != NULL) {
            send->in_channel->cancelled = true;
            drop_end(waits, send);
        }
        drop_end(waits, send);
    }
    if (posting != NULL)
        omptape_waits_call_drop(waits, posting);
}

/* Takes part in a collective operation that blocks. */
static void take_part(struct waits *waits, struct waits_call *call, struct waits_part part)
{
    part.came = part.waits = call;
    omptape_waits_collective(waits, &part);
}

static void on_collective(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    struct waits_part part = {.order = WAITS_BLOCKING | event->refs[0].id,
                              .comm = event->refs[0].id,
                              .operation = event->value[0],
                              .root = event->value[1]};
    if (event->kind == OMPTAPE_EVENT_RMA_COLLECTIVE) {
        const struct omptape_definition *window =
            omptape_reader_find(waits->state->reader, OMPTAPE_DEF_RMA_WIN, event->refs[0].id);
        part.order = WAITS_WINDOW | event->refs[0].id;
        if (window == NULL)
            return;
        part.comm = window->refs[1].id;
    }
    take_part(waits, call, part);
}

/* Handles collective file operations: open, close, and reads and writes that are marked as collective. The
 * kind of operation does not show who needs whom. */
static void on_file(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    enum { OPENED_OR_CLOSED = 256, OPERATION };
    const uint64_t flags = OTF2_IO_OPERATION_FLAG_COLLECTIVE | OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
    uint64_t comm = omptape_analysis_io_comm(waits->state->reader, event);
    bool is_handle = event->kind == OMPTAPE_EVENT_IO_HANDLE;
    if (comm == OTF2_UNDEFINED_COMM ||
        (!is_handle && (event->value[3] & flags) != OTF2_IO_OPERATION_FLAG_COLLECTIVE))
        return;
    take_part(waits, call,
              (struct waits_part){.order = WAITS_FILE | event->refs[0].id,
                                  .comm = comm,
                                  .operation = is_handle ? OPENED_OR_CLOSED : OPERATION + event->value[0],
                                  .root = OTF2_COLLECTIVE_ROOT_NONE});
}

/* Handles MPI_Finalize, which all members of a world call together; it has no event of its own. */
static void on_end(struct waits *waits, struct waits_call *call)
{
    const uint64_t comm = omptape_ranks_world_of(&waits->channels.ranks, call->process);
    if (comm != OTF2_UNDEFINED_COMM)
        take_part(waits, call,
                  (struct waits_part){.order = WAITS_END | comm,
                                      .comm = comm,
                                      .operation = OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
                                      .root = OTF2_COLLECTIVE_ROOT_NONE});
}

static void on_enter(struct waits *waits, struct waits_thread *thread, const struct omptape_event *event)
{
    const struct analysis_state *state = waits->state;
    const struct waits_call *before = thread->call;
    omptape_waits_enter(waits, thread, event->time, omptape_event_call_region(state->reader, event));
    if (before == NULL && thread->call != NULL && thread->call->about.ends)
        on_end(waits, thread->call);
}

/* Handles a lock of a window. Processes without a trace may have held it. */
static void on_lock(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    const struct omptape_definition *window =
        omptape_reader_find(waits->state->reader, OMPTAPE_DEF_RMA_WIN, event->refs[0].id);
    const struct omptape_rank_list *ranks =
        window != NULL ? omptape_ranks_of(&waits->channels.ranks, window->refs[1].id) : NULL;
    if (ranks != NULL && ranks->present < ranks->size)
        omptape_waits_unknown(waits, call);
    omptape_waits_lock(waits, call, event);
    omptape_waits_end_lock(waits, call, event);
}

/* Handles a test of a request, possibly its last event. It records what the request waits for; for a send the
 * destination is known. */
static void on_tested(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    const struct waits_end *send = omptape_pairs_get(&waits->sends, call->process, event->value[0]);
    struct waits_wanted wanted = omptape_waits_wanted(waits->state, event);
    if (send != NULL && !send->to_untraced && send->receiver == NULL && send->in_channel != NULL)
        wanted = send->wanted;
    omptape_waits_end_wants(waits, call, &wanted);
}

/* Handles a probe that names the message it looks for. */
static void on_probed(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    if (!call->about.polls)
        return;
    const struct waits_wanted wanted = omptape_waits_wanted(waits->state, event);
    if (wanted.is_known)
        omptape_waits_end_wants(waits, call, &wanted);
}

/* Handles the thread's current call, which never ended. */
static void on_open(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    struct waits_wanted wanted = omptape_waits_wanted(waits->state, event);
    if (wanted.is_known)
        omptape_waits_end_wants(waits, call, &wanted);
    omptape_waits_end_open(waits, call);
}

/* Returns 1 + the event's rank, root or file; 0 for other events. */
static uint64_t peer_of(const struct omptape_event *event)
{
    switch (event->kind) {
    case OMPTAPE_EVENT_MPI_SEND:
    case OMPTAPE_EVENT_MPI_RECEIVE:
    case OMPTAPE_EVENT_RMA_OPERATION:
        return 1 + (event->value[0] & UINT32_MAX);
    case OMPTAPE_EVENT_MPI_COLLECTIVE:
        return 1 + (event->value[1] & UINT32_MAX);
    case OMPTAPE_EVENT_IO_OPERATION:
        return 1 + event->refs[0].id;
    default:
        return 0;
    }
}

/* Handles the operation of an epoch. */
static void on_group(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    omptape_waits_epoch_step(waits, call, event);
    omptape_waits_end_group(waits, call, event);
}

typedef void call_event(struct waits *waits, struct waits_call *call, const struct omptape_event *event);

static call_event *const call_events[OMPTAPE_EVENT_KINDS] = {
    [OMPTAPE_EVENT_MPI_SEND] = on_send,
    [OMPTAPE_EVENT_MPI_RECEIVE] = on_receive,
    [OMPTAPE_EVENT_MPI_POSTED] = on_posted,
    [OMPTAPE_EVENT_MPI_SENT] = on_sent,
    [OMPTAPE_EVENT_MPI_CANCELLED] = on_cancelled,
    [OMPTAPE_EVENT_MPI_COLLECTIVE] = on_collective,
    [OMPTAPE_EVENT_RMA_COLLECTIVE] = on_collective,
    [OMPTAPE_EVENT_MPI_TESTED] = on_tested,
    [OMPTAPE_EVENT_IO_HANDLE] = on_file,
    [OMPTAPE_EVENT_IO_OPERATION] = on_file,
    [OMPTAPE_EVENT_MPI_COLLECTIVE_POSTED] = omptape_waits_post,
    [OMPTAPE_EVENT_MPI_COLLECTIVE_LATER] = omptape_waits_complete,
    [OMPTAPE_EVENT_RMA_GROUP] = on_group,
    [OMPTAPE_EVENT_RMA_LOCK] = on_lock,
    [OMPTAPE_EVENT_RMA_UNLOCK] = on_lock,
    [OMPTAPE_EVENT_RMA_OPERATION] = omptape_waits_operation,
    [OMPTAPE_EVENT_RMA_COMPLETE] = omptape_waits_operation_end,
};

static void on_call_event(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    call->peer = call->peer > 0 ? call->peer : peer_of(event);
    bool receives = event->kind == OMPTAPE_EVENT_MPI_RECEIVE;
    bool requested = receives && event->value[3] != OMPTAPE_EVENT_NO_REQUEST;
    call->completes |= requested || event->kind == OMPTAPE_EVENT_MPI_SENT ||
                       event->kind == OMPTAPE_EVENT_MPI_COLLECTIVE_LATER;
    call->receives_probed |=
        (receives && !requested) || (call->about.fetches && event->kind == OMPTAPE_EVENT_MPI_POSTED);
    if (event->kind < OMPTAPE_EVENT_KINDS && call_events[event->kind] != NULL)
        call_events[event->kind](waits, call, event);
}

static void on_metric(struct waits *waits, struct waits_thread *thread, const struct omptape_event *event)
{
    if (omptape_event_is_scheduling_metric(event))
        omptape_waits_sched_read(
            waits->state, &thread->sched, thread->location,
            (struct waits_reading){.time = event->time,
                                   .running_ns = event->values[0].unsigned_int,
                                   .queued_ns = event->values[1].unsigned_int,
                                   .outside = omptape_waits_outside(thread, event->time)},
            thread->free_since);
}

static void on_leave(struct waits *waits, struct waits_thread *thread, const struct omptape_event *event)
{
    struct waits_call *call = thread->call;
    if (call != NULL && thread->inner == 0) {
        if (omptape_analysis_attribute(waits->state, event, READER_SYNTHESISED) != 0)
            on_open(waits, call, event);
        else
            on_probed(waits, call, event);
    }
    omptape_waits_leave(waits, thread, event->time, event->refs[0].id);
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct waits *waits = data;
    struct analysis_state *state = waits->state;
    struct waits_thread *thread = omptape_waits_thread(waits, event->location);
    if (++waits->events % EVENTS_FOR_A_SIGN == 0 && state->reader->beats != NULL)
        ++*state->reader->beats;
    if (thread == NULL || event->time > state->to)
        return false;
    if (event->kind == OMPTAPE_EVENT_ENTER)
        on_enter(waits, thread, event);
    else if (event->kind == OMPTAPE_EVENT_LEAVE)
        on_leave(waits, thread, event);
    else if (event->kind == OMPTAPE_EVENT_METRIC)
        on_metric(waits, thread, event);
    else if (event->kind == OMPTAPE_EVENT_SAMPLE)
        omptape_waits_sample(thread, event->time, event->refs[0].id);
    else if (event->kind == OMPTAPE_EVENT_MEASUREMENT && event->value[0] != OTF2_MEASUREMENT_ON &&
             !omptape_event_changes_thread(state->reader, event))
        state->mpi_incomplete = true; /* messages during that time are unknown */
    else if (thread->call != NULL)
        on_call_event(waits, thread->call, event);
    return !omptape_out_of_memory && !state->mpi_incomplete;
}

/* Returns true if the thread is its rank's MPI location, which calls MPI_Finalize. Only with several ranks.
 */
static bool is_of_rank(const struct omptape_reader *reader, uint64_t location)
{
    const struct omptape_definition *ranks =
        omptape_reader_comm_locations(reader, (uint64_t)OTF2_PARADIGM_MPI);
    for (uint32_t i = 0; ranks != NULL && ranks->member_count > 1 && i < ranks->member_count; i++)
        if (ranks->members[i] == location)
            return true;
    return false;
}

/* Lists the threads that call MPI. Threads of processes that were not analysed are all listed. */
static uint64_t *list_threads(const struct analysis_state *state, uint32_t *count)
{
    const struct omptape_reader *reader = state->reader;
    uint64_t *list = omptape_calloc(reader->definition_count + (size_t)1, sizeof(*list));
    *count = 0;
    for (const struct omptape_definition *definition = reader->first[OMPTAPE_DEF_LOCATION];
         definition != NULL && list != NULL; definition = definition->next) {
        if (!omptape_location_is_thread(reader, definition))
            continue;
        const struct analysis_location *location = omptape_pairs_get(&state->locations, 0, definition->id);
        if (location == NULL || location->thread == NULL || location->thread->messages > 0 ||
            is_of_rank(reader, definition->id))
            list[(*count)++] = definition->id;
    }
    return list;
}

/* Returns true if all messages from the start on were recorded. */
static bool are_all_recorded(const struct analysis_state *state)
{
    static const char *const keys[] = {OMPTAPE_KEY_DROPPED, OMPTAPE_KEY_FORGOTTEN};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (omptape_reader_number_of(state->reader, -1, keys[i]) > 0)
            return false;
    return omptape_reader_property_of(state->reader, -1, OMPTAPE_KEY_START) == NULL;
}

static void read_again(struct waits *waits)
{
    struct analysis_state *state = waits->state;
    struct omptape_reader *reader = NULL;
    char error[OMPTAPE_READER_ERROR_BYTES];
    uint32_t count;
    uint64_t *threads = list_threads(state, &count);
    if (threads != NULL &&
        (omptape_reader_open(&reader, state->reader->anchor, error, sizeof(error)) != 0 ||
         omptape_reader_read_locations(reader, threads, count, on_event, waits, error, sizeof(error)) != 0))
        state->mpi_incomplete = true;
    omptape_reader_close(reader);
    free(threads);
}

static void free_waits(struct waits *waits)
{
    struct omptape_pairs *const tables[] = {
        &waits->threads,      &waits->regions,   &waits->callers,   &waits->sends, &waits->receives,
        &waits->counts,       &waits->instances, &waits->queues,    &waits->begun, &waits->epochs,
        &waits->window_locks, &waits->held,      &waits->under_way, &waits->wants, &waits->unfinished,
        &waits->lock_counts,  &waits->groups};
    for (uint32_t i = 0; i < waits->threads.count; i++)
        free(((struct waits_thread *)waits->threads.list[i].value)->sched.pending);
    omptape_waits_free_instances(waits);
    omptape_channels_free(&waits->channels);
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        omptape_pairs_free(tables[i]);
    omptape_arena_free(&waits->arena);
}

void omptape_mpi_waits(struct analysis_state *state)
{
    const struct omptape_definition *ranks =
        omptape_reader_comm_locations(state->reader, (uint64_t)OTF2_PARADIGM_MPI);
    uint64_t messages = 0;
    for (uint32_t i = 0; i < state->locations.count; i++) {
        const struct analysis_location *location = state->locations.list[i].value;
        messages += location->thread != NULL ? location->thread->messages : 0;
    }
    if (messages == 0 && (ranks == NULL || ranks->member_count < 2))
        return;
    omptape_mpi_find_absent(state);
    if (omptape_reader_number_of(state->reader, -1, OMPTAPE_KEY_PROFILE) > 0) {
        state->mpi_unmatched = messages > 0;
        return;
    }
    if (!are_all_recorded(state)) {
        state->mpi_incomplete = messages > 0;
        return;
    }
    struct waits waits = {.state = state};
    (void)omptape_channels_begin(&waits.channels, state->reader, state->reader->beats);
    read_again(&waits);
    omptape_waits_ends_store(&waits);
    free_waits(&waits);
}
