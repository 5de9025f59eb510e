/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that leaves the file system behind after its first parallel region, and makes more events then
 * than the smallest pool holds, once there is something to read or nothing will be. Usage: rootless FOLDER.
 */
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    long sum = 0;
    for (int round = 0; round < 8000; round++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
#pragma omp critical
            sum++;
        }
        if (round == 0 && argc > 1 && (chroot(argv[1]) != 0 || chdir("/") != 0)) {
            perror("chroot");
            return 1;
        }
        if (round == 0)
            (void)getchar(); /* the test stops its writer in the meantime */
    }
    printf("%s\n", sum == 16000 ? "right" : "wrong");
    return 17;
}
