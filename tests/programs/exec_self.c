/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program execs itself after it has used OpenMP: same process, new program, two archives.
//: archives 2
//: vary all
//: exit 12
//: end exit status 12 without finalize | exec of another program | finalize
//: events ThreadFork 1
//: enter parallel@first <=2
//: enter parallel@second <=2
*/
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int sum = 0;

    if (argc > 1 && strcmp(argv[1], "again") == 0) {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @second
        sum += 1;
        printf("second %d\n", sum);
        return 12;
    }
#pragma omp parallel num_threads(2) reduction(+ : sum) // @first
    sum += 1;
    printf("first %d\n", sum);
    fflush(stdout);
    execl("/proc/self/exe", argv[0], "again", (char *)NULL);
    return 1;
}
