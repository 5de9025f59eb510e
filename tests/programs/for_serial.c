/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Worksharing outside of any region, and in a region of one thread.
//: threads 1
//: [clang] enter for@orphan 1
//: [clang] enter for@lone 1
//: [clang] enter for@handed 1
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp for // @orphan
    for (int i = 0; i < 8; i++) {
        sum += i;
    }
#pragma omp parallel num_threads(1)
    {
#pragma omp for // @lone
        for (int i = 0; i < 8; i++) {
            sum += i;
        }
#pragma omp for schedule(dynamic) // @handed
        for (int i = 0; i < 8; i++) {
            sum += i;
        }
    }
#pragma omp critical
    sum += 1;
#pragma omp barrier
#pragma omp single
    sum += 1;
#pragma omp task shared(sum)
    sum += 1;
#pragma omp taskwait
    printf("%d\n", sum);
    return 0;
}
