/* SPDX-License-Identifier: BSD-3-Clause
 *
 * taskloop without a group. The runtime names an address of its own as the call site: if the line cannot be
found, then
 * at least no other construct's line may be shown in its place.
//: threads 2
//: events ThreadTaskCreate 4
//: events ThreadTaskComplete 4
//: [clang] enter taskloop 1
//: [clang] enter taskloop@region 0
//: [clang] enter taskloop@single 0
//: [clang] enter task@region 0
//: [clang] enter task@single 0
//: enter taskwait@wait 1
*/
#include <stdio.h>

int main(void)
{
    int cells[20] = {0};
    int sum = 0;

#pragma omp parallel num_threads(2) // @region
    {
#pragma omp single // @single
        {
#pragma omp taskloop num_tasks(4) nogroup
            for (int i = 0; i < 20; i++) {
                cells[i] = i;
            }
#pragma omp taskwait // @wait
        }
    }
    for (int i = 0; i < 20; i++) {
        sum += cells[i];
    }
    printf("%d\n", sum);
    return 0;
}
