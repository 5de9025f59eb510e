/* SPDX-License-Identifier: BSD-3-Clause
 *
 * _exit() from serial code, right after a region: the workers' ends never come.
//: exit 8
//: end exit status 8 without finalize
//: threads 2
//: enter parallel@region 6
//: enter implicit_barrier@region 6
*/
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @region
        sum += 1;
    }
    printf("%d\n", sum);
    fflush(stdout);
    _exit(8);
}
