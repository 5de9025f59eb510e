/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Without debug info and symbols: the module and the offset are left.
//: cflags -g0
//: ldflags -s
//: threads 2
//: enter parallel 2
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    printf("%d\n", sum);
    return 0;
}
