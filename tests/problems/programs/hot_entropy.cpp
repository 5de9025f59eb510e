/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each number is one of std::random_device. The library's function ends with a jump to one without a name.
 * Mended: a generator for each thread.
//: proposal generator for each thread
*/
#include "work.h"

#include <random>

namespace
{
enum { NUMBERS = 400000, MASK = 0xffff };
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    const long numbers = run_scaled(&run, NUMBERS);
    long sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum) /* HERE[gcc] hot_function system_time */
    {
        std::random_device device;
        std::mt19937 generator(device());
#pragma omp for schedule(static) /* HERE[clang] hot_function system_time */
        for (long i = 0; i < numbers; i++)
            sum += (run.mended ? generator() : device()) & MASK;
    }
    keep(static_cast<uint64_t>(sum));
    return run_end();
}
