/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parallel regions of two that call themselves, four levels deep.
//: env OMP_MAX_ACTIVE_LEVELS=4
//: enter parallel@region 30
//: events ThreadFork 15
*/
#include <stdio.h>

static int bodies;

static void descend(int levels)
{
    if (levels == 0) {
#pragma omp atomic
        bodies++;
        return;
    }
#pragma omp parallel num_threads(2) // @region
    descend(levels - 1);
}

int main(void)
{
    descend(4);
    printf("%d\n", bodies);
    return 0;
}
