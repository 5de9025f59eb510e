/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what makes definitions of several processes one: rows of unique content, and maps of
 * references. Run by CTest as unit.unify_table.
 */
#include "src/unify/model.h"
#include "src/unify/table.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 5000 };

/* Twice the same texts: the second time no row is added, and each has the number of the first. */
static void test_texts(void **state)
{
    struct omptape_unify_table table = {.rows = NULL};
    char text[32];
    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < ROWS; i++) {
            snprintf(text, sizeof(text), "text %u", (unsigned)i);
            assert_int_equal(omptape_unify_text(&table, text), i);
        }
    }
    assert_int_equal(table.count, ROWS);
    assert_false(table.failed);
    assert_string_equal(omptape_unify_text_at(&table, 4711), "text 4711");
    assert_string_equal(omptape_unify_text_at(&table, ROWS), "");
    assert_int_equal(omptape_unify_text(&table, ""), ROWS);
    omptape_unify_table_free(&table);
    assert_int_equal(table.count, 0);
}

/* Rows that begin alike, and rows without any word, are told apart by their length. */
static void test_words(void **state)
{
    const uint64_t words[] = {1, 2, 3};
    struct omptape_unify_table table = {.rows = NULL};
    (void)state;
    for (uint32_t count = 0; count < 4; count++)
        assert_int_equal(omptape_unify_words(&table, words, count), count);
    for (uint32_t count = 0; count < 4; count++) {
        assert_int_equal(omptape_unify_words(&table, words, count), count);
        assert_int_equal(omptape_unify_word_count(&table, count), count);
    }
    assert_int_equal(omptape_unify_words_at(&table, 3)[2], 3);
    omptape_unify_table_free(&table);
}

static void test_maps(void **state)
{
    const struct omptape_unify_part part = {.references = 2000};
    struct omptape_unify_map map = {.to = NULL};
    (void)state;
    assert_int_equal(omptape_unify_map_get(&map, 0), UINT64_MAX);
    assert_int_equal(omptape_unify_map_set(&part, &map, 1000, 7), 0);
    assert_int_equal(omptape_unify_map_set(&part, &map, 3, 1), 0);
    assert_int_equal(omptape_unify_map_get(&map, 1000), 7);
    assert_int_equal(omptape_unify_map_get(&map, 3), 1);
    assert_int_equal(omptape_unify_map_get(&map, 4), UINT64_MAX);
    assert_int_equal(omptape_unify_map_get(&map, 1001), UINT64_MAX);
    /* A damaged reference must not cost gigabytes. */
    assert_int_equal(omptape_unify_map_set(&part, &map, 2000, 1), -EINVAL);
    assert_int_equal(map.count, 1001);
    free(map.to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
