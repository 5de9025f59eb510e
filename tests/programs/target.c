/* SPDX-License-Identifier: BSD-3-Clause
 *
 * target on the host plugin: a kernel, its mappings, twice.
//: only offload
//: [19] enter target 2
//: [>=22] enter target@kernel 2
*/
#include <stdio.h>

int main(void)
{
    int cells[100];
    int sum = 0;

    for (int j = 0; j < 2; j++) {
#pragma omp target map(from : cells) // @kernel
        for (int i = 0; i < 100; i++) {
            cells[i] = i;
        }
    }
    for (int i = 0; i < 100; i++) {
        sum += cells[i];
    }
    printf("%d\n", sum);
    return 0;
}
