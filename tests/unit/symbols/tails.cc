/* SPDX-License-Identifier: BSD-3-Clause
 *
 * As tails.c, for C++: templates and functions that other modules could replace.
 */
#include "runtime.h"

#define NOINLINE __attribute__((noinline))

static int total;

static NOINLINE void add(int by)
{
    total += by;
}

namespace net
{
template <typename T> struct Row {
    T value;

    NOINLINE void set(int n)
    {
        add(n);

#pragma omp parallel /* @site parallel net::Row<int>::set(int) | net::Row<double>::set(int) */
        {
            value += n;

#pragma omp barrier /* @site barrier net::Row<int>::set(int) | net::Row<double>::set(int) | net::Row::set */
        }
    }
};

NOINLINE void leaf(int n)
{
    add(n);

#pragma omp parallel /* @site parallel net::leaf(int) */
    add(3);
}

NOINLINE void inner(int n)
{
    add(n);
    leaf(n + 1);
}
} // namespace net

extern "C" int constructs(int n)
{
    net::Row<int> a = {1};
    net::Row<double> b = {2.5};
    a.set(n);
    add(1);
    b.set(n);
    add(1);
    net::inner(n);
    add(1);
    return total + a.value + static_cast<int>(b.value);
}
