/* SPDX-License-Identifier: BSD-3-Clause
 *
 * omp_control_tool: pause and start hide what lies between; an unknown command is ignored; flush; nothing
after end.
//: only clang
//: threads 2
//: vary all
//: enter parallel@seen 4
//: enter parallel@paused 0
//: enter parallel@after 0
//: end omp_control_tool
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum) // @seen
    sum += 1;
    omp_control_tool(omp_control_tool_flush, 0, NULL);
    omp_control_tool(4711, 0, NULL);
    omp_control_tool(omp_control_tool_pause, 0, NULL);
#pragma omp parallel num_threads(2) reduction(+ : sum) // @paused
    sum += 10;
    omp_control_tool(omp_control_tool_start, 0, NULL);
#pragma omp parallel num_threads(2) reduction(+ : sum) // @seen
    sum += 100;
    omp_control_tool(omp_control_tool_end, 0, NULL);
#pragma omp parallel num_threads(2) reduction(+ : sum) // @after
    sum += 1000;
    omp_control_tool(omp_control_tool_start, 0, NULL);
#pragma omp parallel num_threads(2) reduction(+ : sum) // @after
    sum += 1000;
    printf("%d\n", sum);
    return 0;
}
