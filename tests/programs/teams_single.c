/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A league of one team on the host, which has a parallel region of two; then teams without a number. LLVM's runtime
 * does not say which league the only initial task is in.
//: env OMP_MAX_ACTIVE_LEVELS=3
//: env KMP_TEAMS_THREAD_LIMIT=8
//: threads 2
//: enter teams@league 1
//: enter teams@plain 1
//: enter parallel@inner 2
//: [gcc] events ThreadFork 3
//: [clang] events ThreadFork 5
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp teams num_teams(1) thread_limit(4) reduction(+ : sum) // @league
    {
        sum++;
#pragma omp parallel num_threads(2) reduction(+ : sum) // @inner
        sum++;
    }
#pragma omp teams reduction(+ : sum) // @plain
    sum++;
    printf("%d\n", sum);
    return 0;
}
