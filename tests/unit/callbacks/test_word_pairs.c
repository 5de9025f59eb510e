/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the words of two tools. Run by CTest as unit.word_pairs.
 */
#include "callbacks/second/word_pairs.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 20000, OPEN = 64 };

static void test_pair(void **state)
{
    ompt_data_t word = ompt_data_none;
    ompt_data_t copy;
    const uint64_t before = omptape_word_pairs_in_use();
    (void)state;
    assert_null(omptape_word_pair_of(NULL));
    assert_null(omptape_word_pair_begin(NULL));
    struct omptape_word_pair *pair = omptape_word_pair_of(&word);
    assert_int_equal(pair->ours.value, 0);
    assert_int_equal(pair->theirs.value, 0);
    pair->theirs.value = 5;
    copy = word; /* as runtimes do */
    assert_ptr_equal(omptape_word_pair_of(&copy), pair);
    assert_int_equal(omptape_word_pairs_in_use(), before + 1);
    omptape_word_pair_end(&word);
    omptape_word_pair_end(&copy);
    assert_int_equal(omptape_word_pairs_in_use(), before);
    /* What has just ended can still be read. */
    ompt_data_t other = ompt_data_none;
    for (int i = 0; i < OPEN / 2; i++) {
        assert_ptr_not_equal(omptape_word_pair_begin(&other), pair);
        omptape_word_pair_end(&other);
    }
    assert_int_equal(omptape_word_pair_of(&word)->theirs.value, 5);
}

/* One thread begins what the others end: neither loses its word, and the memory stays bounded. */
static _Atomic(void *) handed[OPEN];
static atomic_uint wrong;

static void *end_words(void *argument)
{
    atomic_bool *over = argument;
    while (!atomic_load(over)) {
        for (int i = 0; i < OPEN; i++) {
            ompt_data_t word = {.ptr = atomic_exchange(&handed[i], NULL)};
            if (word.ptr == NULL)
                continue;
            const struct omptape_word_pair *pair = omptape_word_pair_of(&word);
            if (pair->ours.value + 1 != pair->theirs.value)
                atomic_fetch_add(&wrong, 1);
            omptape_word_pair_end(&word);
        }
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[THREADS];
    static atomic_bool over;
    uint64_t most = 0;
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, end_words, &over), 0);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        ompt_data_t word = ompt_data_none;
        ompt_data_t unseen;
        struct omptape_word_pair *pair = omptape_word_pair_begin(&word);
        pair->ours.value = i;
        pair->theirs.value = i + 1;
        unseen.ptr = atomic_exchange(&handed[i % OPEN], word.ptr);
        omptape_word_pair_end(&unseen);
        if (pair->index > most)
            most = pair->index;
    }
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
    assert_true(most <= 4 * 4096);
}

static void test_identities(void **state)
{
    (void)state;
    assert_null(omptape_word_find(0));
    assert_null(omptape_word_find(7));
    for (uint64_t id = 1; id <= 1000; id++)
        omptape_word_add(id)->value = id * 3;
    for (uint64_t id = 1; id <= 1000; id += 2)
        omptape_word_remove(id);
    for (uint64_t id = 1; id <= 1000; id++) {
        const ompt_data_t *word = omptape_word_find(id);
        if (id % 2 == 1)
            assert_null(word);
        else
            assert_int_equal(word->value, id * 3);
    }
    for (uint64_t id = 5000; id < 10000; id++) { /* removed entries are taken again */
        assert_int_equal(omptape_word_add(id)->value, 0);
        assert_non_null(omptape_word_find(id));
        omptape_word_remove(id);
    }
    for (uint64_t id = 2; id <= 1000; id += 2)
        omptape_word_remove(id);
}

/* Records of devices name constructs that have ended. */
static void test_ended_identities(void **state)
{
    (void)state;
    omptape_word_add(20000)->value = 1;
    omptape_word_remove(20000);
    assert_int_equal(omptape_word_value(20000), 0);
    omptape_word_keep_removed();
    for (uint64_t id = 20001; id <= 24000; id++) {
        omptape_word_add(id)->value = id * 3;
        assert_int_equal(omptape_word_value(id), id * 3);
        omptape_word_remove(id);
    }
    for (uint64_t id = 20001; id <= 24000; id++)
        assert_int_equal(omptape_word_value(id), id * 3);
    ompt_data_t word = ompt_data_none;
    omptape_word_pair_of(&word)->theirs.value = 11;
    assert_int_equal(omptape_word_theirs(word.value), 11);
    assert_int_equal(omptape_word_theirs(word.value + 8), word.value + 8);
    omptape_word_pair_end(&word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pair), cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_identities),
                                       cmocka_unit_test(test_ended_identities)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
