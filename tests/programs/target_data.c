/* SPDX-License-Identifier: BSD-3-Clause
 *
 * target data, enter and exit data, update: the mappings apart from the kernels.
//: only offload
//: [19] enter target 1
//: [>=22] enter target@kernel 1
*/
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int *cells = malloc(100 * sizeof(*cells));
    int sum = 0;

    for (int i = 0; i < 100; i++) {
        cells[i] = i;
    }
#pragma omp target enter data map(to : cells [0:100]) // @enter
    cells[0] = 5;
#pragma omp target update to(cells [0:1])           // @update
#pragma omp target data map(tofrom : cells [0:100]) // @data
    {
#pragma omp target // @kernel
        for (int i = 0; i < 100; i++) {
            cells[i] += 1;
        }
    }
#pragma omp target update from(cells [0:100])
#pragma omp target exit data map(delete : cells [0:100]) // @exit
    for (int i = 0; i < 100; i++) {
        sum += cells[i];
    }
    printf("%d\n", sum);
    free(cells);
    return 0;
}
