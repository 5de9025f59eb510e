/* SPDX-License-Identifier: BSD-3-Clause
 *
 * At -O2 everything is inlined into main: each construct still shows the line that the user wrote.
//: cflags -O2
//: threads 2
//: [clang] enter parallel@region 4
//: [clang] enter critical@inside 4
//: [clang] enter for@loop 4
//: [clang] enter barrier@explicit 4
*/
#include <stdio.h>

static inline void count(int *sum)
{
#pragma omp critical // @inside
    *sum += 1;
}

static inline int work(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) // @region
    {
#pragma omp for // @loop
        for (int i = 0; i < 2; i++) {
            count(&sum);
        }
#pragma omp barrier // @explicit
    }
    return sum;
}

int main(void)
{
    int first = work();

    printf("%d\n", first + work());
    return 0;
}
