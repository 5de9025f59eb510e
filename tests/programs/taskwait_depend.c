/* SPDX-License-Identifier: BSD-3-Clause
 *
 * taskwait with depend: no sync region, a pseudo task in its place.
//: only clang >=19
//: threads 2
//: events ThreadTaskCreate 5
//: events ThreadTaskComplete 5
*/
#include <stdio.h>

int main(void)
{
    int value = 0;
    int other = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            for (int i = 0; i < 4; i++) {
#pragma omp task depend(inout : value) shared(value)
                value += 1;
            }
#pragma omp task shared(other)
            other = 1;
#pragma omp taskwait depend(in : value)
#pragma omp taskwait
        }
    }
    printf("%d %d\n", value, other);
    return 0;
}
