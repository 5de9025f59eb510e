/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C++: an exception that leaves the region ends the program by std::terminate.
//: signal 6
//: end signal 6
//: enter parallel@region 2
*/
#include <cstdio>
#include <omp.h>
#include <stdexcept>

int main()
{
#pragma omp parallel num_threads(2) // @region
    {
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            throw std::runtime_error("out");
        }
#pragma omp barrier
    }
    return 0;
}
