/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every device has its share, from two threads of the host.
 */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int devices = omp_get_num_devices();
    long sum = 0;

    if (devices == 0)
        return 1;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int round = 0; round < 40; round++) {
        int cells[64];
#pragma omp target map(from : cells) device(round % devices)
        for (int i = 0; i < 64; i++)
            cells[i] = i + round;
        sum += cells[63];
    }
    printf("%ld\n", sum);
    return 0;
}
