/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each task makes the next one at its end. Mended: two such chains.
//: share 0.50
*/
#include "work.h"

enum { LINKS = 1200 };

static void link_of(long link, long links, long stride)
{
    if (link >= links)
        return;
#pragma omp task firstprivate(link) /* HERE task_chain */
    {
        keep(work(1000, link));
        link_of(link + stride, links, stride);
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long links = run_scaled(&run, LINKS);

#pragma omp parallel
#pragma omp single
    {
        link_of(0, links, run.mended ? 2 : 1);
        if (run.mended)
            link_of(1, links, 2);
    }
    return run_end();
}
