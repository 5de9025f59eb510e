/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program with one race, which ThreadSanitizer finds; Archer tells it that all else is in order
 * (watched.py).
 */
#include <stdio.h>

int main(void)
{
    int racing = 0;
    int tasks = 0;

#pragma omp parallel num_threads(2)
    {
        racing++;
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < 10; i++) {
#pragma omp task
            {
#pragma omp critical
                tasks++;
            }
        }
    }
    puts(tasks == 10 && racing > 0 ? "right" : "wrong");
    return 17;
}
