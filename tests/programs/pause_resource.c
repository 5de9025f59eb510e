/* SPDX-License-Identifier: BSD-3-Clause
 *
 * omp_pause_resource_all ends the tool's life before the program's.
//: only clang
//: threads 2
//: events ThreadFork 1
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    omp_pause_resource_all(omp_pause_hard);
    printf("%d\n", sum);
    return 0;
}
