/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program moves to another folder and closes every descriptor it does not know.
//: threads 2
//: enter parallel@region 4
*/
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @region
        sum += 1;
        if (chdir("/") != 0) {
            return 1;
        }
        for (int fd = 3; fd < 1024; fd++) {
            close(fd);
        }
    }
    printf("%d\n", sum);
    return 0;
}
