/* SPDX-License-Identifier: BSD-3-Clause
 *
 * flush, with and without a list.
//: threads 2
//: [clang] enter flush@all 2
//: [clang] enter flush@some 2
*/
#include <stdio.h>

int main(void)
{
    int value = 3;

#pragma omp parallel num_threads(2)
    {
#pragma omp flush        // @all
#pragma omp flush(value) // @some
    } printf("%d\n", value);
    return 0;
}
