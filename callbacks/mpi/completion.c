/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The families that wait for or test requests. Requests are looked up before MPI overwrites their handles.
 * Their results come from the statuses; the wrapper passes its own if the program ignores them.
 */
#include "callbacks/mpi/calls.h"
#include "callbacks/mpi/handles.h"

#include <string.h>

enum { FEW = 32 };

/* The requests of one call. */
struct pending {
    struct omptape_mpi_request *list;
    size_t count;
    struct omptape_mpi_request few[FEW];
    size_t bytes; /* Bytes of `list` if it is allocated; 0 if it is `few`. */
    /* One status or an array of them: the program's, or `few_statuses`, or `own_status`. */
    intptr_t status;
    void *own_status; /* Allocated statuses, or NULL. */
    size_t own_bytes;
    _Alignas(8) unsigned char few_statuses[FEW * OMPTAPE_MPI_STATUS_BYTES];
};

static bool is_active(const struct omptape_mpi_request *request)
{
    return request->id != 0;
}

static void look_up(struct pending *pending, size_t count, intptr_t handles)
{
    pending->list = pending->few;
    pending->count = count;
    pending->bytes = 0;
    pending->own_status = NULL;
    if (count > FEW) {
        pending->bytes = count * sizeof(*pending->list);
        pending->list = omptape_mpi_memory(pending->bytes);
        if (pending->list == NULL)
            pending->count = 0;
    }
    for (size_t i = 0; i < pending->count; i++) {
        intptr_t handle = omptape_mpi_handle_at(handles, i);
        pending->list[i].id = 0;
        pending->list[i].handle = handle;
        if (handle != omptape_mpi.request_null)
            omptape_mpi_requests_find(&pending->list[i], handle);
    }
}

/* Chooses the statuses: the program's, or own ones if needed and ignored by the program. */
static void choose_status(struct pending *pending, intptr_t *argument, size_t count)
{
    pending->status = *argument;
    if (*argument != omptape_mpi.status_ignore)
        return;
    bool needed = false;
    for (size_t i = 0; i < pending->count && !needed; i++)
        needed = is_active(&pending->list[i]) &&
                 ((pending->list[i].kind == OMPTAPE_MPI_REQUEST_RECEIVE && pending->list[i].parts == 0) ||
                  pending->list[i].kind == OMPTAPE_MPI_REQUEST_FILE || pending->list[i].cancelled);
    if (!needed)
        return;
    pending->status = (intptr_t)pending->few_statuses;
    if (count > FEW) {
        pending->own_bytes = count * OMPTAPE_MPI_STATUS_BYTES;
        pending->own_status = omptape_mpi_memory(pending->own_bytes);
        pending->status =
            pending->own_status != NULL ? (intptr_t)pending->own_status : omptape_mpi.status_ignore;
    }
    *argument = pending->status;
}

/* Returns true if any request is active. Programs may also test requests that are all complete. */
static bool is_any_active(const struct pending *pending)
{
    for (size_t i = 0; i < pending->count; i++)
        if (is_active(&pending->list[i]))
            return true;
    return false;
}

static void free_pending(struct pending *pending)
{
    if (pending->bytes > 0)
        omptape_mpi_memory_free(pending->list, pending->bytes);
    if (pending->own_status != NULL)
        omptape_mpi_memory_free(pending->own_status, pending->own_bytes);
}

static void put_collective(const struct omptape_mpi_call *call, const struct omptape_mpi_request *request)
{
    const uint64_t words[] = {request->comm, request->sent, request->received, request->id};
    omptape_producer_put_words(call->slot, OMPTAPE_MPI_COLLECTIVE, call->number, (uint32_t)request->tag,
                               words, sizeof(words) / sizeof(words[0]));
}

static void put_receive(const struct omptape_mpi_call *call, const struct omptape_mpi_request *request,
                        const struct omptape_mpi_message *message)
{
    omptape_put3(call->slot, OMPTAPE_MPI_RECEIVE, call->number, (uint32_t)message->tag,
                 (uint32_t)request->comm | ((uint64_t)(uint32_t)message->source + request->offset) << 32,
                 message->bytes, request->id);
}

