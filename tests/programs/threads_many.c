/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 64 threads on however few cores.
//: threads 64
//: events ThreadFork 3
//: events ThreadTeamBegin 192
//: enter parallel@region 192
//: enter critical@count 192
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(64) // @region
        {
#pragma omp critical // @count
            sum += 1;
        }
    }
    printf("%d\n", sum);
    return 0;
}
