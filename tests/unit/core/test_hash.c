/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the hash tables, against plain arrays that do the same. Run by CTest as unit.hash.
 */
#include "src/core/hash.h"

#include "tests/unit/session_fixture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

enum { KEYS = 600 };

/* What the map should hold: values by place; 0: nothing. */
struct model {
    uint64_t keys[KEYS];
    uintptr_t values[KEYS];
    size_t count;
};

static void expect_equal(const struct omptape_hash *map, const struct model *model)
{
    assert_int_equal(map->count, model->count);
    for (size_t i = 0; i < KEYS; i++)
        assert_int_equal((uintptr_t)omptape_hash_get(map, model->keys[i]), model->values[i]);
    size_t stored = 0;
    for (size_t i = 0; i < map->capacity; i++)
        stored += map->entries[i].key != 0;
    assert_int_equal(stored, model->count);
}

/* Puts and takes at random, `rounds` times; compares all now and then. */
static void play(struct model *model, uint64_t seed, unsigned rounds)
{
    struct omptape_hash map = {.count = 0};
    uint64_t random = seed;
    for (unsigned round = 0; round < rounds; round++) {
        /* Mostly puts at first, then mostly takes, and so on: it grows and empties. */
        bool put = session_random(&random) % 8 < (round / 2000 % 2 == 0 ? 6U : 2U);
        size_t i = (size_t)(session_random(&random) % KEYS);
        if (put) {
            uintptr_t value = (uintptr_t)(session_random(&random) | 1);
            assert_int_equal(omptape_hash_put(&map, model->keys[i], (void *)value), 0);
            model->count += model->values[i] == 0;
            model->values[i] = value;
        } else {
            assert_int_equal((uintptr_t)omptape_hash_remove_key(&map, model->keys[i]), model->values[i]);
            model->count -= model->values[i] != 0;
            model->values[i] = 0;
        }
        if (round % 500 == 0)
            expect_equal(&map, model);
    }
    expect_equal(&map, model);
    omptape_hash_free(&map);
    assert_int_equal(map.count, 0);
}

static void test_random_keys(void **state)
{
    (void)state;
    static struct model model;
    uint64_t random = 7;
    for (size_t i = 0; i < KEYS; i++)
        model.keys[i] = session_random(&random);
    play(&model, 1, 40000);
}

/* Identities as the program makes them: few slots, numbers that count up. */
static void test_identities(void **state)
{
    (void)state;
    static struct model model;
    for (size_t i = 0; i < KEYS; i++)
        model.keys[i] = omptape_id((uint32_t)(i % 7), 1 + i / 7) | (i % 3 == 0 ? OMPTAPE_ID_IMPLICIT : 0);
    play(&model, 2, 40000);
}

/* Keys that all want the same place: what is taken out must not cut the others off. */
static void test_keys_in_one_place(void **state)
{
    (void)state;
    static struct model model;
    size_t found = 0;
    for (uint64_t key = 1; found < KEYS; key++) {
        /* As the map hashes: these bits choose the place in every table that these keys need. */
        if (((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & 0xfff) == 0xffd)
            model.keys[found++] = key;
    }
    play(&model, 3, 40000);
}

static void test_key_zero_is_never_stored(void **state)
{
    (void)state;
    int value;
    struct omptape_hash map = {.count = 0};
    assert_int_equal(omptape_hash_put(&map, 0, &value), -EINVAL);
    assert_null(omptape_hash_get(&map, 0));
    assert_null(omptape_hash_remove_key(&map, 0));
    assert_null(omptape_hash_get(&map, 1));
    assert_null(omptape_hash_remove_key(&map, 1));
    assert_int_equal(omptape_hash_put(&map, 1, &value), 0);
    assert_int_equal(omptape_hash_put(&map, 0, &value), -EINVAL);
    assert_null(omptape_hash_get(&map, 0));
    assert_null(omptape_hash_remove_key(&map, 0));
    assert_int_equal(map.count, 1);
    omptape_hash_free(&map);
}

static void test_extreme_keys(void **state)
{
    (void)state;
    static const uint64_t keys[] = {1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, UINT64_C(1) << 48};
    struct omptape_hash map = {.count = 0};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_int_equal(omptape_hash_put(&map, keys[i], (void *)(uintptr_t)(i + 1)), 0);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_int_equal((uintptr_t)omptape_hash_get(&map, keys[i]), i + 1);
    omptape_hash_free(&map);
}

static void test_add_keeps_what_is_there(void **state)
{
    (void)state;
    int one;
    int other;
    struct omptape_hash map = {.count = 0};
    assert_int_equal(omptape_hash_add(&map, 5, &one), 0);
    assert_int_equal(omptape_hash_add(&map, 5, &other), -EEXIST);
    assert_ptr_equal(omptape_hash_get(&map, 5), &one);
    assert_int_equal(map.count, 1);
    omptape_hash_free(&map);
}

/* Which numbers the key has, each once. */
static void expect_numbers(const struct omptape_hash *map, uint64_t key, const bool *there)
{
    bool found[KEYS] = {false};
    const struct omptape_hash_entry *entry = NULL;
    while ((entry = omptape_hash_next(map, key, entry)) != NULL) {
        assert_int_equal(entry->key, key);
        assert_in_range(entry->number, 0, KEYS - 1);
        assert_false(found[entry->number]);
        found[entry->number] = true;
    }
    assert_memory_equal(found, there, sizeof(found));
}

/* Three keys beside each other, one far away, in a table that grows and empties. */
static void test_several_entries_a_key(void **state)
{
    (void)state;
    enum { FEW = 4 };
    static const uint64_t keys[FEW] = {1, 2, 3, UINT64_MAX};
    static bool there[FEW][KEYS];
    struct omptape_hash map = {.count = 0};
    uint64_t random = 11;
    size_t count = 0;
    assert_int_equal(omptape_hash_join(&map, 0, 1), -EINVAL);
    for (unsigned round = 0; round < 8000; round++) {
        size_t k = (size_t)(session_random(&random) % FEW);
        size_t number = (size_t)(session_random(&random) % KEYS);
        if (!there[k][number]) {
            assert_int_equal(omptape_hash_join(&map, keys[k], number), 0);
        } else {
            struct omptape_hash_entry *entry = omptape_hash_next(&map, keys[k], NULL);
            while (entry->number != number)
                entry = omptape_hash_next(&map, keys[k], entry);
            omptape_hash_remove(&map, entry);
        }
        there[k][number] = !there[k][number];
        count += there[k][number] ? 1 : (size_t)-1;
        assert_int_equal(map.count, count);
        if (round % 200 == 0)
            for (size_t i = 0; i < FEW; i++)
                expect_numbers(&map, keys[i], there[i]);
    }
    omptape_hash_free(&map);
    assert_null(omptape_hash_next(&map, 1, NULL));
}

static void test_key_of_bytes(void **state)
{
    (void)state;
    unsigned char bytes[40] = {0};
    uint64_t before = 0;
    assert_int_equal(omptape_hash_key("text", 4), omptape_hash_key("text", 4));
    /* Zeros count, and so does each single byte. */
    for (size_t length = 0; length <= sizeof(bytes); length++) {
        uint64_t key = omptape_hash_key(bytes, length);
        assert_int_not_equal(key, 0);
        assert_int_not_equal(key, before);
        before = key;
    }
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = 128;
        assert_int_not_equal(omptape_hash_key(bytes, sizeof(bytes)), before);
        bytes[i] = 0;
    }
}

