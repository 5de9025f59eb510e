/* SPDX-License-Identifier: BSD-3-Clause
 *
 * omp_control_tool from within a region and a task: what is open when the pause begins is closed, what is
open when
 * measurement goes on is there again.
//: only clang
//: threads 2
//: vary all
//: enter critical@quiet 0
//: enter critical@loud 2
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        omp_control_tool(omp_control_tool_pause, 0, NULL);
#pragma omp critical // @quiet
        sum += 1;
#pragma omp barrier
#pragma omp single
        omp_control_tool(omp_control_tool_start, 0, NULL);
#pragma omp critical // @loud
        sum += 10;
    }
    printf("%d\n", sum);
    return 0;
}
