/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ordered sections in a loop: each iteration enters in its turn.
//: threads 2
//: [clang] enter for@loop 2
//: enter ordered@turn 12
//: enter ordered_sblock@turn 12
*/
#include <stdio.h>

int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered schedule(dynamic) // @loop
        for (int i = 0; i < 12; i++) {
#pragma omp ordered // @turn
            printf("%d\n", i);
        }
    }
    return 0;
}
