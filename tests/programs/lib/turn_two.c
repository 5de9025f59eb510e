/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The other one of two libraries that differ in nothing but names and lines, for dlopen_turns.c. Its regions
 * stand a few lines further down.
 */
int turn(void);

int turn(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) // @second
    {
#pragma omp critical(turn) // @second_critical
        sum += 1;
    }
    return sum;
}
