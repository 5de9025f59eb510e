/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The families of one-sided communication: windows created and freed, data put and got, and synchronisation.
 */
#include "buffers/producer.h"
#include "callbacks/mpi/calls.h"
#include "callbacks/mpi/communicators.h"
#include "callbacks/mpi/handles.h"
#include "callbacks/mpi/interface.h"
#include "callbacks/mpi/members.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A window and its pending operations, found by MPI's handle. Any thread may complete operations. */

enum { MPI_WINDOW_LISTS = 64 };

struct mpi_window {
    uint32_t number; /* Number in this process's records. */
    uint32_t comm;   /* Number of the communicator it was created on. */
    uint64_t comm_identity;
    bool across_worlds; /* That communicator has processes of other worlds. */
    uint32_t rank;      /* Rank of this process. */
    uint32_t size;
    /* Group of the open access epoch (members.h); UINT32_MAX if there is none. */
    _Atomic uint32_t accessed;
    /* Group of the open exposure epoch; UINT32_MAX if there is none. */
    _Atomic uint32_t exposed;
    struct omptape_mpi_object object;
    uint32_t lists[MPI_WINDOW_LISTS]; /* Lists of operations, by rank. */
};

/* For each operation that completes. `locally_before` is true if it was already complete at the origin. */
typedef void omptape_mpi_operation_ended(void *data, uint64_t id, bool locally_before);

enum { MAX_WINDOWS = 1 << 12, MAX_OPERATIONS = 1 << 20 };

struct operation {
    uint64_t id;
    uint32_t rank;
    /* Index + 1 of the next one in its list or in the list of free ones. */
    uint32_t next;
    bool local; /* It is complete at the origin. */
};

struct operations {
    uint32_t used; /* Entries that were ever used. */
    uint32_t free;
    struct operation list[MAX_OPERATIONS];
};

static struct omptape_mpi_handles handles = {.capacity = MAX_WINDOWS, .bytes = sizeof(struct mpi_window)};

/* NULL until a window is created. */
static struct operations *operations;

static uint32_t numbers;

static atomic_flag lock = ATOMIC_FLAG_INIT;

/* Allocates the tables; the caller holds `lock`. Returns false if out of memory. */
static bool make_tables(void)
{
    if (operations == NULL)
        operations = omptape_mpi_memory(sizeof(*operations));
    return operations != NULL && omptape_mpi_handles_alloc(&handles);
}

/* Returns the entry of a window, or NULL if it is unknown. */
static struct mpi_window *mpi_windows_find(intptr_t argument)
{
    return omptape_mpi_handles_find(&handles, omptape_mpi_handle(argument));
}

/* Adds and records a window on this communicator. Returns NULL if the table is full. */
static struct mpi_window *mpi_windows_add(struct omptape_slot *slot, intptr_t handle,
                                          const struct omptape_mpi_comm *comm)
{
    struct omptape_mpi_object object;
    if (!omptape_mpi_comms_add_object(comm, OMPTAPE_MPI_WINDOWS, 0, &object))
        return NULL;
    const bool locked = omptape_mpi_lock(&lock);
    struct mpi_window *window = locked && make_tables() ? omptape_mpi_handles_alloc_entry(&handles) : NULL;
    if (window != NULL) {
        window->object = object;
        window->number = object.number != UINT32_MAX ? object.number : numbers++;
        window->comm = comm->number;
        window->comm_identity = comm->identity;
        window->across_worlds = comm->connection != 0;
        window->rank = comm->rank;
        window->size = comm->size;
        window->accessed = UINT32_MAX;
        window->exposed = UINT32_MAX;
        omptape_mpi_handles_set(&handles, handle, window);
    }
    if (locked)
        omptape_mpi_unlock(&lock);
    const uint64_t word = comm->number | (uint64_t)object.ordinal << 32;
    if (window == NULL)
        omptape_mpi_comms_release_object(&object);
    else if (object.number == UINT32_MAX &&
             omptape_producer_put_words(slot, OMPTAPE_MPI_WINDOW, 0, window->number, &word, 1))
        omptape_mpi_comms_set_object_number(&object, window->number);
    return window;
}

/* Frees a list of operations; the caller holds `lock`. */
static void free_operations(uint32_t first)
{
    while (first != 0) {
        struct operation *operation = &operations->list[first - 1];
        const uint32_t next = operation->next;
        operation->next = operations->free;
        operations->free = first;
        first = next;
    }
}

/* Removes a window and frees its operations, because MPI may reuse its handle. The caller releases
 * `last->object` after it has recorded the end. Returns false if it is unknown. */
