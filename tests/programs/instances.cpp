/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One parallel construct in a function template, as Kokkos has it: its instances are regions of their own,
 * whose names tell them apart.
//: cflags -O2
//: threads 2
//: enter parallel@only 12
//: [>=19] instances parallel@only apply<first()::lambda 1> | apply<second()::lambda 1> | Grid<double>::fill
//: [clang <19] instances parallel@only apply<first()::lambda 1> | apply<second()::lambda 2> | Grid<double>::fill
//: [gcc] instances parallel@only apply<first()::lambda 1> | apply<second()::lambda 1> | Grid<double>::fill
*/
static double field[64];

template <class F> static __attribute__((noinline)) void apply(int n, const F &kernel)
{
    // clang-format off
#pragma omp parallel for num_threads(2) // @only
    for (int i = 0; i < n; i++)
        kernel(i);
    // clang-format on
}

static void first()
{
    apply(
        64, [](int i) { field[i] += 1; });
}

static void second()
{
    apply(
        64, [](int i) { field[i] *= 2; });
}

template <class T> struct Grid {
    T cells[64];
    __attribute__((noinline)) void fill(T value)
    {
#pragma omp parallel for num_threads(2) // @only
        for (int i = 0; i < 64; i++)
            cells[i] = value;
    }
};

int main()
{
    static Grid<double> grid;
    first();
    second();
    grid.fill(field[3]);
    first();
    second();
    grid.fill(field[4]);
    return grid.cells[0] != field[4];
}
