/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked to the runtime, asks it a question, runs no region. To libgomp's own questions nobody listens.
//: [gcc] archives 0
//: [!gcc] threads 1
//: [!gcc] events ThreadFork 0
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    printf("%d\n", omp_in_parallel());
    return 0;
}
