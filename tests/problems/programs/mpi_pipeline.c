/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A sweep over both processes: the second one begins when the first has done its whole part. Mended: the part
 * is passed on in blocks.
//: ranks 2
//: proposal as much work
//: share 0.45
*/
#include "work.h"

#include "ranks.h"

enum { STEPS = 80, PART = 20, MENDED_BLOCKS = 20, LINE = 500 };

int main(int argc, char **argv)
{
    struct run run = ranks_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    long blocks = run.mended ? MENDED_BLOCKS : 1;
    int word = 0;

    for (long step = 0; step < steps; step++) {
        for (long block = 0; block < blocks; block++) {
            if (rank == 1)
                MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE late_sender */
            for (long line = block * PART / blocks; line < (block + 1) * PART / blocks; line++)
                keep(work(LINE, (step * PART + line) * 2 + rank));
            if (rank == 0)
                MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return ranks_end();
}
