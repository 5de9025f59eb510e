/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory routines, with no construct around them: to a device, from it, and from one device to another.
 */
#include <omp.h>
#include <stdio.h>

enum { CELLS = 500 };

int main(void)
{
    static int from[CELLS];
    static int to[CELLS];
    int host = omp_get_initial_device();
    int last = omp_get_num_devices() - 1;
    long sum = 0;

    if (last < 0)
        return 1;
    for (int round = 0; round < 10; round++) {
        void *first_memory = omp_target_alloc(sizeof(from), 0);
        void *last_memory = omp_target_alloc(sizeof(from), last);
        for (int i = 0; i < CELLS; i++)
            from[i] = i + round;
        omp_target_memcpy(first_memory, from, sizeof(from), 0, 0, 0, host);
        omp_target_memcpy(last_memory, first_memory, sizeof(from), 0, 0, last, 0);
        omp_target_memcpy(to, last_memory, sizeof(to), 0, 0, host, last);
        omp_target_free(first_memory, 0);
        omp_target_free(last_memory, last);
        sum += to[round] + to[CELLS - 1];
    }
    printf("%ld\n", sum);
    return 0;
}
