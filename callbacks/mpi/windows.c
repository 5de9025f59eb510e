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

enum { PLACES = 1 << 13, MOST_WINDOWS = PLACES / 2, MOST_OPERATIONS = 1 << 20 };

struct operation {
    uint64_t id;
    uint32_t rank;
    uint32_t next; /* in its list, or among the free ones; index + 1 */
    bool local;    /* it is complete here */
};

struct tables {
    struct omptape_mpi_place places[PLACES];
    struct omptape_mpi_window windows[MOST_WINDOWS];
    struct omptape_mpi_window *spare;
    uint32_t used; /* windows that ever were in use */
    uint32_t numbers;
    uint32_t operations_used;
    uint32_t free;
    struct operation operations[MOST_OPERATIONS];
};

/* NULL before there is a window. */
static struct tables *_Atomic tables;
static struct omptape_mpi_handles handles;
static atomic_flag lock = ATOMIC_FLAG_INIT;

/* With the lock. */
static bool make_tables(void)
{
    if (tables != NULL)
        return true;
    struct tables *made = omptape_mpi_memory(sizeof(*made));
    if (made == NULL)
        return false;
    handles = (struct omptape_mpi_handles){.list = made->places, .count = PLACES};
    tables = made;
    return true;
}

struct omptape_mpi_window *omptape_mpi_windows_find(intptr_t argument)
{
    return tables != NULL ? omptape_mpi_handles_find(&handles, omptape_mpi_handle(argument)) : NULL;
}

/* With the lock. */
static struct omptape_mpi_window *take_window(void)
{
    struct omptape_mpi_window *window = tables->spare;
    if (window != NULL)
        tables->spare = window->next_spare;
    else if (tables->used < MOST_WINDOWS)
        window = &tables->windows[tables->used++];
    return window;
}

struct omptape_mpi_window *omptape_mpi_windows_add(struct omptape_slot *slot, intptr_t handle,
                                                   const struct omptape_mpi_comm *comm)
{
    const uint32_t ordinal = omptape_mpi_comms_next_window(comm);
    if (ordinal == UINT32_MAX || !omptape_mpi_lock(&lock))
        return NULL;
    struct omptape_mpi_window *window = make_tables() ? take_window() : NULL;
    if (window != NULL) {
        memset(window, 0, sizeof(*window));
        window->number = tables->numbers++;
        window->rank = comm->rank;
        window->size = comm->size;
        window->accessed = UINT32_MAX;
        window->exposed = UINT32_MAX;
        omptape_mpi_handles_put(&handles, handle, window);
    }
    omptape_mpi_unlock(&lock);
    if (window != NULL)
        omptape_put1(slot, OMPTAPE_MPI_WINDOW, 0, window->number, comm->number | (uint64_t)ordinal << 32);
    return window;
}

/* With the lock. */
static void give_list(uint32_t first)
{
    while (first != 0) {
        struct operation *operation = &tables->operations[first - 1];
        const uint32_t next = operation->next;
        operation->next = tables->free;
        tables->free = first;
        first = next;
    }
}

void omptape_mpi_windows_remove(intptr_t argument)
{
    const intptr_t handle = omptape_mpi_handle(argument);
    struct omptape_mpi_window *window = omptape_mpi_windows_find(handle);
    if (window == NULL || !omptape_mpi_lock(&lock))
        return;
    omptape_mpi_handles_put(&handles, handle, NULL);
    for (unsigned i = 0; i < OMPTAPE_MPI_WINDOW_LISTS; i++)
        give_list(window->lists[i]);
    window->next_spare = tables->spare;
    tables->spare = window;
    omptape_mpi_unlock(&lock);
}

void omptape_mpi_windows_begin_operation(struct omptape_mpi_window *window, uint32_t rank, uint64_t id)
{
    uint32_t *list = &window->lists[rank % OMPTAPE_MPI_WINDOW_LISTS];
    if (!omptape_mpi_lock(&lock))
        return;
    uint32_t place = tables->free;
    if (place != 0)
        tables->free = tables->operations[place - 1].next;
    else if (tables->operations_used < MOST_OPERATIONS)
        place = ++tables->operations_used;
    if (place != 0) {
        tables->operations[place - 1] = (struct operation){.id = id, .rank = rank, .next = *list};
        *list = place;
    }
    omptape_mpi_unlock(&lock);
}

/* Takes those of a list that are with this rank: before what was taken already, in the order in which they
 * were begun. With the lock. */
static uint32_t take_from(uint32_t *list, uint32_t rank, uint32_t taken)
{
    while (*list != 0) {
        struct operation *operation = &tables->operations[*list - 1];
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
        struct operation *operation = &tables->operations[taken - 1];
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
    for (uint32_t place = taken; place != 0; place = tables->operations[place - 1].next)
        ended(data, tables->operations[place - 1].id, tables->operations[place - 1].local);
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
    while (place != 0 && tables->operations[place - 1].id != id)
        place = tables->operations[place - 1].next;
    if (place != 0) {
        found = !tables->operations[place - 1].local;
        tables->operations[place - 1].local = true;
    }
    omptape_mpi_unlock(&lock);
    return found;
}
