/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A column goes to the other process number by number, each with requests that are waited for. Mended: all at
 * once.
//: ranks 2
*/
#include "work.h"

#include "ranks.h"

enum { STEPS = 40, WORK = 5000, NUMBERS = 20000 };

static double out[NUMBERS];
static double in[NUMBERS];

static void exchange(int first, int count)
{
    MPI_Request both[2];

    MPI_Irecv(in + first, count, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(out + first, count, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD, &both[1]); /* HERE small_messages */
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    struct run run = ranks_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
        keep(work(WORK, 2 * step + rank));
        if (run.mended)
            exchange(0, NUMBERS);
        else
            for (int i = 0; i < NUMBERS; i++)
                exchange(i, 1);
    }
    return ranks_end();
}
