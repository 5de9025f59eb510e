/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of how functions are called for people (src/analysis/findings/inside.c).
 */
#include "src/analysis/findings/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void is_short(const char *function, const char *expected)
{
    char text[64];
    assert_string_equal(omptape_inside_short_name(function, text, sizeof(text)), expected);
}

static void test_names_without_arguments(void **state)
{
    (void)state;
    is_short("main", "main");
    is_short("match(std::string const&)", "match");
    is_short("std::map<long, long, std::less<long> >::find(long const&)", "std::map<..>::find");
    is_short("std::ctype<char> const& std::use_facet<std::ctype<char> >(std::locale const&)",
             "std::use_facet<..>");
    is_short("build[abi:cxx11](int)", "build");
    is_short("void ns::(anonymous namespace)::f<int>(int)", "ns::(anonymous namespace)::f<..>");
    is_short("f(int)::{lambda(int)#1}::operator()(int) const", "f(int)::{lambda(int)#1}::operator()");
}

static void test_operators(void **state)
{
    (void)state;
    is_short("operator new(unsigned long)", "operator new");
    is_short("std::ostream& operator<< <char>(std::ostream&, char)", "operator<<<..>");
    is_short("bool operator< <int>(A<int> const&, A<int> const&)", "operator<<..>");
    is_short("Pointer::operator->() const", "Pointer::operator->");
    is_short("std::less<long>::operator()(long const&, long const&) const", "std::less<..>::operator()");
}

static void test_what_is_no_function(void **state)
{
    (void)state;
    is_short("[OpenMP runtime]", "[OpenMP runtime]");
    is_short("", "");
    is_short("f(", "f");
    is_short("a_name_that_is_longer_than_the_buffer_which_takes_only_sixty_three_of_its_letters",
             "a_name_that_is_longer_than_the_buffer_which_takes_only_sixty_th");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_without_arguments),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_what_is_no_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
