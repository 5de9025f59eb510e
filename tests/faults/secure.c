/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program of surroundings.py that other users run: says how many threads it had, and whether the kernel
 * takes it for a setuid program.
 */
#include <stdio.h>
#include <sys/auxv.h>

int main(void)
{
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum++;
    printf("%d secure %lu\n", sum, getauxval(AT_SECURE));
    return 17;
}