/* Records a completed receive. If the same request also sent a message, MPICH's status may describe another
 * message. Then the program's arguments are recorded. */
static void complete_receive(const struct omptape_mpi_call *call, const struct omptape_mpi_request *request,
                             struct omptape_mpi_message message)
{
    const int source = (int)(request->comm >> 32);
    if (request->sent != 0)
        omptape_mpi_progress(call, OMPTAPE_MPI_SEND_COMPLETE, request->sent);
    if (request->paired &&
        ((source >= 0 && message.source != source) || (request->tag >= 0 && message.tag != request->tag))) {
        message.source = source >= 0 ? source : message.source;
        message.tag = request->tag >= 0 ? request->tag : message.tag;
        message.bytes = request->received;
    }
    /* A partitioned message is recorded with the program's arguments. */
    if (request->parts > 0)
        omptape_put3(call->slot, OMPTAPE_MPI_RECEIVE, call->number, (uint32_t)request->tag, request->comm,
                     request->received, request->id);
    else if (message.source >= 0)
        put_receive(call, request, &message);
}

/* Returns true if its begin is recorded. A partitioned send is recorded when all parts are ready. */
static bool is_begun(const struct omptape_mpi_request *request)
{
    return request->kind != OMPTAPE_MPI_REQUEST_SEND || request->parts == 0 ||
           omptape_mpi_requests_get(request->handle).unready == 0;
}

/* Removes the completed request, or makes a persistent one inactive. Of several requests with one handle,
 * look_up() found the same entry for all; then another entry is taken. Returns false if there is none. */
static bool remove_or_deactivate(struct omptape_mpi_request *request)
{
    if (request->persistent) {
        omptape_mpi_requests_set(request, 0, false);
        return true;
    }
    if (omptape_mpi_requests_remove(request))
        return true;
    const struct omptape_mpi_request other = omptape_mpi_requests_get(request->handle);
    if (!is_active(&other) || other.kind != request->kind || other.persistent ||
        !omptape_mpi_requests_remove(&other))
        return false;
    *request = other;
    return true;
}

/* Records the completion of request `index`; its status has index `place`. */
static void complete(const struct omptape_mpi_call *call, struct pending *pending, size_t index, size_t place)
{
    struct omptape_mpi_request *request = &pending->list[index];
    struct omptape_mpi_message message = {.source = -1};
    if (index >= pending->count || !is_active(request))
        return;
    const bool begun = is_begun(request);
    if (!remove_or_deactivate(request) || !begun)
        return;
    const bool told = pending->status != omptape_mpi.status_ignore;
    if (told)
        message = omptape_mpi_message_at(pending->status, place);
    if (request->kind <= OMPTAPE_MPI_REQUEST_RECEIVE && request->cancelled && told && message.cancelled)
        omptape_mpi_progress(call, OMPTAPE_MPI_CANCELLED, request->id);
    else if (request->kind == OMPTAPE_MPI_REQUEST_SEND)
        omptape_mpi_progress(call, OMPTAPE_MPI_SEND_COMPLETE, request->id);
    else if (request->kind == OMPTAPE_MPI_REQUEST_RECEIVE)
        complete_receive(call, request, message);
    else if (request->kind == OMPTAPE_MPI_REQUEST_COLLECTIVE)
        put_collective(call, request);
    else if (request->kind == OMPTAPE_MPI_REQUEST_RMA)
        omptape_mpi_rma_end_request(call, request);
    else if (request->kind == OMPTAPE_MPI_REQUEST_FILE)
        omptape_mpi_file_end_request(call, request, message.bytes);
    else if (request->kind == OMPTAPE_MPI_REQUEST_COMM)
        omptape_mpi_comm_end_request(call, request);
    request->id = 0;
}

static bool is_set(intptr_t flag)
{
    int value = 0;
    memcpy(&value, (const void *)flag, sizeof(value));
    return value != 0;
}

static int number_in(intptr_t array, size_t index)
{
    int value = 0;
    memcpy(&value, (const int *)array + index, sizeof(value));
    return value;
}

