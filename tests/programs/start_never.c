/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --start=paused in a program that never starts the recording: an archive without events of OpenMP.
//: env OMPTAPE_START=paused
//: threads 2
//: vary all
//: enter parallel 0
//: events Enter 1
//: events ThreadFork 0
//: events MeasurementOnOff 2
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
    printf("%d\n", sum);
    return 0;
}
