/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A wave of tasks over tiles, each after the ones above and left of it: so few tiles that threads wait at its
 * begin and end. Mended: smaller tiles.
//: share 0.24
//: proposal smaller tasks
*/
#include "work.h"

enum { CELLS = 12, LARGE = 4, UNITS = 50, WAVES = 220 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    const long waves = run_scaled(&run, WAVES);
    const long tile = run.mended ? 1 : LARGE;
    static char done[CELLS + LARGE][CELLS + LARGE];

    for (long wave = 0; wave < waves; wave++)
#pragma omp parallel
#pragma omp single
        for (long i = LARGE; i < CELLS + LARGE; i += tile) {
            const char *up = done[i - tile], *at = done[i];
            for (long j = LARGE; j < CELLS + LARGE; j += tile) {
#pragma omp task depend(in : up[j], at[j - tile]) depend(out : at[j]) /* HERE task_chain */
                for (long cell = 0; cell < tile * tile; cell++)
                    keep(work(UNITS, (i + cell / tile) * CELLS + j + cell % tile));
            }
        }
    return run_end();
}
