/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C++ constructs whose call sites test_symbols resolves; see constructs.c. Namespaces, classes, templates, lambdas, a
 * function after another: what the enclosing function's name is made of. No call is the last of its function (it
 * could become a jump, and its return address the caller's), and statements stand between constructs (gcc's lines
 * are not exact).
 */
#include "runtime.h"

namespace grid
{
inline __attribute__((always_inline)) void charge(double &sum, double by)
{
#pragma omp critical(charge) /* @site critical grid::charge(double&, double) */
    sum += by;
}

struct Field {
    double value;

    double smooth(double by, int n)
    {
        double sum = 0;
        auto add = [&](int k) __attribute__((noinline)) {
            charge(sum, k);
#pragma omp critical /* @site critical grid::Field::smooth(double, int)::{lambda(int)#1}::operator()(int) const */
            sum += k;
        };
#pragma omp parallel for /* @site parallel grid::Field::smooth(double, int) */
        for (int i = 0; i < n; i++) {
#pragma omp critical(sum) /* @site critical grid::Field::smooth(double, int) */
            sum += by * i;
        }
        add(n);
        sum *= 2;
#pragma omp parallel /* @site parallel grid::Field::smooth(double, int) */
        {
            sum += 1;
#pragma omp task shared(sum) /* @site task grid::Field::smooth(double, int) */
            {
#pragma omp critical(sum) /* @site critical grid::Field::smooth(double, int) */
                sum += value;
                sum += 2;
            }
            sum += 3;
        }
        return sum;
    }
};
}

template <typename T> __attribute__((noinline)) T reduce(T start)
{
    T sum = start;
#pragma omp parallel /* @site parallel int reduce<int>(int) */
    {
#pragma omp barrier /* @site barrier int reduce<int>(int) */
        sum += 1;
    }
    return sum;
}

/* Some compilers' names for a task's code do not tell which instance it belongs to. */
template <typename T> __attribute__((noinline)) T gather(T start)
{
    T sum = start;
#pragma omp parallel /* @site parallel int gather<int>(int) | double gather<double>(double) */
    {
        sum += 1;
#pragma omp task shared(sum) /* @site task int gather<int>(int) | double gather<double>(double) | gather */
        {
#pragma omp critical /* @site critical int gather<int>(int) | double gather<double>(double) | gather */
            sum += 2;
        }
        sum += 3;
    }
    return sum;
}

static __attribute__((noinline)) int after(int n)
{
    int sum = n;
    sum *= n;
#pragma omp parallel /* @site parallel after(int) */
    {
        sum += 1;
#pragma omp task shared(sum) /* @site task after(int) */
        {
            sum += 2;
#pragma omp taskwait /* @site taskwait after(int) */
            sum += 3;
        }
        sum += 4;
    }
    return sum;
}

extern "C" int constructs(int n)
{
    grid::Field field = {2.5};
    double sum = field.smooth(1.5, n) + reduce(n) + after(n) + gather(n) + gather(0.5);
#pragma omp critical /* @site critical constructs */
    sum++;
    return static_cast<int>(sum);
}
