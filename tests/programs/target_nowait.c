/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Deferred target tasks, with dependences: the runtime's helper threads run them.
//: only offload
//: [19] enter target 4
//: [>=22] enter target@kernel 4
*/
#include <stdio.h>

int main(void)
{
    int cells[4] = {0};

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        for (int j = 0; j < 4; j++) {
#pragma omp target map(tofrom : cells [j:1]) nowait depend(inout : cells[j]) // @kernel
            cells[j] += j;
        }
    }
    printf("%d\n", cells[0] + cells[1] + cells[2] + cells[3]);
    return 0;
}
