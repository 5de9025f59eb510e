/* SPDX-License-Identifier: BSD-3-Clause
 *
 * master, and masked where the compiler knows it.
//: threads 2
//: [clang] enter masked@master 1
//: [clang] enter masked@again 3
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp master // @master
        sum += 1;
#pragma omp barrier
        for (int i = 0; i < 3; i++) {
#pragma omp master // @again
            sum += 1;
        }
    }
    printf("%d\n", sum);
    return 0;
}
