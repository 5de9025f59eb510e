/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The processes open the file of their results in each step, and close it again. Mended: once.
//: ranks 2
*/
#include "work.h"

#include "ranks.h"

enum { STEPS = 1500, WORK = 300, NUMBERS = 100 };
enum { MODE = MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE };

int main(int argc, char **argv)
{
    struct run run = ranks_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    double numbers[NUMBERS] = {0};
    MPI_File file = MPI_FILE_NULL;

    for (long step = 0; step < steps; step++) {
        keep(work(WORK, 2 * step + rank));
        if (!run.mended || step == 0)
            MPI_File_open(MPI_COMM_WORLD, "results", MODE, MPI_INFO_NULL, &file); /* HERE repeated_creation */
        MPI_File_write_at(file, (2 * step + rank) * (MPI_Offset)sizeof(numbers), numbers, NUMBERS, MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
        if (!run.mended || step == steps - 1)
            MPI_File_close(&file);
    }
    return ranks_end();
}
