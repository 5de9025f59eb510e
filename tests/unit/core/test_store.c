/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of arenas and of rows that are kept once. Run by CTest as unit.store.
 */
#include "src/core/array.h"
#include "src/core/store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_arena_gives_clear_and_aligned_memory(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 0, 7, 16, 100, 65536, 3, 200000, 5, 65530};
    static const unsigned char zeros[200000];
    struct omptape_arena arena = {.blocks = NULL};
    for (unsigned round = 0; round < 20; round++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            unsigned char *memory = omptape_arena_alloc(&arena, sizes[i]);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % 16, 0);
            assert_memory_equal(memory, zeros, sizes[i]);
            memset(memory, 0xA5, sizes[i]);
        }
    }
    assert_null(omptape_arena_alloc(&arena, SIZE_MAX));
    omptape_arena_free(&arena);
    assert_null(arena.blocks);
}

static void test_numbers_count_up_and_stay(void **state)
{
    (void)state;
    enum { TEXTS = 20000 };
    static const char *kept[TEXTS];
    struct omptape_rows rows = {.count = 0};
    char text[32];
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < TEXTS; i++) {
            snprintf(text, sizeof(text), "text %u", i);
            assert_int_equal(omptape_rows_text(&rows, text), i);
            if (round == 0)
                kept[i] = omptape_rows_text_at(&rows, i);
            assert_ptr_equal(omptape_rows_text_at(&rows, i), kept[i]);
            assert_string_equal(kept[i], text);
        }
    }
    assert_int_equal(rows.count, TEXTS);
    assert_string_equal(omptape_rows_text_at(&rows, TEXTS), "");
    assert_false(rows.failed);
    omptape_rows_free(&rows);
    assert_int_equal(rows.count, 0);
}

static void test_rows_of_any_bytes(void **state)
{
    (void)state;
    static const uint64_t words[] = {1, 0, 0, 1};
    struct omptape_rows rows = {.count = 0};
    assert_int_equal(omptape_rows_number(&rows, words, sizeof(words)), 0);
    assert_int_equal(omptape_rows_number(&rows, words, sizeof(words[0])), 1);
    assert_int_equal(omptape_rows_number(&rows, words + 1, sizeof(words[0])), 2);
    assert_int_equal(omptape_rows_number(&rows, words + 2, sizeof(words[0])), 2);
    assert_int_equal(omptape_rows_number(&rows, words + 3, sizeof(words[0])), 1);
    assert_int_equal(omptape_rows_number(&rows, NULL, 0), 3);
    assert_int_equal(omptape_rows_number(&rows, words, 0), 3);
    assert_int_equal(omptape_rows_number(&rows, words, sizeof(words)), 0);
    assert_int_equal(rows.list[0].bytes, sizeof(words));
    assert_memory_equal(rows.list[0].data, words, sizeof(words));
    omptape_rows_free(&rows);
}

/* Two words each: where the first ones differ, the second ones make up for it, as the key is mixed. */
static void find_equal_hashes(uint64_t one[2], uint64_t other[2])
{
    uint64_t keys[2];
    one[0] = 1;
    other[0] = 2;
    for (unsigned i = 0; i < 2; i++) {
        keys[i] = ((i == 0 ? one[0] : other[0]) ^ 2 * sizeof(uint64_t)) * UINT64_C(0x9e3779b97f4a7c15);
        keys[i] ^= keys[i] >> 32;
    }
    one[1] = 0;
    other[1] = keys[0] ^ keys[1];
    assert_int_equal(omptape_hash_key(one, 2 * sizeof(*one)), omptape_hash_key(other, 2 * sizeof(*other)));
}

static void test_equal_hashes_are_told_apart(void **state)
{
    (void)state;
    uint64_t one[2];
    uint64_t other[2];
    find_equal_hashes(one, other);
    struct omptape_rows rows = {.count = 0};
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(omptape_rows_number(&rows, one, sizeof(one)), 0);
        assert_int_equal(omptape_rows_number(&rows, other, sizeof(other)), 1);
    }
    assert_memory_equal(rows.list[0].data, one, sizeof(one));
    assert_memory_equal(rows.list[1].data, other, sizeof(other));
    omptape_rows_free(&rows);
}

static void test_texts_by_address(void **state)
{
    (void)state;
    struct omptape_rows rows = {.count = 0};
    char text[] = "abcdef";
    const char *kept = omptape_rows_keep(&rows, text, 3);
    assert_string_equal(kept, "abc");
    memset(text, 'x', sizeof(text) - 1);
    assert_string_equal(kept, "abc");
    assert_ptr_equal(omptape_rows_keep(&rows, "abcd", 3), kept);
    assert_ptr_not_equal(omptape_rows_keep(&rows, "abc", 2), kept);
    assert_string_equal(omptape_rows_keep(&rows, "", 0), "");
    uint32_t count = rows.count;
    assert_int_equal(omptape_rows_find(&rows, "ab", 2), 1);
    assert_int_equal(omptape_rows_find(&rows, "b", 1), UINT32_MAX);
    assert_int_equal(rows.count, count);
    omptape_rows_free(&rows);
}

/* An allocation that fails is noted by whatever asked for it. */
static void test_lacks_of_memory_are_noted(void **state)
{
    (void)state;
    struct omptape_arena arena = {.blocks = NULL};
    struct omptape_pairs pairs = {.count = 0};
    uint32_t capacity = 0;
    omptape_out_of_memory = false;
    void *list = omptape_array_grow(NULL, 1, &capacity, 1);
    assert_non_null(list);
    assert_non_null(omptape_pairs_obtain(&pairs, &arena, 1, 2, 8));
    assert_false(omptape_out_of_memory);
    assert_null(omptape_array_grow(list, 2, &capacity, SIZE_MAX));
    assert_true(omptape_out_of_memory);
    omptape_out_of_memory = false;
    assert_null(omptape_pairs_obtain(&pairs, &arena, 1, 3, SIZE_MAX));
    assert_true(omptape_out_of_memory);
    omptape_out_of_memory = false;
    assert_null(omptape_calloc(SIZE_MAX, 2));
    assert_true(omptape_out_of_memory);
    omptape_out_of_memory = false;
    assert_int_equal(omptape_pairs_put(&(struct omptape_pairs){.count = UINT32_MAX}, 1, 2, &arena), -ENOMEM);
    assert_true(omptape_out_of_memory);
    omptape_out_of_memory = false;
    assert_null(omptape_rows_keep(&(struct omptape_rows){.count = UINT32_MAX}, "a", 1));
    assert_true(omptape_out_of_memory);
    omptape_out_of_memory = false;
    free(list);
    omptape_pairs_free(&pairs);
    omptape_arena_free(&arena);
}

static void test_items_may_read_the_count(void **state)
{
    (void)state;
    uint32_t *list = NULL;
    uint32_t count = 0;
    uint32_t capacity = 0;
    while (count < 3)
        assert_true(OMPTAPE_APPEND(list, count, capacity, count));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(list[i], i);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lacks_of_memory_are_noted),
        cmocka_unit_test(test_arena_gives_clear_and_aligned_memory),
        cmocka_unit_test(test_numbers_count_up_and_stay),
        cmocka_unit_test(test_rows_of_any_bytes),
        cmocka_unit_test(test_equal_hashes_are_told_apart),
        cmocka_unit_test(test_texts_by_address),
        cmocka_unit_test(test_items_may_read_the_count),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
