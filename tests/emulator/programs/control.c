/* SPDX-License-Identifier: BSD-3-Clause
 *
 * omp_control_tool pauses and starts measurement around target constructs: devices must follow.
 */
#include <omp.h>
#include <stdio.h>

static int work(int start)
{
    int cell = start;

#pragma omp target map(tofrom : cell)
    cell += 1;
    return cell;
}

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(1)
    {
    }
    sum += work(1);
    omp_control_tool(omp_control_tool_pause, 0, NULL);
    for (int i = 0; i < 5; i++)
        sum += work(i);
    omp_control_tool(omp_control_tool_start, 0, NULL);
    sum += work(3);
    omp_control_tool(omp_control_tool_flush, 0, NULL);
    sum += work(4);
    printf("%d\n", sum);
    return 0;
}