static size_t size_of(intptr_t count)
{
    return (int)count > 0 ? (size_t)(int)count : 0;
}

/* Fills the words that describe what a request waits for. Returns false unless that is another process. */
static bool describe_awaited(const struct omptape_mpi_request *request, uint64_t *words)
{
    enum omptape_mpi_awaits awaits = OMPTAPE_MPI_AWAITS_NOTHING;
    if (!is_active(request) || request->kind > OMPTAPE_MPI_REQUEST_COLLECTIVE)
        return false;
    words[0] = request->id;
    words[1] = request->comm;
    words[2] = (uint32_t)request->tag;
    if (request->kind == OMPTAPE_MPI_REQUEST_RECEIVE) {
        awaits = OMPTAPE_MPI_AWAITS_MESSAGE;
        words[2] = omptape_mpi_tag(request->tag);
    } else if (request->kind == OMPTAPE_MPI_REQUEST_COLLECTIVE) {
        awaits = OMPTAPE_MPI_AWAITS_COLLECTIVE;
    }
    words[2] |= (uint64_t)awaits << 32;
    return true;
}

/* Records the begin of a call that waits for these requests. */
static void enter_waiting(const struct omptape_mpi_call *call, const struct pending *pending)
{
    uint64_t words[1 + OMPTAPE_MPI_AWAITED_REQUESTS * OMPTAPE_MPI_AWAITED_WORDS];
    size_t count = 1;
    words[0] = call->site;
    for (size_t i = 0; i < pending->count && count < sizeof(words) / sizeof(words[0]); i++)
        count += describe_awaited(&pending->list[i], &words[count]) ? OMPTAPE_MPI_AWAITED_WORDS : 0;
    omptape_producer_put_words(call->slot, OMPTAPE_MPI_ENTER, call->number, OMPTAPE_MPI_AWAITS_REQUESTS,
                               words, count);
}

static void put_unsuccessful(const struct omptape_mpi_call *call, const struct omptape_mpi_request *request)
{
    uint64_t words[OMPTAPE_MPI_AWAITED_WORDS];
    const bool told = describe_awaited(request, words);
    omptape_producer_put_words(call->slot, OMPTAPE_MPI_REQUEST, call->number, OMPTAPE_MPI_TESTED, words,
                               told ? OMPTAPE_MPI_AWAITED_WORDS : 1);
}

static void put_tested(const struct omptape_mpi_call *call, const struct omptape_mpi_request *request)
{
    if (request->kind == OMPTAPE_MPI_REQUEST_FILE)
        omptape_mpi_file_test_request(call, request);
    else
        put_unsuccessful(call, request);
}

/* Records an unsuccessful test of several requests. A row's first poll records what some await. */
static void put_several(const struct omptape_mpi_call *call, const struct omptape_mpi_poll *poll,
                        const struct pending *pending)
{
    enum { MAX_PUT = 4 };
    unsigned put = 0;
    if (!is_any_active(pending) || !omptape_mpi_poll_must_describe(call, poll))
        return;
    for (size_t i = 0; i < pending->count && put < MAX_PUT; i++) {
        const struct omptape_mpi_request *request = &pending->list[i];
        if (!is_active(request) || !is_begun(request) || request->kind == OMPTAPE_MPI_REQUEST_FILE)
            continue;
        put_unsuccessful(call, request);
        put++;
    }
}

/* Records an unsuccessful test. */
static void put_unfinished(const struct omptape_mpi_call *call, const struct omptape_mpi_poll *poll,
                           const struct pending *pending)
{
    if ((call->detail & OMPTAPE_MPI_COMPLETES) != OMPTAPE_MPI_COMPLETES_ONE)
        put_several(call, poll, pending);
    else if (is_any_active(pending) && poll->begin == 0 && is_begun(&pending->list[0]))
        put_tested(call, &pending->list[0]);
}

