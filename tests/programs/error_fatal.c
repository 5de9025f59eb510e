/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The error directive at execution: a fatal one ends the program without any end event.
//: only clang >=19
//: signal 6
//: threads 2
//: env OMPTAPE_EVENTS=+error
//: end signal 6
//: marker "OpenMP error" 1
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp error at(execution) severity(fatal) message("so it ends") // @fatal
        }
    }
    printf("never\n");
    return 0;
}
