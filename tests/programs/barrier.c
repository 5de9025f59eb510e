/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Explicit barriers; each has the waiting inside it.
//: threads 2
//: [clang] enter barrier@first 2
//: [clang] enter barrier@loop 20
//: [clang] enter wait_for_team@loop 20
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        sum += 1;
#pragma omp barrier // @first
        for (int i = 0; i < 10; i++) {
#pragma omp barrier // @loop
        }
    }
    printf("%d\n", sum);
    return 0;
}
