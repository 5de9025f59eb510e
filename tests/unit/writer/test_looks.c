/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit test of whose turn it is to be looked at while looks are limited. Run by CTest as unit.looks.
 */
#include "writers/observe/observe.c" /* its own name: take_turn */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 5, ROUNDS = 20 };

/* The time for looks is enough for two threads at a time. */
static void each_thread_has_its_turn(void **state)
{
    struct omptape_observer observer = {.begin = 1};
    unsigned looks[THREADS] = {0};
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        observer.details_ns = details_at_start_ns - 2;
        for (uint32_t i = 0; i < THREADS; i++)
            if (take_turn(&observer, i, observer.begin)) {
                looks[i]++;
                observer.details_ns++;
            }
    }
    for (uint32_t i = 0; i < THREADS; i++)
        assert_in_range(looks[i], ROUNDS / 3, ROUNDS / 3 + 1);
}

/* A thread that has ended keeps nobody waiting. */
static void a_turn_is_not_kept_for_the_dead(void **state)
{
    struct omptape_observer observer = {.begin = 1, .details_ns = details_at_start_ns};
    (void)state;
    assert_false(take_turn(&observer, 1, observer.begin));
    observer.details_ns = 0;
    assert_false(take_turn(&observer, 2, observer.begin));
    skip_turn(&observer, 1);
    assert_true(take_turn(&observer, 2, observer.begin));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_has_its_turn),
        cmocka_unit_test(a_turn_is_not_kept_for_the_dead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
