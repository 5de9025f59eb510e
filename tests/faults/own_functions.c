/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program of own_functions.py, to which one or more functions are linked that are named like libc's. It
 * needs as little of libc as a program can.
 */
#include <omp.h>

int puts(const char *text);

int main(void)
{
    omp_lock_t lock;
    long sum = 0;
    int tasks = 0;

    omp_init_lock(&lock);
    for (int round = 0; round < 20; round++) {
#pragma omp parallel num_threads(3)
        {
#pragma omp for schedule(dynamic) reduction(+ : sum)
            for (int i = 0; i < 30; i++)
                sum += i;
#pragma omp single
            for (int i = 0; i < 10; i++) {
#pragma omp task
                {
                    omp_set_lock(&lock);
                    tasks++;
                    omp_unset_lock(&lock);
                }
            }
        }
    }
    omp_destroy_lock(&lock);
    puts(sum == 20 * 435 && tasks == 200 ? "right" : "wrong");
    return 17;
}
