/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Debug info compressed.
//: cflags -gz
//: threads 2
//: enter parallel@region 2
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum) // @region
    sum += 1;
    printf("%d\n", sum);
    return 0;
}
