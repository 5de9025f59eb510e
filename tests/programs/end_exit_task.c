/* SPDX-License-Identifier: BSD-3-Clause
 *
 * exit() from inside an explicit task.
//: exit 6
//: end exit inside a parallel region
//: threads >=1
//: enter task@last 1
*/
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma omp task // @last
            {
                printf("from a task\n");
                exit(6);
            }
        }
    }
    return 0;
}
