/* SPDX-License-Identifier: BSD-3-Clause
 *
 * target data, enter and exit data, update: transfers apart from the kernels that use them.
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int *cells = malloc(1000 * sizeof(*cells));
    long sum = 0;

    if (cells == NULL)
        return 1;
    for (int i = 0; i < 1000; i++)
        cells[i] = i;
    for (int round = 0; round < 10; round++) {
#pragma omp target enter data map(to : cells[0 : 1000])
        cells[0] = round;
#pragma omp target update to(cells[0 : 1])
#pragma omp target data map(tofrom : cells[0 : 1000])
        {
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(2)
            for (int i = 0; i < 1000; i++)
                cells[i] += 1;
        }
#pragma omp target update from(cells[0 : 1000])
#pragma omp target exit data map(delete : cells[0 : 1000])
        sum += cells[0] + cells[999];
    }
    printf("%ld\n", sum);
    free(cells);
    return 0;
}