static bool mpi_windows_remove(intptr_t argument, struct mpi_window *last)
{
    const intptr_t handle = omptape_mpi_handle(argument);
    struct mpi_window *window = mpi_windows_find(handle);
    if (window == NULL || !omptape_mpi_lock(&lock))
        return false;
    last->number = window->number;
    last->object = window->object;
    for (unsigned i = 0; i < MPI_WINDOW_LISTS; i++)
        free_operations(window->lists[i]);
    omptape_mpi_handles_remove(&handles, handle, window);
    omptape_mpi_unlock(&lock);
    return true;
}

/* Notes an operation with this rank. If the table is full, its completion is not recorded. */
static void mpi_windows_begin_operation(struct mpi_window *window, uint32_t rank, uint64_t id)
{
    uint32_t *list = &window->lists[rank % MPI_WINDOW_LISTS];
    if (!omptape_mpi_lock(&lock))
        return;
    uint32_t place = operations->free;
    if (place != 0)
        operations->free = operations->list[place - 1].next;
    else if (operations->used < MAX_OPERATIONS)
        place = ++operations->used;
    if (place != 0) {
        operations->list[place - 1] = (struct operation){.id = id, .rank = rank, .next = *list};
        *list = place;
    }
    omptape_mpi_unlock(&lock);
}

/* Moves the list's operations with this rank to the front of `collected`: in order of begin. Needs `lock`. */
static uint32_t collect_from(uint32_t *list, uint32_t rank, uint32_t collected)
{
    while (*list != 0) {
        struct operation *operation = &operations->list[*list - 1];
        const uint32_t place = *list;
        if (rank != UINT32_MAX && operation->rank != rank) {
            list = &operation->next;
            continue;
        }
        *list = operation->next;
        operation->next = collected;
        collected = place;
    }
    return collected;
}

/* Puts operations back into their lists, marked as complete at the origin. The caller holds `lock`. */
static void return_operations(struct mpi_window *window, uint32_t collected)
{
    while (collected != 0) {
        struct operation *operation = &operations->list[collected - 1];
        const uint32_t next = operation->next;
        uint32_t *list = &window->lists[operation->rank % MPI_WINDOW_LISTS];
        operation->local = true;
        operation->next = *list;
        *list = collected;
        collected = next;
    }
}

/* Completes all operations with this rank (UINT32_MAX: any) and calls `ended` for each. With `remote` they
 * end at the target and are removed, else only at the origin. */
static void mpi_windows_end_operations(struct mpi_window *window, uint32_t rank, bool remote,
                                       omptape_mpi_operation_ended *ended, void *data)
{
    const bool one = rank != UINT32_MAX;
    const unsigned first = one ? rank % MPI_WINDOW_LISTS : 0;
    const unsigned end = one ? first + 1 : MPI_WINDOW_LISTS;
    uint32_t collected = 0;
    if (!omptape_mpi_lock(&lock))
        return;
    for (unsigned i = first; i < end; i++)
        collected = collect_from(&window->lists[i], rank, collected);
    omptape_mpi_unlock(&lock);
    for (uint32_t place = collected; place != 0; place = operations->list[place - 1].next)
        ended(data, operations->list[place - 1].id, operations->list[place - 1].local);
    if (collected == 0 || !omptape_mpi_lock(&lock))
        return;
    if (remote)
        free_operations(collected);
    else
        return_operations(window, collected);
    omptape_mpi_unlock(&lock);
}

/* Marks an operation as complete at the origin. Returns false if it already was. */
static bool mpi_windows_end_locally(struct mpi_window *window, uint32_t rank, uint64_t id)
{
    bool found = false;
    if (!omptape_mpi_lock(&lock))
        return false;
    uint32_t place = window->lists[rank % MPI_WINDOW_LISTS];
    while (place != 0 && operations->list[place - 1].id != id)
        place = operations->list[place - 1].next;
    if (place != 0) {
        found = !operations->list[place - 1].local;
        operations->list[place - 1].local = true;
    }
    omptape_mpi_unlock(&lock);
    return found;
}

static uint64_t with_rank(const struct mpi_window *window, uint32_t rank)
{
    return window->number | (uint64_t)rank << 32;
}

static void put_step(const struct omptape_mpi_call *call, const struct mpi_window *window,
                     enum omptape_mpi_rma step, unsigned detail, uint32_t rank)
{
    omptape_put1(call->slot, OMPTAPE_MPI_RMA, call->number, (uint32_t)step | detail << 8,
                 with_rank(window, rank));
}

