/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the writer's hash map, against a plain array that does the same. Run by CTest as unit.idmap.
 */
#include "writers/model/idmap.h"

#include "tests/unit/session_fixture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { KEYS = 600 };

/* What the map should hold: values by place; 0: nothing. */
struct model {
    uint64_t keys[KEYS];
    uintptr_t values[KEYS];
    size_t count;
};

static void expect_equal(const struct omptape_idmap *map, const struct model *model)
{
    assert_int_equal(map->count, model->count);
    for (size_t i = 0; i < KEYS; i++)
        assert_int_equal((uintptr_t)omptape_idmap_get(map, model->keys[i]), model->values[i]);
    size_t stored = 0;
    for (size_t i = 0; i < map->capacity; i++)
        stored += map->entries[i].key != 0;
    assert_int_equal(stored, model->count);
}

/* Puts and takes at random, `rounds` times; compares all now and then. */
static void play(struct model *model, uint64_t seed, unsigned rounds)
{
    struct omptape_idmap map = {.count = 0};
    uint64_t random = seed;
    for (unsigned round = 0; round < rounds; round++) {
        /* Mostly puts at first, then mostly takes, and so on: it grows and empties. */
        bool put = session_random(&random) % 8 < (round / 2000 % 2 == 0 ? 6U : 2U);
        size_t i = (size_t)(session_random(&random) % KEYS);
        if (put) {
            uintptr_t value = (uintptr_t)(session_random(&random) | 1);
            assert_int_equal(omptape_idmap_put(&map, model->keys[i], (void *)value), 0);
            model->count += model->values[i] == 0;
            model->values[i] = value;
        } else {
            assert_int_equal((uintptr_t)omptape_idmap_take(&map, model->keys[i]), model->values[i]);
            model->count -= model->values[i] != 0;
            model->values[i] = 0;
        }
        if (round % 500 == 0)
            expect_equal(&map, model);
    }
    expect_equal(&map, model);
    omptape_idmap_free(&map);
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
    struct omptape_idmap map = {.count = 0};
    assert_int_equal(omptape_idmap_put(&map, 0, &value), -EINVAL);
    assert_null(omptape_idmap_get(&map, 0));
    assert_null(omptape_idmap_take(&map, 0));
    assert_null(omptape_idmap_get(&map, 1));
    assert_null(omptape_idmap_take(&map, 1));
    assert_int_equal(omptape_idmap_put(&map, 1, &value), 0);
    assert_int_equal(omptape_idmap_put(&map, 0, &value), -EINVAL);
    assert_null(omptape_idmap_get(&map, 0));
    assert_null(omptape_idmap_take(&map, 0));
    assert_int_equal(map.count, 1);
    omptape_idmap_free(&map);
}

static void test_extreme_keys(void **state)
{
    (void)state;
    static const uint64_t keys[] = {1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, UINT64_C(1) << 48};
    struct omptape_idmap map = {.count = 0};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_int_equal(omptape_idmap_put(&map, keys[i], (void *)(uintptr_t)(i + 1)), 0);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_int_equal((uintptr_t)omptape_idmap_get(&map, keys[i]), i + 1);
    omptape_idmap_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_keys),       cmocka_unit_test(test_identities),
        cmocka_unit_test(test_keys_in_one_place), cmocka_unit_test(test_key_zero_is_never_stored),
        cmocka_unit_test(test_extreme_keys),
    };
    return cmocka_run_group_tests_name("idmap", tests, NULL, NULL);
}
