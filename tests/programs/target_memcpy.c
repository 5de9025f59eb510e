/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The device memory routines: operations without an enclosing construct.
//: only offload
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int from[50];
    int to[50];
    int sum = 0;
    int device = omp_get_default_device();
    int host = omp_get_initial_device();
    void *memory = omp_target_alloc(sizeof(from), device);

    for (int i = 0; i < 50; i++) {
        from[i] = i;
    }
    omp_target_memcpy(memory, from, sizeof(from), 0, 0, device, host);
    omp_target_memcpy(to, memory, sizeof(to), 0, 0, host, device);
    omp_target_free(memory, device);
    for (int i = 0; i < 50; i++) {
        sum += to[i];
    }
    printf("%d\n", sum);
    return 0;
}
