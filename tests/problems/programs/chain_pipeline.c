/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pipeline whose second stage takes the first one's result, with one buffer. Mended: with two.
//: share 0.50
//: scenario no-depend@HERE; no-depend@HERE+2
*/
#include "work.h"

enum { BLOCKS = 800 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long blocks = run_scaled(&run, BLOCKS);
    long number = run.mended ? 2 : 1;
    char buffers[2] = "";

#pragma omp parallel
#pragma omp master
    for (long block = 0; block < blocks; block++) {
#pragma omp task depend(out : buffers[block % number]) firstprivate(block) /* HERE task_chain */
        keep(work(900, block));
#pragma omp task depend(in : buffers[block % number]) firstprivate(block) /* HERE task_chain */
        keep(work(800, -block));
    }
    return run_end();
}
