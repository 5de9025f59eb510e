/* SPDX-License-Identifier: BSD-3-Clause
 *
 * single: with its barrier, with nowait, with copyprivate. One thread each time is the executor.
//: threads 2
//: [clang] enter single@plain 2
//: [clang] enter single_sblock@plain 1
//: [clang] enter single@nowait 2
//: [clang] enter single_sblock@nowait 1
//: [clang] enter single@copy 2
//: [clang] enter single_sblock@copy 1
//: [clang] enter implicit_barrier@plain 2
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        int value = 0;

#pragma omp single // @plain
        sum += 1;
#pragma omp single nowait // @nowait
        sum += 10;
#pragma omp single copyprivate(value) // @copy
        value = 100;
        sum += value;
    }
    printf("%d\n", sum);
    return 0;
}