struct ending {
    const struct omptape_mpi_call *call;
    const struct mpi_window *window;
    bool remote;
};

static void put_end(void *data, uint64_t id, bool locally_before)
{
    const struct ending *ending = data;
    const unsigned where = (locally_before ? 0 : 1U) | (ending->remote ? 2U : 0);
    if (where != 0)
        omptape_put2(ending->call->slot, OMPTAPE_MPI_RMA, ending->call->number,
                     OMPTAPE_MPI_RMA_COMPLETE | where << 8, with_rank(ending->window, UINT32_MAX), id);
}

static void end_operations(const struct omptape_mpi_call *call, struct mpi_window *window, uint32_t rank,
                           bool remote)
{
    struct ending ending = {.call = call, .window = window, .remote = remote};
    mpi_windows_end_operations(window, rank, remote, put_end, &ending);
}

void omptape_mpi_rma_end_request(const struct omptape_mpi_call *call,
                                 const struct omptape_mpi_request *request)
{
    struct mpi_window *window = (struct mpi_window *)request->where;
    if (mpi_windows_end_locally(window, (uint32_t)(request->comm >> 32), request->id))
        omptape_put2(call->slot, OMPTAPE_MPI_RMA, call->number, OMPTAPE_MPI_RMA_COMPLETE | 1U << 8,
                     request->comm | (uint64_t)UINT32_MAX << 32, request->id);
}

/* The last argument is the window. */
int omptape_mpi_win_new(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(call->a[call->detail]);
    const intptr_t where = call->a[call->count - 1];
    int result = omptape_mpi_enter_and_pass(call);
    const struct mpi_window *window = NULL;
    if (comm != NULL && result == OMPTAPE_MPI_SUCCESS && where != 0)
        window = mpi_windows_add(call->slot, omptape_mpi_handle_at(where, 0), comm);
    /* MPI allocates the memory, except for MPI_Win_create and MPI_Win_create_dynamic. These are recognised by
     * the index of their communicator argument. */
    enum { CREATE_COMM = 4, DYNAMIC_COMM = 1 };
    if (window != NULL)
        put_step(call, window, OMPTAPE_MPI_RMA_CREATED,
                 call->detail != CREATE_COMM && call->detail != DYNAMIC_COMM, UINT32_MAX);
    return omptape_mpi_leave(call, result);
}

/* Records the begin of a call that waits for this rank of the window; UINT32_MAX is any rank. */
static void enter_window(const struct omptape_mpi_call *call, const struct mpi_window *window, uint32_t rank)
{
    if (window != NULL)
        omptape_put2(call->slot, OMPTAPE_MPI_ENTER, call->number, OMPTAPE_MPI_AWAITS_WINDOW, call->site,
                     window->comm | (uint64_t)rank << 32);
    else
        omptape_mpi_enter(call);
}

/* Records the begin of a call that is collective over the window. */
static struct mpi_window *enter_collective(const struct omptape_mpi_call *call, intptr_t handle)
{
    struct mpi_window *window = mpi_windows_find(handle);
    if (window != NULL)
        omptape_put2(call->slot, OMPTAPE_MPI_ENTER, call->number | OMPTAPE_MPI_ENTERS,
                     OMPTAPE_MPI_AWAITS_WINDOW, call->site, window->comm | (uint64_t)UINT32_MAX << 32);
    else
        omptape_mpi_enter(call);
    return window;
}

int omptape_mpi_win_free(struct omptape_mpi_call *call)
{
    const intptr_t handle = call->a[0] != 0 ? omptape_mpi_handle_at(call->a[0], 0) : 0;
    struct mpi_window *window = handle != 0 ? enter_collective(call, handle) : NULL;
    if (handle == 0)
        omptape_mpi_enter(call);
    if (window == NULL)
        return omptape_mpi_leave(call, omptape_mpi_pass(call));
    /* The window is removed before another thread may receive the same handle. */
    end_operations(call, window, UINT32_MAX, true);
    struct mpi_window last = {.number = window->number};
    const bool removed = mpi_windows_remove(handle, &last);
    int result = omptape_mpi_pass(call);
    put_step(call, &last, OMPTAPE_MPI_RMA_DESTROYED, 0, UINT32_MAX);
    if (removed)
        omptape_mpi_comms_release_object(&last.object);
    return omptape_mpi_leave(call, result);
}

