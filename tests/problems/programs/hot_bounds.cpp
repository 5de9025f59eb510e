/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A vector's at() throws for every second index, which is beyond its end. Code of the library without a name lies
 * between. Mended: the index is compared first.
//: proposal return a value
*/
#include "work.h"

#include <stdexcept>
#include <vector>

namespace
{

enum { ITEMS = 8000000, NONE = 17 };

APART long value_of(const std::vector<long> &values, size_t i)
{
    try {
        return values.at(i);
    } catch (const std::out_of_range &) {
        return NONE;
    }
}

APART long value_if_any(const std::vector<long> &values, size_t i)
{
    return i < values.size() ? value_of(values, i) : long{NONE};
}

} // namespace

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    const long items = run_scaled(&run, ITEMS);
    const std::vector<long> values(1, 42);
    long sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum) /* HERE hot_function */
    for (long i = 0; i < items; i++)
        sum += run.mended ? value_if_any(values, size_t(i % 2)) : value_of(values, size_t(i % 2));
    keep(static_cast<uint64_t>(sum));
    return run_end();
}
