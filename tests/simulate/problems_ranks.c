/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs of several processes, for problems.c.
 */
#include "tests/simulate/messages.h"
#include "tests/simulate/programs.h"

enum { US = 1000, MS = 1000 * US };

static void rank_region(void *argument)
{
    healthy_loop(*(const uint64_t *)argument);
}

/* late_sender: of two ranks each the second one has half as much again to do, and the first waits for it. */
void problem_exchange(void *argument)
{
    (void)argument;
    const unsigned rank = mpi_rank();
    uint64_t ns = choice.is_repaired ? 2500 * US : rank % 2 == 1 ? 3 * MS : 2 * MS;
    mpi_init();
    for (int step = 0; step < 10; step++) {
        omp_parallel(choice.threads, rank_region, &ns);
        if (rank % 2 == 1)
            mpi_send(rank - 1, 8000);
        else
            AT(mpi_receive(rank + 1, 8000));
    }
    mpi_finalize();
}

/* late_sender: of two ranks each one computes while the other waits, in turn. */
void problem_turns(void *argument)
{
    (void)argument;
    const unsigned rank = mpi_rank();
    const unsigned partner = rank ^ 1;
    const bool is_second = rank % 2 == 1 && !choice.is_repaired;
    uint64_t ns = rank % 2 == 1 ? 3050 * US : 3 * MS;
    mpi_init();
    for (int step = 0; step < 10; step++) {
        if (is_second)
            mpi_receive(partner, 800);
        omp_parallel(choice.threads, rank_region, &ns);
        mpi_send(partner, 800);
        if (!is_second)
            AT(mpi_receive(partner, 800));
    }
    mpi_finalize();
}

/* collective_wait: one waits for its neighbour, which has more to do, and all others for these two. */
void problem_stencil(void *argument)
{
    (void)argument;
    const unsigned rank = mpi_rank();
    const unsigned size = mpi_size();
    uint64_t ns = choice.is_repaired ? 2 * MS + MS / size : rank == size / 2 ? 3 * MS : 2 * MS;
    awaited_rank = (int)size / 2;
    mpi_init();
    for (int step = 0; step < 10; step++) {
        omp_parallel(choice.threads, rank_region, &ns);
        mpi_send((rank + 1) % size, 8000);
        mpi_receive((rank + size - 1) % size, 8000);
        AT(mpi_allreduce(8));
    }
    mpi_finalize();
}

/* collective_wait: one has more to do. */
void problem_reduce(void *argument)
{
    (void)argument;
    const unsigned size = mpi_size();
    uint64_t ns = choice.is_repaired ? 2 * MS + MS / size : mpi_rank() == size / 2 ? 3 * MS : 2 * MS;
    awaited_rank = (int)size / 2;
    mpi_init();
    for (int step = 0; step < 10; step++) {
        omp_parallel(choice.threads, rank_region, &ns);
        AT(mpi_allreduce(8));
    }
    mpi_finalize();
}
