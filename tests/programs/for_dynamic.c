/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops whose chunks are handed out: dynamic, guided, auto, runtime.
//: env OMP_SCHEDULE=dynamic,5
//: threads 2
//: [clang] enter for@one 2
//: [clang] enter for@four 2
//: [clang] enter for@guided 2
//: [clang] enter for@auto 2
//: [clang] enter for@runtime 2
//: [clang >=16] enter for_chunk@one 20
//: [clang >=16] enter for_chunk@four 5
//: [clang >=16] enter for_chunk@runtime 4
*/
#include <stdio.h>

int main(void)
{
    long sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp for schedule(dynamic) // @one
        for (int i = 0; i < 20; i++) {
            sum += i;
        }
#pragma omp for schedule(dynamic, 4) // @four
        for (int i = 0; i < 20; i++) {
            sum += i;
        }
#pragma omp for schedule(guided) // @guided
        for (int i = 0; i < 20; i++) {
            sum += i;
        }
#pragma omp for schedule(auto) // @auto
        for (int i = 0; i < 20; i++) {
            sum += i;
        }
#pragma omp for schedule(runtime) // @runtime
        for (int i = 0; i < 20; i++) {
            sum += i;
        }
    }
    printf("%ld\n", sum);
    return 0;
}
