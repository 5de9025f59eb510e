/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scope, with its barrier and with nowait.
//: only clang >=22
//: threads 2
//: enter implicit_barrier@waits 2
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp scope reduction(+ : sum) // @waits
        sum += 1;
#pragma omp scope nowait
        {
#pragma omp atomic
            sum += 1;
        }
    }
    printf("%d\n", sum);
    return 0;
}
