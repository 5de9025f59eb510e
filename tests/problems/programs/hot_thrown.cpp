/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library's function throws for every second text, which is no number. Mended: the text is looked at first.
//: proposal return a value
*/
#include "work.h"

#include <stdexcept>
#include <string>

namespace
{
enum { TEXTS = 6000000, NONE = 17 };

// Apart, so that the library's function is called from one line.
APART long number_of(const std::string &text)
{
    try {
        return std::stoi(text);
    } catch (const std::invalid_argument &) {
        return NONE;
    }
}

APART long number_if_any(const std::string &text)
{
    return text.empty() ? long{NONE} : number_of(text);
}
} // namespace

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    const long texts = run_scaled(&run, TEXTS);
    const std::string some[] = {"", "42"};
    long sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum) /* HERE hot_function */
    for (long i = 0; i < texts; i++)
        sum += run.mended ? number_if_any(some[i % 2]) : number_of(some[i % 2]);
    keep(static_cast<uint64_t>(sum));
    return run_end();
}
