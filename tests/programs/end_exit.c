/* SPDX-License-Identifier: BSD-3-Clause
 *
 * exit() with a code, from serial code.
//: exit 42
//: end finalize
//: threads 2
//: enter parallel@region 6
*/
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
    exit(42);
}
