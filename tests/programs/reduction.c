/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reductions the runtime's usual way.
//: threads 2
//: events ThreadFork 2
*/
#include <stdio.h>

int main(void)
{
    double sum = 0;
    int high = 0;
    int low = 1000;

#pragma omp parallel for num_threads(2) reduction(+ : sum) reduction(max : high)
    for (int i = 0; i < 100; i++) {
        sum += i;
        high = i > high ? i : high;
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp for reduction(min : low) nowait
        for (int i = 0; i < 100; i++) {
            low = i < low ? i : low;
        }
    }
    printf("%g %d %d\n", sum, high, low);
    return 0;
}
