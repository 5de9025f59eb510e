/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program of watched.py: constructs for which sanitizers report no false errors, although they do not see
 * into the runtime.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

int main(void)
{
    static atomic_long sum;
    for (int round = 0; round < 50; round++) {
#pragma omp parallel num_threads(3)
        {
            sum += omp_get_num_threads();
#pragma omp barrier
            sum++;
#pragma omp critical
            sum++;
        }
    }
    printf("%s\n", sum == 50 * 15 ? "right" : "wrong");
    return 17;
}
