/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Error directives without a message, at which LLVM's runtime crashes if there is an error callback.
//: only clang >=19
//: threads 2
//: marker "OpenMP warning" 0
//: property INFO::CALLBACK::ERROR unsafe: this runtime crashes at an error directive without a message (--events=+error sets it)
*/
#include <stdio.h>

int main(void)
{
#pragma omp parallel num_threads(2)
    {
        /* One thread, so that the lines come in one order. */
#pragma omp masked
        {
#pragma omp error at(execution) severity(warning)
#pragma omp error at(execution) severity(warning) message("just so")
        }
    }
    printf("on\n");
    return 0;
}