/* The longest row of entries that a search may have to go through. */
static size_t longest_run(const struct omptape_hash *hash)
{
    size_t longest = 0;
    size_t run = 0;
    for (size_t i = 0; i < 2 * hash->capacity; i++) {
        run = hash->entries[i & (hash->capacity - 1)].key != 0 ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* Numbers that count upwards in any part of the key, as threads do in the upper half of a location's. */
static void test_counting_keys_are_spread(void **state)
{
    enum { KEYS = 50000, LONGEST = 200 };
    (void)state;
    for (unsigned shift = 0; shift <= 40; shift += 4) {
        struct omptape_hash hash = {.count = 0};
        for (uint64_t i = 0; i < KEYS; i++)
            assert_int_equal(omptape_hash_join(&hash, (i << shift) + 1, i), 0);
        assert_true(longest_run(&hash) <= LONGEST);
        omptape_hash_free(&hash);
        struct omptape_pairs pairs = {.count = 0};
        for (uint64_t i = 0; i < KEYS; i++)
            assert_int_equal(omptape_pairs_put(&pairs, 6, i << shift, &pairs), 0);
        assert_true(longest_run(&pairs.index) <= LONGEST);
        omptape_pairs_free(&pairs);
    }
}

/* Pairs that share one of their numbers, put and taken at random. */
static void test_pairs(void **state)
{
    (void)state;
    enum { SIDE = 24 };
    static const char values[SIDE * SIDE];
    static void *expected[SIDE][SIDE];
    struct omptape_pairs pairs = {.count = 0};
    uint64_t random = 13;
    uint32_t count = 0;
    for (unsigned round = 0; round < 20000; round++) {
        uint64_t high = session_random(&random) % SIDE;
        uint64_t low = session_random(&random) % SIDE;
        void **known = &expected[high][low];
        if (session_random(&random) % 2 == 0) {
            void *value = (void *)(uintptr_t)&values[session_random(&random) % sizeof(values)];
            assert_int_equal(omptape_pairs_put(&pairs, high - 1, low, value), 0);
            count += *known == NULL;
            *known = value;
        } else {
            assert_ptr_equal(omptape_pairs_remove(&pairs, high - 1, low), *known);
            count -= *known != NULL;
            *known = NULL;
        }
        assert_int_equal(pairs.count, count);
        assert_int_equal(pairs.index.count, count);
        if (round % 500 == 0)
            for (uint64_t i = 0; i < SIDE; i++)
                for (uint64_t k = 0; k < SIDE; k++)
                    assert_ptr_equal(omptape_pairs_get(&pairs, i - 1, k), expected[i][k]);
    }
    for (uint32_t i = 0; i < pairs.count; i++)
        assert_ptr_equal(pairs.list[i].value, expected[pairs.list[i].high + 1][pairs.list[i].low]);
    omptape_pairs_free(&pairs);
    assert_null(omptape_pairs_get(&pairs, 1, 1));
    assert_null(omptape_pairs_remove(&pairs, 1, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_keys),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_keys_in_one_place),
        cmocka_unit_test(test_key_zero_is_never_stored),
        cmocka_unit_test(test_extreme_keys),
        cmocka_unit_test(test_add_keeps_what_is_there),
        cmocka_unit_test(test_several_entries_a_key),
        cmocka_unit_test(test_key_of_bytes),
        cmocka_unit_test(test_counting_keys_are_spread),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
