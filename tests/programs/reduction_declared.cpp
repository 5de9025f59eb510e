/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A declared reduction, which clang does in a critical section of its own: its region says so, that of a
critical
 * section of the program does not.
//: only clang
//: threads 2
//: enter critical@loop 2
//: instances critical@loop (reduction)
//: enter critical@own 2
//: instances critical@own
*/
#include <cstdio>

struct Pair {
    double low, high;
};

#pragma omp declare reduction(merge:Pair                                                                     \
                              : omp_out.low += omp_in.low, omp_out.high += omp_in.high)                      \
    initializer(omp_priv = Pair{})

int main()
{
    Pair sum = {};
    int turns = 0;
#pragma omp parallel for num_threads(2) reduction(merge : sum) // @loop
    for (int i = 0; i < 100; i++)
        sum.low += i;
#pragma omp parallel num_threads(2)
    {
#pragma omp critical(reduction) // @own
        turns++;
    }
    std::printf("%g %d\n", sum.low, turns);
    return turns != 2;
}
