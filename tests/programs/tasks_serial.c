/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasks without any parallel region: the initial task makes and runs them.
//: threads 1
//: enter task@alone 6
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 6; i++) {
#pragma omp task shared(sum) // @alone
        sum += i;
    }
#pragma omp taskwait
    printf("%d\n", sum);
    return 0;
}
