/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --limit-per-site with nested regions and tasks in tasks: what lies in a region over the limit is counted,
too.
//: env OMPTAPE_LIMIT_PER_SITE=5
//: env OMP_MAX_ACTIVE_LEVELS=2
//: only clang
//: vary all
//: limited parallel@outer 5 20
//: enter parallel@inner 10
//: limited parallel@inner 5 40
//: limited task@outer 5 40
//: limited task@inner 5 80
//: events ThreadFork 10
//: events ThreadTaskCreate 10
//: events ThreadTaskComplete 10
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(2) // @outer
        {
#pragma omp parallel num_threads(2) // @inner
            {
#pragma omp atomic
                sum++;
            }
#pragma omp task shared(sum) // @outer
            {
                for (int k = 0; k < 2; k++) {
#pragma omp task shared(sum) // @inner
                    {
#pragma omp atomic
                        sum++;
                    }
                }
            }
        }
    }
    printf("%d\n", sum);
    return 0;
}
