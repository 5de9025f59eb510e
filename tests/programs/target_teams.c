/* SPDX-License-Identifier: BSD-3-Clause
 *
 * teams distribute parallel for on the host plugin: its threads' events are the host's.
//: only offload
//: [19] enter target 1
//: [>=22] enter target@kernel 1
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum) num_teams(2) thread_limit(2) // @kernel
    for (int i = 0; i < 100; i++) {
        sum += i;
    }
    printf("%d\n", sum);
    return 0;
}
