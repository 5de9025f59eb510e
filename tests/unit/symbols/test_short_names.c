/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Short names of C++ functions: both compilers' lambdas, operators, local functions, and texts that are no
 * names. Run by CTest as unit.short_names.
 */
#include "src/core/short_names.h"

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

static void function_is(const char *function, const char *expected)
{
    char text[OMPTAPE_SHORT_NAME_BYTES];
    assert_string_equal(omptape_short_name_of_function(function, text), expected);
}

static void functions(void **state)
{
    (void)state;
    function_is("main", "main");
    function_is("solve_", "solve_");
    function_is("[blocked]", "[blocked]");
    function_is("OrderedCount(CSRGraph<int, int, true> const&)", "OrderedCount");
    function_is(
        "BuilderBase<int, int, int, true>::MakeCSR(pvector<EdgePair<int, int> > const&, bool, int***)",
        "BuilderBase<int, int, int, true>::MakeCSR");
    function_is(
        "int* std::__unguarded_partition<int*, __gnu_cxx::__ops::_Iter_comp_iter<std::less<int> > >(int*)",
        "std::__unguarded_partition<..>");
    function_is("std::less<int>::operator()(int const&, int const&) const", "std::less<..>::operator()");
    function_is("(anonymous namespace)::work(int)", "work");
    function_is("md::System::forces(double) const::{lambda(int)#2}::operator()(int) const",
                "md::System::forces(double) const::lambda 2::operator()");
    function_is("operator new(unsigned long)", "operator new");
    function_is("operator new[](unsigned long)", "operator new[]");
    function_is("std::string::_M_append[abi:cxx11](char const*, unsigned long)", "std::string::_M_append");
    function_is("void run<void (*)(int)>(void (*)(int)) [clone .part.0]", "run<void (*)(int)>");
    function_is("__solver_MOD_step", "__solver_MOD_step");
    function_is("std::ostream& operator<< <char>(std::ostream&, char)", "operator<<<char>");
    function_is("std::ctype<char> const& std::use_facet<std::ctype<char> >(std::locale const&)",
                "std::use_facet<..>");
    function_is("std::map<long, long, std::less<long> >::find(long const&)", "std::map<..>::find");
    function_is("f(", "f(");
    function_is("space::Sum::operator bool() const", "space::Sum::operator bool");
    function_is("space::Sum<(space::Kind)2>::operator->() const", "space::Sum<(space::Kind)2>::operator->");
    function_is("my_operator<int>(int)", "my_operator<int>");
    function_is("std::string std::operator+<char>(char const*, int)", "std::operator+<..>");
    function_is("main::{lambda(int)#1}::operator()(int) const", "main::lambda 1::operator()");
    function_is("odd<", "odd<");
    function_is("(", "(");
    function_is("", "");
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

/* As in GAP's generator of graphs: the function's name stays. */
static void long_templates(void **state)
{
    (void)state;
    instance_is(
        "Generator<int, int, int, unsigned int, 32, std::mersenne_twister_engine<unsigned long, 32ul, 624ul, "
        "397ul, "
        "31ul, 2567483615ul, 11ul, 4294967295ul, 7ul, 2636928640ul, 15ul, 4022730752ul, 18ul, 1812433253ul>, "
        "UniDist<int, std::mersenne_twister_engine<unsigned long> > >::MakeUniformEL()",
        "Generator<int, int, int, unsigned int, 32, mersenne_twister_engine<unsigned long, 32ul, 624ul, "
        "397ul, "
        "31ul, 2...::MakeUniformEL");
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
        cmocka_unit_test(functions),      cmocka_unit_test(lambdas), cmocka_unit_test(templates),
        cmocka_unit_test(others),         cmocka_unit_test(symbols), cmocka_unit_test(damaged),
        cmocka_unit_test(long_templates),
    };
    return cmocka_run_group_tests_name("short_names", tests, NULL, NULL);
}
