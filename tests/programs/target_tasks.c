/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A kernel on the host plugin that creates tasks without a parallel region; its image is a library.
//: only offload
//: [>=22] enter create_task@inside 3
//: [>=22] enter task@inside 3
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp target map(tofrom : sum)
    for (int i = 0; i < 3; i++) {
#pragma omp task shared(sum) // @inside
        {
#pragma omp atomic
            sum += i;
        }
    }
    printf("%d\n", sum);
    return 0;
}
