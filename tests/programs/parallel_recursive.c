/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions of two threads each, four levels deep: 1 + 2 + 4 + 8 of them, and 16 calls at the bottom.
//: env OMP_MAX_ACTIVE_LEVELS=4
//: events ThreadFork 15
//: events ThreadTeamBegin 30
//: enter parallel 30
*/
#include <stdio.h>

static int bottom;

static void descend(int levels)
{
    if (levels == 0) {
#pragma omp atomic
        bottom++;
        return;
    }
#pragma omp parallel num_threads(2)
    descend(levels - 1);
}

int main(void)
{
    descend(4);
    printf("%d\n", bottom);
    return bottom != 16;
}
