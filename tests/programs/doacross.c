/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A loop whose iterations wait for each other: ordered depend(sink) and depend(source).
//: [clang] enter for@loop 2
*/
#include <stdio.h>

int main(void)
{
    int cells[16] = {1};

#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered(1) schedule(static, 1) // @loop
        for (int i = 1; i < 16; i++) {
#pragma omp ordered depend(sink : i - 1)
            cells[i] = cells[i - 1] + i;
#pragma omp ordered depend(source)
        }
    }
    printf("%d\n", cells[15]);
    return 0;
}
