/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mutexinoutset: any order, never two at once; iterators and several variables in one clause.
//: only clang
//: threads 2
//: events ThreadTaskCreate 11
//: events ThreadTaskComplete 11
//: enter task@mutex 8
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;
    int cells[40] = {0};

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma omp task depend(out : sum) shared(sum)
            sum = 1;
            for (int i = 0; i < 8; i++) {
#pragma omp task depend(mutexinoutset : sum) shared(sum) // @mutex
                sum += i;
            }
#pragma omp task depend(iterator(k = 0 : 40), out : cells[k]) shared(cells)
            cells[39] = 7;
#pragma omp task depend(in : sum, cells[39]) shared(sum, cells)
            sum += cells[39];
        }
    }
    printf("%d\n", sum);
    return 0;
}
