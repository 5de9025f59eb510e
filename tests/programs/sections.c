/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Five sections for two threads.
//: threads 2
//: [clang] enter sections@five 2
*/
#include <stdio.h>

int main(void)
{
    int parts[5] = {0};

#pragma omp parallel num_threads(2)
    {
#pragma omp sections // @five
        {
#pragma omp section
            parts[0] = 1;
#pragma omp section
            parts[1] = 2;
#pragma omp section
            parts[2] = 3;
#pragma omp section
            parts[3] = 4;
#pragma omp section
            parts[4] = 5;
        }
    }
    printf("%d\n", parts[0] + parts[1] + parts[2] + parts[3] + parts[4]);
    return 0;
}
