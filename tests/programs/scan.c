/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A loop with a scan: a prefix sum.
//: ldflags -lm
//: threads 2
//: events ThreadFork 1
*/
#include <stdio.h>

int main(void)
{
    int a[100];
    int s = 0;
#pragma omp parallel for reduction(inscan, + : s) num_threads(2)
    for (int i = 0; i < 100; i++) {
        s += i;
#pragma omp scan inclusive(s)
        a[i] = s;
    }
    printf("%d\n", a[99]);
    return a[99] != 4950;
}