/* Arguments: assertion, window. */
int omptape_mpi_win_fence(struct omptape_mpi_call *call)
{
    struct mpi_window *window = enter_collective(call, call->a[1]);
    int result = omptape_mpi_pass(call);
    if (window != NULL) {
        if (result == OMPTAPE_MPI_SUCCESS)
            end_operations(call, window, UINT32_MAX, true);
        put_step(call, window, OMPTAPE_MPI_RMA_FENCE, 0, UINT32_MAX);
    }
    return omptape_mpi_leave(call, result);
}

/* Arguments: [type, rank,] assertion, window. */
int omptape_mpi_win_lock(struct omptape_mpi_call *call)
{
    enum { OF_ONE = 4 };
    const bool all = call->count < OF_ONE;
    const bool shared = all || (int)call->a[0] != omptape_mpi.lock_exclusive;
    const uint32_t rank = all ? UINT32_MAX : (uint32_t)call->a[1];
    const struct mpi_window *window = mpi_windows_find(call->a[call->count - 1]);
    enter_window(call, window, rank);
    int result = omptape_mpi_pass(call);
    if (window != NULL && result == OMPTAPE_MPI_SUCCESS && (all || rank < window->size))
        put_step(call, window, OMPTAPE_MPI_RMA_LOCK, shared, rank);
    return omptape_mpi_leave(call, result);
}

/* Arguments: [rank,] window. Handles flushes and unlocks. */
int omptape_mpi_win_flush(struct omptape_mpi_call *call)
{
    const uint32_t rank = call->count > 1 ? (uint32_t)call->a[0] : UINT32_MAX; /* UINT32_MAX: all ranks */
    const bool unlocks = call->detail == OMPTAPE_MPI_UNLOCK;
    struct mpi_window *window = mpi_windows_find(call->a[call->count - 1]);
    enter_window(call, window, rank);
    int result = omptape_mpi_pass(call);
    if (window != NULL && result == OMPTAPE_MPI_SUCCESS &&
        (!unlocks || rank == UINT32_MAX || rank < window->size)) {
        end_operations(call, window, rank, call->detail != OMPTAPE_MPI_FLUSH_LOCALLY);
        if (unlocks)
            put_step(call, window, OMPTAPE_MPI_RMA_UNLOCK, 0, rank);
    }
    return omptape_mpi_leave(call, result);
}

static void put_group(const struct omptape_mpi_call *call, const struct mpi_window *window, bool memory,
                      uint32_t group)
{
    if (group != UINT32_MAX)
        omptape_put2(call->slot, OMPTAPE_MPI_RMA, call->number,
                     OMPTAPE_MPI_RMA_GROUP | (memory ? 1U << 8 : 0), with_rank(window, UINT32_MAX), group);
}

/* Returns the number of the group argument. Across worlds members are ranks of the communicator. */
static uint32_t number_of_group(const struct omptape_mpi_call *call, const struct mpi_window *window)
{
    const struct omptape_mpi_rank_space rank_space = {
        .across_worlds = window->across_worlds, .group_of = omptape_mpi.win_get_group, .handle = call->a[2]};
    return omptape_mpi_members_group(call->slot, call->a[0], &rank_space, window->comm_identity,
                                     window->comm);
}

/* Arguments: group, assertion, window. Begins an epoch. */
int omptape_mpi_win_group(struct omptape_mpi_call *call)
{
    struct mpi_window *window = mpi_windows_find(call->a[2]);
    enter_window(call, window, UINT32_MAX);
    const uint32_t group = window != NULL ? number_of_group(call, window) : UINT32_MAX;
    int result = omptape_mpi_pass(call);
    if (window != NULL && result == OMPTAPE_MPI_SUCCESS) {
        atomic_store_explicit(call->detail != 0 ? &window->accessed : &window->exposed, group,
                              memory_order_relaxed);
        put_group(call, window, false, group);
    }
    return omptape_mpi_leave(call, result);
}

/* Arguments: window[, flag]. Ends the access epoch, or waits or tests for the end of the exposure epoch. */
int omptape_mpi_win_end(struct omptape_mpi_call *call)
{
    const bool access = call->number == OMPTAPE_CALL_MPI_Win_complete;
    struct mpi_window *window = mpi_windows_find(call->a[0]);
    enter_window(call, window, UINT32_MAX);
    int result = omptape_mpi_pass(call);
    if (window != NULL && result == OMPTAPE_MPI_SUCCESS &&
        (call->count == 1 || *(const int *)call->a[1] != 0)) {
        if (access)
            end_operations(call, window, UINT32_MAX, true);
        put_group(call, window, true,
                  atomic_exchange(access ? &window->accessed : &window->exposed, UINT32_MAX));
    }
    return omptape_mpi_leave(call, result);
}

