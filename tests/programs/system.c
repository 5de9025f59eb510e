/* SPDX-License-Identifier: BSD-3-Clause
 *
 * system(), from serial code and from inside a region.
//: archives 1
//: threads 2
//: enter parallel@region 2
*/
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(void)
{
    int code = system("exit 3");

    printf("%d\n", WEXITSTATUS(code));
#pragma omp parallel num_threads(2) // @region
    {
        if (omp_get_thread_num() == 0) {
            int inside = system("exit 4");

            printf("%d\n", WEXITSTATUS(inside));
        }
    }
    return 0;
}
