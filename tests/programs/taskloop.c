/* SPDX-License-Identifier: BSD-3-Clause
 *
 * taskloop: with its own group, by grainsize and by num_tasks.
//: threads 2
//: [clang] enter taskloop@grain 1
//: [clang] enter taskloop@number 1
//: events ThreadTaskCreate 10
//: events ThreadTaskComplete 10
*/
#include <stdio.h>

int main(void)
{
    int cells[40] = {0};
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma omp taskloop grainsize(5) // @grain
            for (int i = 0; i < 20; i++) {
                cells[i] = i;
            }
#pragma omp taskloop num_tasks(6) // @number
            for (int i = 20; i < 40; i++) {
                cells[i] = i;
            }
        }
    }
    for (int i = 0; i < 40; i++) {
        sum += cells[i];
    }
    printf("%d\n", sum);
    return 0;
}