int omptape_mpi_win_sync(struct omptape_mpi_call *call)
{
    const struct mpi_window *window = mpi_windows_find(call->a[0]);
    int result = omptape_mpi_enter_and_pass(call);
    if (window != NULL && result == OMPTAPE_MPI_SUCCESS)
        put_step(call, window, OMPTAPE_MPI_RMA_SYNC, 0, window->rank);
    return omptape_mpi_leave(call, result);
}

static unsigned rank_index(unsigned access)
{
    static const uint8_t indices[] = {[OMPTAPE_MPI_PUT] = 3,          [OMPTAPE_MPI_GET] = 3,
                                      [OMPTAPE_MPI_ACCUMULATE] = 3,   [OMPTAPE_MPI_GET_ACCUMULATE] = 6,
                                      [OMPTAPE_MPI_FETCH_AND_OP] = 3, [OMPTAPE_MPI_COMPARE_AND_SWAP] = 4};
    return indices[access];
}

static void put_access(const struct omptape_mpi_call *call, const struct mpi_window *window, unsigned access,
                       uint64_t id)
{
    /* OTF2's numbers of atomic operations. */
    enum { ACCUMULATE = 0, COMPARE_AND_SWAP = 3, FETCH_AND_ACCUMULATE = 7 };
    const intptr_t *a = call->a;
    uint64_t sent = 0;
    uint64_t received = 0;
    unsigned type = FETCH_AND_ACCUMULATE;
    const uint64_t place = with_rank(window, (uint32_t)a[rank_index(access)]);
    if (access == OMPTAPE_MPI_FETCH_AND_OP || access == OMPTAPE_MPI_COMPARE_AND_SWAP) {
        received = omptape_mpi_bytes(1, a[access == OMPTAPE_MPI_FETCH_AND_OP ? 2 : 3]);
        sent = access == OMPTAPE_MPI_FETCH_AND_OP ? received : 2 * received;
    } else {
        sent = omptape_mpi_bytes(omptape_mpi_count(call, 1), a[2]);
    }
    if (access == OMPTAPE_MPI_GET_ACCUMULATE)
        received = omptape_mpi_bytes(omptape_mpi_count(call, 4), a[5]);
    if (access == OMPTAPE_MPI_PUT || access == OMPTAPE_MPI_GET) {
        omptape_put3(call->slot, OMPTAPE_MPI_RMA, call->number,
                     access == OMPTAPE_MPI_PUT ? OMPTAPE_MPI_RMA_PUT : OMPTAPE_MPI_RMA_GET, place, sent, id);
        return;
    }
    if (access == OMPTAPE_MPI_ACCUMULATE)
        type = ACCUMULATE;
    else if (access == OMPTAPE_MPI_COMPARE_AND_SWAP)
        type = COMPARE_AND_SWAP;
    const uint64_t words[] = {place, sent, received, id};
    omptape_producer_put_words(call->slot, OMPTAPE_MPI_RMA, call->number, OMPTAPE_MPI_RMA_ATOMIC | type << 8,
                               words, sizeof(words) / sizeof(words[0]));
}

/* The last argument is the window; with a request it is the last but one. */
int omptape_mpi_rma(struct omptape_mpi_call *call)
{
    const bool requested = (call->detail & OMPTAPE_MPI_ACCESS_REQUESTED) != 0;
    const unsigned access = call->detail & ~(unsigned)OMPTAPE_MPI_ACCESS_REQUESTED;
    const uint32_t rank = (uint32_t)call->a[rank_index(access)];
    struct mpi_window *window = mpi_windows_find(call->a[call->count - 1 - requested]);
    const intptr_t where = requested ? call->a[call->count - 1] : 0;
    /* Operations with MPI_PROC_NULL have no effect. */
    if (window == NULL || rank >= window->size)
        return omptape_mpi_region(call);
    const uint64_t id = omptape_producer_id(call->slot);
    omptape_mpi_enter(call);
    put_access(call, window, access, id);
    mpi_windows_begin_operation(window, rank, id);
    int result = omptape_mpi_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS && omptape_mpi_request_at(where) != omptape_mpi.request_null)
        OMPTAPE_MPI_ADD_REQUEST(.handle = omptape_mpi_request_at(where), .id = id,
                                .comm = with_rank(window, rank), .where = (intptr_t)window,
                                .kind = OMPTAPE_MPI_REQUEST_RMA);
    return omptape_mpi_leave(call, result);
}
