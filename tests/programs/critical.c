/* SPDX-License-Identifier: BSD-3-Clause
 *
 * critical: unnamed and two names, each its own lock.
//: threads 2
//: [clang] enter critical@plain 20
//: [clang] enter critical_sblock@plain 20
//: [clang] enter critical@red 20
//: [clang] enter critical@blue 20
//: events ThreadAcquireLock 60
//: events ThreadReleaseLock 60
//: locks 3
*/
#include <stdio.h>

int main(void)
{
    int plain = 0;
    int red = 0;
    int blue = 0;

#pragma omp parallel num_threads(2)
    {
        for (int i = 0; i < 10; i++) {
#pragma omp critical // @plain
            plain++;
#pragma omp critical(red) // @red
            red++;
#pragma omp critical(blue) // @blue
            blue++;
        }
    }
    printf("%d %d %d\n", plain, red, blue);
    return 0;
}
