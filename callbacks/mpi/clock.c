/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the clocks of an MPI program's hosts (mpi.h). The participants are determined before any message
 * is sent (omptape_mpi_sync_clocks), and only they create the communicator. So no process waits for a rank
 * that is not traced. All waiting has a timeout, because a process may be killed or never call MPI_Finalize.
 *
 * Each process sends a message to the reference, which answers with its clock's reading. Of several round
 * trips the shortest is used. The reading is assumed to be in the middle of it.
 */
#include "callbacks/mpi/mpi.h"

#include "callbacks/mpi/interface.h"
#include "callbacks/mpi/real.h"
#include "src/core/clock.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

struct omptape_clock_sync *(*omptape_mpi_sync_clocks)(int rank, int size);

enum { ROUNDS = 16, TAG = 1, COMM_TAG = 31234, SPINS = 100 };
/* The messages. A process sends BYE when it stops waiting. */
enum { BYE = 0, PING = 1 };

static const uint64_t timeout_ns = 10000000000;

static struct {
    int (*comm_get_parent)(void *);
    int (*group_incl)(intptr_t, int, const int *, void *);
    int (*comm_create_group)(intptr_t, intptr_t, int, void *);
    int (*comm_set_errhandler)(intptr_t, intptr_t);
    int (*isend)(const void *, int, intptr_t, int, int, intptr_t, void *);
    int (*irecv)(void *, int, intptr_t, int, int, intptr_t, void *);
    int (*test)(void *, int *, intptr_t);
    int (*cancel)(void *);
    int (*request_free)(void *);
} mpi;

/* The data of this process's participation; NULL if it does not compare its clock. */
static struct omptape_clock_sync *clock_sync;
static intptr_t comm;
/* Message buffers. They are static because MPI may still use them after a timeout. */
static uint64_t sent;
static uint64_t received;

static bool find_message_functions(void)
{
    const struct omptape_mpi_symbol functions[] = {{&mpi.comm_get_parent, "PMPI_Comm_get_parent"},
                                                   {&mpi.group_incl, "PMPI_Group_incl"},
                                                   {&mpi.comm_create_group, "PMPI_Comm_create_group"},
                                                   {&mpi.comm_set_errhandler, "PMPI_Comm_set_errhandler"},
                                                   {&mpi.isend, "PMPI_Isend"},
                                                   {&mpi.irecv, "PMPI_Irecv"},
                                                   {&mpi.test, "PMPI_Test"},
                                                   {&mpi.cancel, "PMPI_Cancel"},
                                                   {&mpi.request_free, "PMPI_Request_free"}};
    return omptape_mpi_real_symbols(functions, sizeof(functions) / sizeof(functions[0]));
}

/* Waits for the request until `latest` (ns). Tests it at least SPINS times. False on timeout or error. */
static bool is_complete(intptr_t *request, uint64_t latest)
{
    for (unsigned i = 0;; i++) {
        int done = 0;
        if (mpi.test(request, &done, omptape_mpi.status_ignore) != OMPTAPE_MPI_SUCCESS)
            return false;
        if (done != 0)
            return true;
        if (i < SPINS)
            continue;
        if (omptape_clock_raw_ns() > latest)
            return false;
        sched_yield();
    }
}

static bool send_word(int peer, uint64_t word, uint64_t latest)
{
    intptr_t request = 0;
    sent = word;
    if (mpi.isend(&sent, (int)sizeof(sent), omptape_mpi.byte, peer, TAG, comm, &request) !=
        OMPTAPE_MPI_SUCCESS)
        return false;
    if (is_complete(&request, latest))
        return true;
    (void)mpi.request_free(&request);
    return false;
}

