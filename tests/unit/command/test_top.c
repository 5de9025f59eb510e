/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what `omptape top` computes of two messages. Run by CTest as unit.top.
 */
#include "src/command/top/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { SECOND = 1000000000 };

/* The last second was computed. Then the kernel says that the thread slept in this second and half of the one
 * before, so that `blocked` gains more than the interval is long. */
static void moved_time_counts_once(void **state)
{
    const uint64_t before[OMPTAPE_BUCKET_COUNT] = {[OMPTAPE_BUCKET_COMPUTING] = 4U * (uint64_t)SECOND};
    const uint64_t now[OMPTAPE_BUCKET_COUNT] = {[OMPTAPE_BUCKET_COMPUTING] = 7U * (uint64_t)SECOND / 2,
                                                [OMPTAPE_BUCKET_BLOCKED] = 6U * (uint64_t)SECOND / 5,
                                                [OMPTAPE_BUCKET_LOCK] = 3U * (uint64_t)SECOND / 10};
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    (void)state;
    top_subtract(parts, now, before);
    assert_int_equal(parts[OMPTAPE_BUCKET_COMPUTING], 0);
    assert_int_equal(parts[OMPTAPE_BUCKET_BLOCKED], 4U * (uint64_t)SECOND / 5);
    assert_int_equal(parts[OMPTAPE_BUCKET_LOCK], SECOND / 5);
    top_subtract(parts, now, NULL);
    assert_int_equal(parts[OMPTAPE_BUCKET_COMPUTING], now[OMPTAPE_BUCKET_COMPUTING]);
    top_subtract(parts, before, now);
    assert_int_equal(parts[OMPTAPE_BUCKET_COMPUTING], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moved_time_counts_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
