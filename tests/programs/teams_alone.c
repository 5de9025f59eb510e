/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Teams of one thread each on the host. libgomp runs one after the other.
//: only gcc
//: threads 1
//: events ThreadFork 1
//: enter teams 1
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int teams = 0;
#pragma omp teams num_teams(2) thread_limit(1) reduction(+ : teams)
    teams++;
    printf("%d\n", teams);
    return teams != 2;
}
