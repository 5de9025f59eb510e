/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with a parallel region of its own, for dlopen.c. */
int library_sum(void);

int library_sum(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum) // @library
    sum += 1;
    return sum;
}
