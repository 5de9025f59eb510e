/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of CUDA's correlation ids in the writer: the newest are known, memory does not grow for ever.
 * Run by CTest as unit.correlations.
 */
#include "writers/devices/operations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MANY = 5 * OMPTAPE_MAX_CORRELATIONS / 2 };

static void newest_are_known(void **state)
{
    (void)state;
    struct omptape_correlations known = {.count = 0};
    size_t most = 0;
    for (uint64_t i = 1; i <= MANY; i++) {
        omptape_correlations_insert(&known, i, i + 7);
        if (i == OMPTAPE_MAX_CORRELATIONS)
            most = known.operations.capacity;
    }
    assert_int_equal(known.operations.count, OMPTAPE_MAX_CORRELATIONS);
    assert_int_equal(known.operations.capacity, most);
    assert_int_equal(known.capacity, OMPTAPE_MAX_CORRELATIONS);
    for (uint64_t i = 1; i <= MANY; i++)
        assert_int_equal(omptape_correlations_lookup(&known, i),
                         i > MANY - OMPTAPE_MAX_CORRELATIONS ? i + 7 : 0);
    omptape_correlations_free(&known);
}

static void last_explanation_counts(void **state)
{
    (void)state;
    struct omptape_correlations known = {.count = 0};
    omptape_correlations_insert(&known, 5, 70);
    omptape_correlations_insert(&known, 5, 71);
    assert_int_equal(omptape_correlations_lookup(&known, 5), 71);
    assert_int_equal(known.count, 1);
    omptape_correlations_free(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(newest_are_known),
                                       cmocka_unit_test(last_explanation_counts)};
    return cmocka_run_group_tests_name("correlations", tests, NULL, NULL);
}
