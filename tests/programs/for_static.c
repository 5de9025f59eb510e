/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Statically scheduled loops: the schedule's parts, collapse, nowait.
//: threads 2
//: events ThreadFork 1
//: [clang] enter for@plain 2
//: [clang] enter for@chunked 2
//: [clang] enter for@collapsed 2
//: [clang] enter for@nowait 2
//: [clang] enter implicit_barrier@plain 2
//: [clang] enter implicit_barrier@nowait 0
*/
#include <stdio.h>

int main(void)
{
    long sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp for schedule(static) // @plain
        for (int i = 0; i < 20; i++) {
            sum += i;
        }
#pragma omp for schedule(static, 3) // @chunked
        for (int i = 0; i < 20; i++) {
            sum += i;
        }
#pragma omp for collapse(2) // @collapsed
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 5; j++) {
                sum += i * j;
            }
        }
#pragma omp for nowait // @nowait
        for (int i = 0; i < 20; i++) {
            sum += i;
        }
    }
    printf("%ld\n", sum);
    return 0;
}
