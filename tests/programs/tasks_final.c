/* SPDX-License-Identifier: BSD-3-Clause
 *
 * final and mergeable tasks; what they create is included.
//: threads 2
//: enter task@final 5
//: enter task@included 5
//: enter task@mergeable 5
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            for (int i = 0; i < 5; i++) {
#pragma omp task final(1) shared(sum) // @final
                {
#pragma omp task shared(sum) // @included
                    {
#pragma omp atomic
                        sum += 1;
            }
        }
#pragma omp task mergeable shared(sum) // @mergeable
        {
#pragma omp atomic
            sum += 10;
        }
    }
}
}
printf("%d\n", sum);
return 0;
}
