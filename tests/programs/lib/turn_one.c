/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One of two libraries that differ in nothing but names and lines, for dlopen_turns.c. */
int turn(void);

int turn(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) // @first
    {
#pragma omp critical(turn) // @first_critical
        sum += 1;
    }
    return sum;
}
