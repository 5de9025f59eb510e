/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nowait on several devices at once: hidden helper threads run the constructs, whose operations overlap.
 */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int cells[32] = {0};
    int devices = omp_get_num_devices();
    int sum = 0;

    if (devices == 0)
        return 1;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        for (int j = 0; j < 32; j++) {
#pragma omp target map(tofrom : cells[j : 1]) nowait depend(inout : cells[j]) device(j % devices)
            cells[j] += j;
        }
    }
#pragma omp taskwait
    for (int j = 0; j < 32; j++)
        sum += cells[j];
    printf("%d\n", sum);
    return 0;
}
