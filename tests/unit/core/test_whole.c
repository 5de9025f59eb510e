/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of amounts that archives tell (src/core/whole.h): none wraps around.
 */
#include "src/core/whole.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const uint64_t most = UINT64_MAX;

static void sums_end_at_the_greatest_number(void **state)
{
    (void)state;
    uint64_t sum = most - 1;
    uint32_t narrow = UINT32_MAX - 1;
    assert_true(omptape_plus(most - 1, 1) == most);
    assert_true(omptape_plus(most, 1) == most);
    assert_true(omptape_plus(UINT64_C(1) << 63, UINT64_C(1) << 63) == most);
    assert_true(omptape_times(UINT64_C(1) << 32, UINT64_C(1) << 32) == most);
    assert_int_equal(omptape_times(UINT64_C(1) << 31, 2), UINT64_C(1) << 32);
    omptape_add(&sum, 5);
    assert_true(sum == most);
    omptape_add_narrow(&narrow, 1);
    assert_int_equal(narrow, UINT32_MAX);
    omptape_add_narrow(&narrow, UINT32_MAX);
    assert_int_equal(narrow, UINT32_MAX);
}

static void differences_end_at_zero(void **state)
{
    (void)state;
    assert_int_equal(omptape_minus(5, 3), 2);
    assert_int_equal(omptape_minus(3, 5), 0);
    assert_int_equal(omptape_minus(0, most), 0);
}

static void numbers_are_compared(void **state)
{
    static const uint64_t less = 1;
    (void)state;
    assert_true(omptape_greater(most, 1) == most && omptape_greater(1, most) == most);
    assert_true(omptape_compare_whole(&less, &most) < 0);
    assert_true(omptape_compare_whole(&most, &less) > 0);
    assert_int_equal(omptape_compare_whole(&less, &less), 0);
}

static void means_and_fractions_fit(void **state)
{
    (void)state;
    assert_int_equal(omptape_mean(7, 2), 3);
    assert_int_equal(omptape_mean(7, 0), 0);
    assert_int_equal(omptape_whole(-1.0), 0);
    assert_int_equal(omptape_whole(NAN), 0);
    assert_true(omptape_whole(1e30) == most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_end_at_the_greatest_number),
        cmocka_unit_test(differences_end_at_zero),
        cmocka_unit_test(means_and_fractions_fit),
        cmocka_unit_test(numbers_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
