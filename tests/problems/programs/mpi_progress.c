/* SPDX-License-Identifier: BSD-3-Clause
 *
 * More is sent than MPI keeps. The receive is posted, but nothing moves on while the receiver works. Mended:
 * the receiver calls MPI_Test during its work.
//: ranks 2
*/
#include "work.h"

#include "ranks.h"

enum { STEPS = 60, PARTS = 20, PART = 500, WORDS = 1 << 20 };

static int words[WORDS];

static void receive_and_work(long step, bool tests)
{
    MPI_Request request;
    int is_done = 0;

    MPI_Irecv(words, WORDS, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    for (long part = 0; part < PARTS; part++) {
        keep(work(PART, step * PARTS + part));
        if (tests && !is_done)
            MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    }
    if (!is_done)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    struct run run = ranks_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
        if (rank == 0) {
            MPI_Send(words, WORDS, MPI_INT, 1, 0, MPI_COMM_WORLD); /* HERE late_progress */
            for (long part = 0; part < PARTS; part++)
                keep(work(PART, -step * PARTS - part));
        } else {
            receive_and_work(step, run.mended);
        }
        MPI_Barrier(MPI_COMM_WORLD); /* HERE collective_wait: it ends as much later as it began */
    }
    return ranks_end();
}
