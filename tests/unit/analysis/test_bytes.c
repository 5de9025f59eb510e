/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers as bytes (src/analysis/reduce/byte_coding.h).
 */
#include "src/analysis/reduce/byte_coding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// clang-format off
#include <cmocka.h>
// clang-format on

static const uint64_t numbers[] = {0, 0, 1, 127, 128, 0, UINT64_C(1) << 32, UINT64_MAX, 0, 0, 0};
enum { COUNT = sizeof(numbers) / sizeof(numbers[0]) };

static struct omptape_bytes_rest rest_of(const struct omptape_bytes *bytes, size_t count)
{
    return (struct omptape_bytes_rest){.at = bytes->list, .end = bytes->list + count};
}

static void test_numbers(void **state)
{
    (void)state;
    struct omptape_bytes bytes = {.list = NULL};
    for (unsigned i = 0; i < COUNT; i++)
        omptape_bytes_put(&bytes, numbers[i]);
    assert_false(bytes.failed);
    struct omptape_bytes_rest rest = rest_of(&bytes, bytes.count);
    for (unsigned i = 0; i < COUNT; i++)
        assert_int_equal(omptape_bytes_take(&rest), numbers[i]);
    assert_true(!rest.bad && rest.at == rest.end);
    assert_int_equal(omptape_bytes_take(&rest), 0);
    assert_true(rest.bad);
    omptape_bytes_free(&bytes);
}

static void test_sparse(void **state)
{
    (void)state;
    struct omptape_bytes bytes = {.list = NULL};
    struct omptape_bytes_run run = {0};
    for (unsigned i = 0; i < COUNT; i++)
        omptape_bytes_put_sparse(&bytes, &run, numbers[i]);
    for (unsigned i = 0; i < 100000; i++)
        omptape_bytes_put_sparse(&bytes, &run, 0);
    omptape_bytes_end_sparse(&bytes, &run);
    assert_true(bytes.count < 40);
    struct omptape_bytes_rest rest = rest_of(&bytes, bytes.count);
    run = (struct omptape_bytes_run){0};
    for (unsigned i = 0; i < COUNT + 100000; i++)
        assert_int_equal(omptape_bytes_take_sparse(&rest, &run), i < COUNT ? numbers[i] : 0);
    assert_true(!rest.bad && rest.at == rest.end && run.zeros == 0);
    /* Cut anywhere it is bad, or shorter: never more than there is. */
    for (size_t cut = 0; cut < bytes.count; cut++) {
        rest = rest_of(&bytes, cut);
        run = (struct omptape_bytes_run){0};
        for (unsigned i = 0; i < 3 * COUNT && !rest.bad; i++)
            (void)omptape_bytes_take_sparse(&rest, &run);
        assert_true(rest.at <= rest.end);
    }
    omptape_bytes_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_sparse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
