/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A taskloop that counts down, and one whose step is known at run time alone: each iteration is executed once.
//: threads 2
//: events ThreadFork 1
//: enter taskloop 2
//: [gcc] events ThreadTaskCreate 72
//: [gcc] events ThreadTaskComplete 72
*/
#include <stdio.h>

int main(int argc, char **argv)
{
    enum { N = 192 };
    int down = 0;
    int stepped = 0;
    int step = argc * 4;
    (void)argv;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskloop grainsize(4)
        for (int i = N / 2; i > 0; i--)
#pragma omp atomic
            down++;
#pragma omp taskloop num_tasks(48) shared(stepped)
        for (int i = 0; i < N; i += step)
#pragma omp atomic
            stepped++;
    }
    printf("%d of %d, %d of %d iterations\n", down, N / 2, stepped, N / 4);
    return down != N / 2 || stepped != N / 4;
}
