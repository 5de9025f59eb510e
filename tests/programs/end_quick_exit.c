/* SPDX-License-Identifier: BSD-3-Clause
 *
 * quick_exit() inside a region.
//: exit 7
//: end exit status 7 without finalize
//: threads 2
//: enter parallel@region 6
//: enter parallel@last 2
//: enter critical@both 2
*/

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @region
        sum += 1;
    }
    printf("%d\n", sum);
    fflush(stdout);
#pragma omp parallel num_threads(2) // @last
    {
#pragma omp critical // @both
        sum += 1;
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            quick_exit(7);
        }
        for (;;) {
        }
    }
    return 0;
}
