/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C++: exceptions thrown and caught within regions and tasks.
//: threads 2
//: enter parallel@region 2
//: enter task@thrower 4
*/
#include <cstdio>
#include <stdexcept>

int main()
{
    int caught = 0;

#pragma omp parallel num_threads(2) // @region
    {
        try {
            throw std::runtime_error("region");
        } catch (const std::runtime_error &) {
#pragma omp atomic
            caught += 1;
        }
#pragma omp single
        for (int i = 0; i < 4; i++) {
#pragma omp task shared(caught) // @thrower
            try {
                throw std::runtime_error("task");
            } catch (const std::exception &) {
#pragma omp atomic
                caught += 10;
            }
        }
    }
    std::printf("%d\n", caught);
    return 0;
}