static bool receive_word(int peer, uint64_t *word, uint64_t latest)
{
    intptr_t request = 0;
    if (mpi.irecv(&received, (int)sizeof(received), omptape_mpi.byte, peer, TAG, comm, &request) !=
        OMPTAPE_MPI_SUCCESS)
        return false;
    if (is_complete(&request, latest)) {
        *word = received;
        return *word != BYE;
    }
    if (mpi.cancel(&request) == OMPTAPE_MPI_SUCCESS)
        (void)is_complete(&request, 0);
    (void)send_word(peer, BYE, 0);
    return false;
}

static void serve_peer(int peer, uint64_t latest)
{
    uint64_t word;
    for (int i = 0; i < ROUNDS; i++)
        if (!receive_word(peer, &word, latest) || !send_word(peer, omptape_clock_now(), latest))
            return;
}

static void measure_reference(uint64_t latest)
{
    struct omptape_clock_sample best = {.error = UINT64_MAX};
    const uint32_t count = atomic_load_explicit(&clock_sync->sample_count, memory_order_relaxed);
    uint64_t word;
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t before = omptape_clock_now();
        if (!send_word(0, PING, latest) || !receive_word(0, &word, latest))
            break;
        const uint64_t round_trip = omptape_clock_now() - before;
        if (round_trip / 2 + 1 < best.error)
            best = (struct omptape_clock_sample){
                .ticks = before + round_trip / 2, .reference = word, .error = round_trip / 2 + 1};
    }
    if (best.error == UINT64_MAX || count >= OMPTAPE_CLOCK_SYNC_SAMPLES)
        return;
    clock_sync->samples[count] = best;
    atomic_store_explicit(&clock_sync->sample_count, count + 1, memory_order_release);
}

static void compare(void)
{
    const int saved = errno;
    const uint64_t latest = omptape_clock_raw_ns() + timeout_ns;
    if (clock_sync->rank == 0)
        for (uint32_t i = 1; i < clock_sync->found.member_count; i++)
            serve_peer((int)i, latest);
    else
        measure_reference(latest);
    errno = saved;
}

/* Returns true if the process was spawned by others. It then has another world, unknown to the launcher. */
static bool is_spawned(void)
{
    intptr_t parent = 0;
    return mpi.comm_get_parent(&parent) != OMPTAPE_MPI_SUCCESS ||
           omptape_mpi_handle(parent) != omptape_mpi.comm_null;
}

/* Creates the communicator of all participants. Each of them calls this. */
static bool make_comm(void)
{
    intptr_t all = 0;
    intptr_t group = 0;
    bool made = false;
    if (omptape_mpi.comm_group(omptape_mpi.comm_world, &all) != OMPTAPE_MPI_SUCCESS)
        return false;
    if (mpi.group_incl(all, (int)clock_sync->found.member_count, clock_sync->found.members, &group) ==
        OMPTAPE_MPI_SUCCESS) {
        made = mpi.comm_create_group(omptape_mpi.comm_world, group, COMM_TAG, &comm) == OMPTAPE_MPI_SUCCESS;
        omptape_mpi.group_free(&group);
    }
    omptape_mpi.group_free(&all);
    return made && mpi.comm_set_errhandler(comm, omptape_mpi.errors_return) == OMPTAPE_MPI_SUCCESS;
}

void omptape_mpi_clock_begin(void)
{
    int rank = 0;
    int size = 0;
    if (omptape_mpi_sync_clocks == NULL || !find_message_functions() || is_spawned() ||
        omptape_mpi.comm_rank(omptape_mpi.comm_world, &rank) != OMPTAPE_MPI_SUCCESS ||
        omptape_mpi.comm_size(omptape_mpi.comm_world, &size) != OMPTAPE_MPI_SUCCESS)
        return;
    clock_sync = omptape_mpi_sync_clocks(rank, size);
    if (clock_sync != NULL && !make_comm())
        clock_sync = NULL;
    if (clock_sync != NULL)
        compare();
}

void omptape_mpi_clock_end(void)
{
    if (clock_sync != NULL)
        compare();
    clock_sync = NULL;
}
