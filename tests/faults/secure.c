/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program of surroundings.py that is made setuid: says whether the kernel takes it for one.
 */
#include <stdio.h>
#include <sys/auxv.h>

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
    printf("%d secure %lu\n", sum, getauxval(AT_SECURE));
    return 17;
}
