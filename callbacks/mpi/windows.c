/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of windows and of their operations, whose lists have one lock. Nothing is recorded while it is
 * held: that may have to wait for memory.
 */
#include "callbacks/mpi/windows.h"

#include "buffers/producer.h"
#include "callbacks/mpi/handles.h"
#include "callbacks/mpi/interface.h"
#include "callbacks/mpi/memory.h"

#include <stddef.h>
#include <string.h>

enum { MOST_WINDOWS = 1 << 12, MOST_OPERATIONS = 1 << 20 };

struct operation {
    uint64_t id;
    uint32_t rank;
    uint32_t next; /* in its list, or among the free ones; index + 1 */
    bool local;    /* it is complete here */
};

struct operations {
    uint32_t used; /* that ever were in a list */
    uint32_t free;
    struct operation list[MOST_OPERATIONS];
};

static struct omptape_mpi_handles handles = {.most = MOST_WINDOWS,
                                             .bytes = sizeof(struct omptape_mpi_window)};
/* NULL before there is a window. */
static struct operations *operations;
static uint32_t numbers;
static atomic_flag lock = ATOMIC_FLAG_INIT;

/* With the lock. */
static bool make_tables(void)
{
    if (operations == NULL)
        operations = omptape_mpi_memory(sizeof(*operations));
    return operations != NULL && omptape_mpi_handles_begin(&handles);
}

struct omptape_mpi_window *omptape_mpi_windows_find(intptr_t argument)
{
    return omptape_mpi_handles_find(&handles, omptape_mpi_handle(argument));
}

struct omptape_mpi_window *omptape_mpi_windows_add(struct omptape_slot *slot, intptr_t handle,
                                                   const struct omptape_mpi_comm *comm)
{
    struct omptape_mpi_made made;
    if (!omptape_mpi_comms_make(comm, OMPTAPE_MPI_WINDOWS, 0, &made))
        return NULL;
    const bool locked = omptape_mpi_lock(&lock);
    struct omptape_mpi_window *window = locked && make_tables() ? omptape_mpi_handles_take(&handles) : NULL;
    if (window != NULL) {
        window->made = made;
        window->number = made.number != UINT32_MAX ? made.number : numbers++;
        window->comm = comm->number;
        window->comm_identity = comm->identity;
        window->across = comm->meeting != 0;
        window->rank = comm->rank;
        window->size = comm->size;
        window->accessed = UINT32_MAX;
        window->exposed = UINT32_MAX;
        omptape_mpi_handles_put(&handles, handle, window);
    }
    if (locked)
        omptape_mpi_unlock(&lock);
    const uint64_t word = comm->number | (uint64_t)made.ordinal << 32;
    if (window == NULL)
        omptape_mpi_comms_unmake(&made);
    else if (made.number == UINT32_MAX &&
             omptape_producer_put_words(slot, OMPTAPE_MPI_WINDOW, 0, window->number, &word, 1))
        omptape_mpi_comms_made(&made, window->number);
    return window;
}

/* With the lock. */
static void give_list(uint32_t first)
{
    while (first != 0) {
        struct operation *operation = &operations->list[first - 1];
        const uint32_t next = operation->next;
        operation->next = operations->free;
        operations->free = first;
        first = next;
    }
}

bool omptape_mpi_windows_remove(intptr_t argument, struct omptape_mpi_window *last)
{
    const intptr_t handle = omptape_mpi_handle(argument);
    struct omptape_mpi_window *window = omptape_mpi_windows_find(handle);
    if (window == NULL || !omptape_mpi_lock(&lock))
        return false;
    last->number = window->number;
    last->made = window->made;
    for (unsigned i = 0; i < OMPTAPE_MPI_WINDOW_LISTS; i++)
        give_list(window->lists[i]);
    omptape_mpi_handles_remove(&handles, handle, window);
    omptape_mpi_unlock(&lock);
    return true;
}

void omptape_mpi_windows_begin_operation(struct omptape_mpi_window *window, uint32_t rank, uint64_t id)
{
    uint32_t *list = &window->lists[rank % OMPTAPE_MPI_WINDOW_LISTS];
    if (!omptape_mpi_lock(&lock))
        return;
    uint32_t place = operations->free;
    if (place != 0)
        operations->free = operations->list[place - 1].next;
    else if (operations->used < MOST_OPERATIONS)
        place = ++operations->used;
    if (place != 0) {
        operations->list[place - 1] = (struct operation){.id = id, .rank = rank, .next = *list};
        *list = place;
    }
    omptape_mpi_unlock(&lock);
}

/* Takes those of a list that are with this rank: before what was taken already, in the order in which they
 * were begun. With the lock. */
static uint32_t take_from(uint32_t *list, uint32_t rank, uint32_t taken)
{
    while (*list != 0) {
        struct operation *operation = &operations->list[*list - 1];
        const uint32_t place = *list;
        if (rank != UINT32_MAX && operation->rank != rank) {
            list = &operation->next;
            continue;
        }
        *list = operation->next;
        operation->next = taken;
        taken = place;
    }
    return taken;
}

/* Puts what was taken back, complete here. With the lock. */
static void put_back(struct omptape_mpi_window *window, uint32_t taken)
{
    while (taken != 0) {
        struct operation *operation = &operations->list[taken - 1];
        const uint32_t next = operation->next;
        uint32_t *list = &window->lists[operation->rank % OMPTAPE_MPI_WINDOW_LISTS];
        operation->local = true;
        operation->next = *list;
        *list = taken;
        taken = next;
    }
}

void omptape_mpi_windows_end_operations(struct omptape_mpi_window *window, uint32_t rank, bool remote,
                                        omptape_mpi_operation_ended *ended, void *data)
{
    const bool one = rank != UINT32_MAX;
    const unsigned first = one ? rank % OMPTAPE_MPI_WINDOW_LISTS : 0;
    const unsigned end = one ? first + 1 : OMPTAPE_MPI_WINDOW_LISTS;
    uint32_t taken = 0;
    if (!omptape_mpi_lock(&lock))
        return;
    for (unsigned i = first; i < end; i++)
        taken = take_from(&window->lists[i], rank, taken);
    omptape_mpi_unlock(&lock);
    for (uint32_t place = taken; place != 0; place = operations->list[place - 1].next)
        ended(data, operations->list[place - 1].id, operations->list[place - 1].local);
    if (taken == 0 || !omptape_mpi_lock(&lock))
        return;
    if (remote)
        give_list(taken);
    else
        put_back(window, taken);
    omptape_mpi_unlock(&lock);
}

bool omptape_mpi_windows_end_locally(struct omptape_mpi_window *window, uint32_t rank, uint64_t id)
{
    bool found = false;
    if (!omptape_mpi_lock(&lock))
        return false;
    uint32_t place = window->lists[rank % OMPTAPE_MPI_WINDOW_LISTS];
    while (place != 0 && operations->list[place - 1].id != id)
        place = operations->list[place - 1].next;
    if (place != 0) {
        found = !operations->list[place - 1].local;
        operations->list[place - 1].local = true;
    }
    omptape_mpi_unlock(&lock);
    return found;
}
