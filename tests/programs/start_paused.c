/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --start=paused: recording begins when the program says so, after a region that is not recorded.
//: env OMPTAPE_START=paused
//: only clang
//: threads 2
//: vary all
//: property START paused
//: enter parallel@paused 0
//: enter critical@paused 0
//: enter parallel@seen 2
//: enter critical@seen 2
//: events ThreadFork 1
//: events MeasurementOnOff 4
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) // @paused
    {
#pragma omp critical // @paused
        sum++;
    }
    omp_control_tool(omp_control_tool_start, 0, NULL);
#pragma omp parallel num_threads(2) // @seen
    {
#pragma omp critical // @seen
        sum++;
    }
    printf("%d\n", sum);
    return 0;
}
