/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The error directive at execution: a warning that lets the program go on.
//: only clang >=19
//: threads 2
//: env OMPTAPE_EVENTS=+error
//: marker "OpenMP warning" 2
*/
#include <stdio.h>

int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp error at(execution) severity(warning) message("just so") // @warn
    } printf("on\n");
    return 0;
}
