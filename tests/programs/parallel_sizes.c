/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Teams that grow and shrink, with pauses: workers that a smaller team leaves out close their last region
late.
//: threads 4
//: events ThreadFork 30
//: events ThreadTeamBegin 90
//: enter parallel@region 90
*/
#include <stdio.h>
#include <time.h>

int main(void)
{
    static const int sizes[] = {4, 2, 3};
    const struct timespec pause = {0, 2000000};
    int sum = 0;

    for (int i = 0; i < 30; i++) {
#pragma omp parallel num_threads(sizes[i % 3]) reduction(+ : sum) // @region
        sum += 1;
        nanosleep(&pause, NULL); /* threads go to sleep between teams */
    }
    printf("%d\n", sum);
    return 0;
}
