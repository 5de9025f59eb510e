/* SPDX-License-Identifier: BSD-3-Clause
 *
 * omp_control_tool is the first call to the runtime, which by itself would pass it on to no tool.
//: env OMPTAPE_START=paused
//: only clang
//: threads 2
//: vary all
//: property START paused
//: enter parallel@seen 2
//: enter critical@seen 2
//: events ThreadFork 1
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int sum = 0;

    omp_control_tool(omp_control_tool_start, 0, NULL);
#pragma omp parallel num_threads(2) // @seen
    {
#pragma omp critical // @seen
        sum++;
    }
    printf("%d\n", sum);
    return 0;
}
