/* SPDX-License-Identifier: BSD-3-Clause
 *
 * threadprivate data with copyin and copyprivate.
//: threads 2
//: events ThreadFork 2
//: enter parallel@in 2
//: enter parallel@keep 2
//: [clang] enter single@one 2
*/
#include <omp.h>
#include <stdio.h>

static int mine = 3;
#pragma omp threadprivate(mine)

int main(void)
{
    int sum = 0;

    omp_set_dynamic(0);
    mine = 5;
#pragma omp parallel num_threads(2) copyin(mine) reduction(+ : sum) // @in
    sum += mine++;
#pragma omp parallel num_threads(2) reduction(+ : sum) // @keep
    {
        sum += mine;
#pragma omp single copyprivate(mine) // @one
        mine = 9;
        sum += mine;
    }
    printf("%d\n", sum);
    return 0;
}
