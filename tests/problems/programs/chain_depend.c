/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A chain of tasks by depend(inout). Mended: two chains, of even and of odd ones.
//: share 0.50
//: scenario no-depend@HERE
*/
#include "work.h"

enum { LINKS = 1200 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long links = run_scaled(&run, LINKS / 2) * 2;
    long stride = run.mended ? 2 : 1;
    char chain[2] = "";

#pragma omp parallel
#pragma omp single
    for (long link = 0; link < links; link++) {
#pragma omp task depend(inout : chain[link % stride]) firstprivate(link) /* HERE task_chain */
        keep(work(1000, link));
    }
    return run_end();
}
