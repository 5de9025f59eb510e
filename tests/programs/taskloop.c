/* taskloop: with its own group, with grainsize, num_tasks and nogroup.
//: threads 2
//: [clang] enter taskloop@grain 1
//: [clang] enter taskloop@number 1
//: [clang] enter taskloop@loose 1
//: events ThreadTaskCreate 14
//: events ThreadTaskComplete 14
*/
#include <stdio.h>

int main(void)
{
    int cells[60] = {0};
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
#pragma omp taskloop num_tasks(4) nogroup // @loose
            for (int i = 40; i < 60; i++) {
                cells[i] = i;
            }
#pragma omp taskwait
        }
    }
    for (int i = 0; i < 60; i++) {
        sum += cells[i];
    }
    printf("%d\n", sum);
    return 0;
}
