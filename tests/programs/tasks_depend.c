/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Task dependences of every kind.
//: threads 2
//: events ThreadTaskCreate 12
//: events ThreadTaskComplete 12
//: enter task@writer 3
//: enter task@reader 6
//: enter task@both 3
*/
#include <stdio.h>

int main(void)
{
    int value = 0;
    int seen[6];
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            for (int i = 0; i < 3; i++) {
#pragma omp task depend(out : value) shared(value) // @writer
                value = i + 1;
                for (int j = 0; j < 2; j++) {
#pragma omp task depend(in : value) shared(value, seen) // @reader
                    seen[2 * i + j] = value;
                }
#pragma omp task depend(inout : value) shared(value) // @both
                value += 10;
            }
        }
    }
    for (int i = 0; i < 6; i++) {
        sum = sum * 10 + seen[i];
    }
    printf("%d %d\n", sum, value);
    return 0;
}
