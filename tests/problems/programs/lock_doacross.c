/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A doacross loop that waits for the iteration before it does anything. Mended: before the tenth of it that needs that.
//: only clang                   gcc's programs tell of no such dependences
//: share 0.50
*/
#include "work.h"

enum { ROWS = 2500 };

APART void row_waits(long rows)
{
#pragma omp parallel
#pragma omp for ordered(1) schedule(static, 1) /* HERE lock */
    for (long row = 0; row < rows; row++) { /* HERE lock: on aarch64 clang names the loop itself */
#pragma omp ordered depend(sink : row - 1)
        keep(work(270, row));
        keep(work(30, -row));
#pragma omp ordered depend(source)
    }
}

APART void row_waits_late(long rows)
{
#pragma omp parallel
#pragma omp for ordered(1) schedule(static, 1)
    for (long row = 0; row < rows; row++) {
        keep(work(270, row));
#pragma omp ordered depend(sink : row - 1)
        keep(work(30, -row));
#pragma omp ordered depend(source)
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long rows = run_scaled(&run, ROWS);

    if (run.mended)
        row_waits_late(rows);
    else
        row_waits(rows);
    return run_end();
}
