/* SPDX-License-Identifier: BSD-3-Clause
 *
 * masked with a filter: another thread than the primary runs the block.
//: only clang >=19
//: threads 3
//: enter masked@one 1
//: enter masked@zero 1
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int who = 0;

#pragma omp parallel num_threads(3)
    {
#pragma omp masked // @zero
        who += omp_get_thread_num();
#pragma omp barrier
#pragma omp masked filter(2) // @one
        who += omp_get_thread_num();
    }
    printf("%d\n", who);
    return 0;
}
