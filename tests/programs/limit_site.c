/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --limit-per-site: so many instances of each site are shown, over all threads; the archive has the totals. A
 * function that is inlined twice is one site.
//: env OMPTAPE_LIMIT_PER_SITE=10
//: env OMP_MAX_ACTIVE_LEVELS=2
//: only clang
//: vary all
//: property LIMIT_PER_SITE 10
//: enter critical@many 10
//: limited critical@many 10 400
//: enter critical@inlined 10
//: limited critical@inlined 10 80
//: enter critical_sblock@inlined 10
//: enter critical@few 8
//: limited critical@few 0 0
//: enter task@task 10
//: limited task@task 10 200
//: limited create_task@task 10 200
//: events ThreadTaskCreate 10
//: events ThreadTaskComplete 10
//: enter parallel@again 20
//: limited parallel@again 10 30
//: enter flush@again 10
//: limited flush@again 10 60
//: limited critical@within 0 5
//: events ThreadFork 12
//: events ThreadJoin 12
//: marker "Limit per site" >=5
*/
#include <stdio.h>

static int counts[5];

__attribute__((always_inline)) static inline void inlined(void)
{
#pragma omp critical(inlined) // @inlined
    counts[0]++;
}

static void many(void)
{
#pragma omp parallel num_threads(4)
    {
        for (int i = 0; i < 100; i++) {
#pragma omp critical // @many
            counts[1]++;
        }
        for (int i = 0; i < 10; i++) {
            inlined();
            inlined();
        }
        for (int i = 0; i < 2; i++) {
#pragma omp critical(few) // @few
            counts[2]++;
        }
    }
}

static void tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 200; i++) {
#pragma omp task // @task
        {
#pragma omp atomic
            counts[3]++;
        }
    }
}

static void regions(void)
{
    for (int i = 0; i < 30; i++) {
#pragma omp parallel num_threads(2) // @again
        {
#pragma omp flush // @again
            if (i >= 25) {
#pragma omp masked
                {
#pragma omp critical(within) // @within
                    counts[4]++;
                }
            }
        }
    }
}

int main(void)
{
    many();
    tasks();
    regions();
    printf("%d %d %d %d %d\n", counts[0], counts[1], counts[2], counts[3], counts[4]);
    return 0;
}
