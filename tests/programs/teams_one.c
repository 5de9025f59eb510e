/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A league of one team. LLVM's runtime names no region when its initial task begins, or one that is over, and
 * gives that task a team of its own without an address: it has the league's place.
//: only clang >=19
//: threads 2
//: enter teams@league 3
//: enter parallel@league 3
//: enter parallel@inner 6
//: enter parallel@serial 3
*/
#include <stdio.h>

int main(void)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
#pragma omp teams num_teams(1) thread_limit(2) reduction(+ : sum) // @league
        {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @inner
            sum += k;
        }
#pragma omp parallel num_threads(1) // @serial
        sum += 1;
    }
    printf("%g\n", sum);
    return sum != 9;
}
