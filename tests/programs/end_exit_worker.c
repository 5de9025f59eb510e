/* SPDX-License-Identifier: BSD-3-Clause
 *
 * exit() by a worker inside a parallel region: the runtime never says that it ends.
//: exit 3
//: end exit inside a parallel region
//: threads 2
//: enter parallel@before 2
//: enter parallel@last 2
//: enter critical@both 2
*/
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum) // @before
    sum += 1;
    printf("%d\n", sum);
#pragma omp parallel num_threads(2) // @last
    {
#pragma omp critical // @both
        sum += 1;
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            exit(3);
        }
        for (;;) {
        }
    }
    return 0;
}
