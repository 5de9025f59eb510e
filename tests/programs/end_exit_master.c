/* SPDX-License-Identifier: BSD-3-Clause
 *
 * exit() by the primary thread inside a parallel region.
//: exit 4
//: end exit inside a parallel region
//: threads 2
//: enter parallel@last 2
//: enter critical@both 2
*/
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) // @last
    {
#pragma omp critical // @both
        sum += 1;
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            printf("%d\n", sum);
            exit(4);
        }
        for (;;) {
        }
    }
    return 0;
}