/* Returns how many requests MPI has completed, or for whose statuses it has reported an error. */
static size_t count_done(const struct omptape_mpi_call *call, const struct pending *pending, int result)
{
    const intptr_t *a = call->a;
    const bool some = (call->detail & OMPTAPE_MPI_COMPLETES) == OMPTAPE_MPI_COMPLETES_SOME;
    const bool has_flag = !some && (call->detail & OMPTAPE_MPI_WAITS) == 0;
    if (result != OMPTAPE_MPI_SUCCESS &&
        (result != omptape_mpi.error_in_status || pending->status == omptape_mpi.status_ignore))
        return 0;
    if (some)
        return size_of(number_in(a[2], 0));
    if (result == OMPTAPE_MPI_SUCCESS && has_flag && !is_set(a[call->count - 2]))
        return 0;
    if ((call->detail & OMPTAPE_MPI_COMPLETES) == OMPTAPE_MPI_COMPLETES_ANY)
        return result == OMPTAPE_MPI_SUCCESS && number_in(a[2], 0) >= 0;
    return result != OMPTAPE_MPI_SUCCESS || is_any_active(pending) ? pending->count : 0;
}

/* Completes the requests, except those with an error in their status. MPI has stored some's or any one's
 * indices. */
static void complete_done(const struct omptape_mpi_call *call, struct pending *pending, size_t done,
                          int result)
{
    const unsigned completes = call->detail & OMPTAPE_MPI_COMPLETES;
    const intptr_t indices = call->a[completes == OMPTAPE_MPI_COMPLETES_SOME ? 3 : 2];
    for (size_t i = 0; i < done; i++)
        if (result == OMPTAPE_MPI_SUCCESS || omptape_mpi_error_at(pending->status, i) == OMPTAPE_MPI_SUCCESS)
            complete(call, pending,
                     completes >= OMPTAPE_MPI_COMPLETES_ANY ? (size_t)number_in(indices, i) : i, i);
}

/* Arguments: [count,] request(s); index, or count of completed ones and indices; flag; status(es). */
int omptape_mpi_complete(struct omptape_mpi_call *call)
{
    struct pending pending;
    struct omptape_mpi_poll poll = {0};
    const unsigned completes = call->detail & OMPTAPE_MPI_COMPLETES;
    const bool waits = (call->detail & OMPTAPE_MPI_WAITS) != 0;
    const bool several = completes != OMPTAPE_MPI_COMPLETES_ONE;
    const size_t count = several ? size_of(call->a[0]) : call->a[0] != 0;
    if (!waits)
        poll = omptape_mpi_poll_enter(call);
    look_up(&pending, count, call->a[several]);
    if (waits)
        enter_waiting(call, &pending);
    choose_status(&pending, &call->a[call->count - 1], completes == OMPTAPE_MPI_COMPLETES_ANY ? 1 : count);
    int result = omptape_mpi_pass(call);
    const size_t done = count_done(call, &pending, result);
    const bool found = result != OMPTAPE_MPI_SUCCESS || done > 0;
    if (waits && found)
        call->slot->repeats.polled_site = 0;
    else if (found)
        omptape_mpi_poll_found(call, &poll);
    else if (!waits)
        put_unfinished(call, &poll, &pending);
    complete_done(call, &pending, done, result);
    free_pending(&pending);
    if (waits)
        return omptape_mpi_leave(call, result);
    omptape_mpi_poll_leave(call, &poll, found);
    return result;
}

/* Arguments: request, flag, status. A completed request remains valid. */
int omptape_mpi_get_status(struct omptape_mpi_call *call)
{
    const intptr_t handle = omptape_mpi_handle(call->a[0]);
    const struct omptape_mpi_request request = handle != omptape_mpi.request_null
                                                   ? omptape_mpi_requests_get(handle)
                                                   : (struct omptape_mpi_request){.id = 0};
    struct omptape_mpi_poll poll = omptape_mpi_poll_enter(call);
    int result = omptape_mpi_pass(call);
    const bool asked = is_active(&request);
    const bool found = result != OMPTAPE_MPI_SUCCESS || (asked && is_set(call->a[1]));
    if (found)
        omptape_mpi_poll_found(call, &poll);
    else if (asked && poll.begin == 0 && is_begun(&request))
        put_tested(call, &request);
    omptape_mpi_poll_leave(call, &poll, found);
    return result;
}
