/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Short names of C++ functions: both compilers' lambdas, operators, local functions, and texts that are no
 * names. Run by CTest as unit.short_names.
 */
#include "writers/symbols/short_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void instance_is(const char *function, const char *expected)
{
    char text[OMPTAPE_SHORT_NAME_BYTES];
    assert_int_equal(omptape_short_name_of_instance(function, text), expected != NULL);
    if (expected != NULL)
        assert_string_equal(text, expected);
}

static void symbol_is(const char *symbol, const char *expected)
{
    char text[OMPTAPE_SHORT_NAME_BYTES];
    omptape_short_name_of_symbol(symbol, text);
    assert_string_equal(text, expected);
}

static void lambdas(void **state)
{
    (void)state;
    instance_is("void parallel_for<skewed()::{lambda(int)#1}>(int, skewed()::{lambda(int)#1} const&)",
                "parallel_for<skewed()::lambda 1>");
    instance_is("void parallel_for<skewed()::$_0>(int, skewed()::$_0 const&)",
                "parallel_for<skewed()::lambda 1>");
    instance_is("void run::for_each<md::System::forces(double) const::{lambda(int, int)#12}>(int)",
                "for_each<forces()::lambda 12>");
    /* Of several arguments the lambda alone: policies do not tell kernels apart. */
    instance_is("Kokkos::Impl::ParallelFor<forces()::{lambda(int)#2}, Kokkos::RangePolicy<Kokkos::OpenMP>, "
                "Kokkos::OpenMP>::execute() const",
                "ParallelFor<forces()::lambda 2>::execute");
}

static void templates(void **state)
{
    (void)state;
    instance_is("net::Row<double>::set(int)", "Row<double>::set");
    instance_is("std::vector<int> solve::sweep<unsigned long, std::vector<double> >(std::vector<double>&)",
                "sweep<unsigned long, vector<double> >");
    instance_is("void (anonymous namespace)::twice<3>(int)", "twice<3>");
    instance_is("void all<int>(int)::{lambda()#1}::operator()() const", "all<int>()::lambda 1::operator()");
}

static void others(void **state)
{
    (void)state;
    instance_is("forces()", NULL);
    instance_is("main", NULL);
    instance_is("", NULL);
    instance_is("skewed()::{lambda(int)#1}::operator()(int) const", NULL);
    instance_is("bool operator<(A const&, A const&)", NULL);
    instance_is("std::vector<int> values(std::vector<int>)", NULL);
}

static void symbols(void **state)
{
    (void)state;
    symbol_is("System::forces(double).omp_outlined", "forces().omp_outlined");
    symbol_is("System::forces(double) const.omp_outlined.5", "forces().omp_outlined.5");
    symbol_is("void parallel_for<skewed()::$_0>(int, skewed()::$_0 const&).omp_outlined",
              "parallel_for<skewed()::lambda 1>().omp_outlined");
    symbol_is("main.omp_outlined", "main.omp_outlined");
    symbol_is("solver::sweep._omp_fn.0", "solver::sweep._omp_fn.0");
}

static void damaged(void **state)
{
    (void)state;
    static const char *const texts[] = {"f<",       "f<a",         "f<(>(",    ">(",          "(",
                                        "::",       "a::",         "operator", "f<operator<", "f<,>(int)",
                                        "{lambda(", "f<{lambda(>", "f<$_>(",   "f<->",        "f<<<<<<<<<<"};
    char text[OMPTAPE_SHORT_NAME_BYTES];
    char longest[4096];
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        (void)omptape_short_name_of_instance(texts[i], text);
        omptape_short_name_of_symbol(texts[i], text);
        assert_true(strlen(text) < sizeof(text));
    }
    for (size_t i = 0; i < sizeof(longest) - 1; i++)
        longest[i] = i % 2 == 0 ? 'a' : '<';
    longest[sizeof(longest) - 1] = '\0';
    assert_true(omptape_short_name_of_instance(longest, text));
    memset(longest, 'x', sizeof(longest) - 1);
    memcpy(longest, "f<", 2);
    assert_true(omptape_short_name_of_instance(longest, text));
    assert_int_equal(strlen(text), OMPTAPE_SHORT_NAME_BYTES - 1);
    assert_string_equal(text + OMPTAPE_SHORT_NAME_BYTES - 4, "...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lambdas), cmocka_unit_test(templates), cmocka_unit_test(others),
        cmocka_unit_test(symbols), cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests_name("short_names", tests, NULL, NULL);
}
