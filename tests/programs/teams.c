/* SPDX-License-Identifier: BSD-3-Clause
 *
 * teams on the host: a league of two, each with a parallel region of two; distribute and its composites.
//: only clang
//: env KMP_TEAMS_THREAD_LIMIT=8
//: env OMP_MAX_ACTIVE_LEVELS=3
//: enter teams@league 2
//: enter parallel@inner 4
//: enter distribute@spread 2
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int sum = 0;
    int cells[32];

#pragma omp teams num_teams(2) thread_limit(4) reduction(+ : sum) // @league
    {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @inner
        sum += 1;
    }
#pragma omp teams num_teams(2) thread_limit(4)
    {
#pragma omp distribute // @spread
        for (int i = 0; i < 16; i++) {
            cells[i] = i;
        }
#pragma omp distribute parallel for
        for (int i = 16; i < 32; i++) {
            cells[i] = i;
        }
    }
    for (int i = 0; i < 32; i++) {
        sum += cells[i];
    }
    printf("%d\n", sum);
    return 0;
}
