/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that may become a daemon before it uses OpenMP, and so go to /. Usage: moved [daemon].
 */
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int sum = 0;

    (void)argv;
    if (argc > 1 && daemon(0, 1) != 0) {
        return 1;
    }
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
    printf("%d\n", sum);
    return 0;
}
