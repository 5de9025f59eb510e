/* SPDX-License-Identifier: BSD-3-Clause
 *
 * As many kernels as its argument says, from two threads on all devices: for a flood of records.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    int devices = omp_get_num_devices();
    long sum = 0;

    if (devices == 0)
        return 1;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int round = 0; round < rounds; round++) {
        int cell = round;
#pragma omp target map(tofrom : cell) device(round % devices)
        cell += 1;
        sum += cell;
    }
    printf("%ld\n", sum);
    return 0;
}
