/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the translation of records that the program has damaged: too short, of impossible size, of
 * any content. Whatever comes, the writer goes on, reads no memory that is not there, and leaves an archive
 * that otf2-print takes. Run by CTest as unit.translate_damage, also under the address and
 * undefined-behaviour sanitizers.
 */
#include "tests/unit/translate/translate_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { REGION = 100 };

/* Fills the thread's chunk with records that nobody takes for anything, but for `rest` words. */
static void fill_up(struct omptape_slot *slot, size_t rest)
{
    size_t left;
    while ((left = (size_t)(slot->limit - slot->cursor)) > rest) {
        size_t words = left - rest == 3 ? 3 : OMPTAPE_RECORD_HEADER_WORDS;
        struct omptape_record *filler = omptape_producer_reserve(slot, words, OMPTAPE_NONE, 0, 0);
        assert_non_null(filler);
        omptape_producer_commit(slot, filler);
    }
    assert_int_equal(left, rest);
}

/* A thread whose last record ends where the mapping ends: who reads on behind it dies. */
static void put_last_record(enum omptape_kind kind, unsigned a, size_t words)
{
    struct omptape_slot *slot = session_new_thread();
    assert_int_equal(slot->chunk->number, translate.session.shm->chunk_count);
    /* The fork of a team, so that what looks ahead has a reason to. */
    struct omptape_record *record = omptape_producer_reserve(slot, 5, OMPTAPE_PARALLEL_BEGIN, 0, 2);
    record->p[0] = REGION;
    record->p[1] = 0;
    record->p[2] = 0;
    omptape_producer_commit(slot, record);
    fill_up(slot, words);
    record = omptape_producer_reserve(slot, words, kind, a, 0);
    for (size_t i = 0; i + OMPTAPE_RECORD_HEADER_WORDS < words; i++)
        record->p[i] = i == 0 ? REGION : 0x4141414141414141;
    omptape_producer_commit(slot, record);
    session_end_thread(slot);
    translate_pass();
    translate_pass();
    assert_null(session_stream(&translate.session, slot->index));
}

static void test_short_records_at_the_end_of_memory(void **state)
{
    (void)state;
    enum { MAX_WORDS = 9 };
    atomic_store(&translate.session.shm->fresh_chunks, translate.session.shm->chunk_count - 1);
    atomic_store(&translate.session.shm->live_threads, OMPTAPE_EXTRA_CHUNKS);
    translate.writer.forms_incomplete_teams = true;
    for (unsigned kind = 0; kind < OMPTAPE_KIND_COUNT; kind++) {
        for (size_t words = OMPTAPE_RECORD_HEADER_WORDS; words <= MAX_WORDS; words++) {
            put_last_record((enum omptape_kind)kind, omptape_pack_endpoint(1, ompt_scope_begin), words);
            if (words < 4)
                put_last_record((enum omptape_kind)kind, omptape_pack_endpoint(1, ompt_scope_end), words);
        }
    }
    /* As many dependences as seem to fit. */
    for (size_t words = 3; words < 30; words++)
        put_last_record(OMPTAPE_DEPENDENCES, (unsigned)((words - OMPTAPE_RECORD_HEADER_WORDS) * 8 / 9),
                        words);
    translate_finish_only(0);
    translate_expect_readable();
}

/* Looking ahead for members finds a record that is too short to be one, where the memory ends. */
static void test_short_member_at_the_end_of_memory(void **state)
{
    (void)state;
    put_initial_thread(10);
    put_fork(0, 20, REGION, 2);
    put_member(0, 21, REGION, 0, 2);
    atomic_store(&translate.session.shm->fresh_chunks, translate.session.shm->chunk_count - 1);
    atomic_store(&translate.session.shm->live_threads, OMPTAPE_EXTRA_CHUNKS);
    unsigned thread = translate_thread(10);
    struct omptape_slot *slot = translate.slots[thread];
    assert_int_equal(slot->chunk->number, translate.session.shm->chunk_count);
    while (slot->limit - slot->cursor > OMPTAPE_RECORD_MAX_WORDS + 2) {
        struct omptape_record *filler =
            omptape_producer_reserve(slot, OMPTAPE_RECORD_MAX_WORDS, OMPTAPE_NONE, 0, 0);
        assert_non_null(filler);
        omptape_producer_commit(slot, filler);
        translate_pass();
    }
    size_t rest = (size_t)(slot->limit - slot->cursor) - OMPTAPE_RECORD_HEADER_WORDS;
    struct omptape_record *filler = omptape_producer_reserve(slot, rest, OMPTAPE_NONE, 0, 0);
    assert_non_null(filler);
    omptape_producer_commit(slot, filler);
    translate_put(thread, 22, OMPTAPE_IMPLICIT_BEGIN, 0, 1, 0);
    assert_ptr_equal(slot->cursor, slot->limit);
    translate_pass();
    translate_finish_only(100);
    translate_expect_readable();
}

/* Sizes of teams that no machine has. */
static void test_enormous_teams(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0,          1,         2, UINT32_MAX - 1, UINT32_MAX, UINT64_C(1) << 40,
                                     UINT64_MAX, 0x7fffffff};
    static const uint32_t numbers[] = {0, 1, 2, 0x7fffffff, UINT32_MAX - 1, UINT32_MAX};
    uint64_t time = 20;
    uint64_t region = REGION;
    put_initial_thread(10);
    translate_thread(10);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
            put_fork(0, time, region, 2);
            put_member(0, time + 1, region, numbers[k], sizes[i]);
            put_member(1, time + 1, region, 1, 2);
            put_task(0, time + 2, region + 1, 0);
            put_task(1, time + 2, region + 2, 0);
            translate.writer.forms_incomplete_teams = true;
            translate_pass();
            put_member_end(1, time + 3, region);
            put_member_end(0, time + 3, region);
            put_join(0, time + 4, region);
            time += 10;
            region += 10;
        }
    }
    translate_finish_only(time);
    translate_expect_readable();
}

/* A record from the far future must not keep those behind it back, nor stretch the archive to the end of
 * time. */
static void test_times_of_the_far_future(void **state)
{
    (void)state;
    put_initial_thread(10);
    put_flush(0, UINT64_MAX);
    put_flush(0, UINT64_MAX - 1);
    put_flush(0, UINT64_MAX / 2);
    put_flush(0, 30);
    uint64_t before = omptape_clock_now();
    translate_pass();
    uint64_t after = omptape_clock_now();
    assert_int_equal(translate.writer.record_count, 5);
    assert_true(translate.writer.last_time >= before && translate.writer.last_time <= after);
    translate_finish_only(after);
    translate_expect_readable();
}

/* The next random record of a thread; see test_random_records. */
struct dice {
    uint64_t random;
    uint64_t time;
};

static uint64_t roll(struct dice *dice, uint64_t sides)
{
    return session_random(&dice->random) % sides;
}

/* Identities that meet again, and some that do not. */
static uint64_t roll_identity(struct dice *dice)
{
    uint64_t chance = roll(dice, 32);
    if (chance == 0)
        return session_random(&dice->random);
    uint64_t identity = roll(dice, 12);
    return chance < 8 ? identity | OMPTAPE_ID_IMPLICIT : identity;
}

static uint64_t roll_word(struct dice *dice)
{
    static const uint64_t words[] = {
        0,          1,          2,           3,          4,          SITE_PARALLEL,
        SITE_TASK,  SITE_LOCK,  UINT32_MAX,  UINT64_MAX, INT64_MAX,  UINT64_C(1) << 63,
        0xffffff00, 0x01010101, 0x7fff00000, 64,         0xffffffff, 255};
    uint64_t chance = roll(dice, 8);
    if (chance == 0)
        return session_random(&dice->random);
    if (chance < 4)
        return words[roll(dice, sizeof(words) / sizeof(words[0]))];
    return roll_identity(dice);
}

static uint64_t roll_time(struct dice *dice)
{
    uint64_t chance = roll(dice, 400);
    dice->time += roll(dice, 4);
    if (chance == 0)
        return session_random(&dice->random);
    if (chance < 10)
        return dice->time - roll(dice, dice->time < 1000 ? dice->time + 1 : 1000);
    return dice->time;
}

static void put_random_record(struct dice *dice, unsigned thread)
{
    uint64_t payload[OMPTAPE_RECORD_MAX_WORDS];
    unsigned kind =
        roll(dice, 20) == 0 ? (unsigned)roll(dice, 256) : (unsigned)(1 + roll(dice, OMPTAPE_KIND_COUNT - 1));
    unsigned words = (unsigned)(roll(dice, 50) == 0 ? roll(dice, 254) : roll(dice, 9));
    /* Mostly the forms that the callbacks give: a small value, begin or end. */
    unsigned a = roll(dice, 10) == 0
                     ? (unsigned)roll(dice, 65536)
                     : omptape_pack_endpoint((unsigned)roll(dice, 14), (unsigned)roll(dice, 4));
    if (kind == OMPTAPE_TASK_SCHEDULE || kind == OMPTAPE_CONTROL_TOOL || roll(dice, 4) == 0)
        a &= 0xff;
    /* Ends of the recording are rare, or there would be nothing behind them. */
    if (kind == OMPTAPE_CONTROL_TOOL && a == OMPTAPE_CONTROL_END && roll(dice, 500) != 0)
        a = OMPTAPE_CONTROL_START;
    if (kind == OMPTAPE_IMPLICIT_BEGIN && words < 2)
        words = 2;
    for (unsigned i = 0; i < words; i++)
        payload[i] = i == 0 ? roll_identity(dice) : roll_word(dice);
    /* Teams of some members. */
    if (kind == OMPTAPE_IMPLICIT_BEGIN && roll(dice, 4) != 0)
        payload[1] = 1 + roll(dice, 4);
    uint32_t b = roll(dice, 4) == 0 ? (uint32_t)session_random(&dice->random) : (uint32_t)roll(dice, 4);
    translate_put_words(thread, roll_time(dice), (enum omptape_kind)kind, a, b, words, payload);
}

/* Overwrites a word of what the thread has committed. */
static void scribble(struct dice *dice, unsigned thread)
{
    struct omptape_slot *slot = translate.slots[thread];
    uint64_t *records = (uint64_t *)(void *)slot->chunk->records;
    if (slot->cursor > records)
        records[roll(dice, (uint64_t)(slot->cursor - records))] = session_random(&dice->random);
}

enum { THREADS = 6, RECORDS = 5000, ROUNDS = 20 };

static void play_round(uint64_t seed)
{
    struct dice dice = {.random = seed, .time = 20};
    bool ended[TRANSLATE_THREADS] = {false};
    if (seed % 3 == 0)
        translate_choose("-task,-critical,-omp_set*,-barrier", 5, seed % 2 == 0);
    for (unsigned i = 0; i < THREADS; i++)
        translate_thread(10);
    for (unsigned i = 0; i < RECORDS; i++) {
        unsigned thread = (unsigned)roll(&dice, translate.threads);
        if (!ended[thread])
            put_random_record(&dice, thread);
        uint64_t chance = roll(&dice, 300);
        translate.writer.forms_incomplete_teams = roll(&dice, 2) == 0;
        if (chance < 6)
            translate_pass();
        else if (chance < 8 && seed % 2 == 0 && !ended[thread])
            scribble(&dice, thread);
        else if (chance == 8 && translate.threads < TRANSLATE_THREADS && !ended[thread]) {
            ended[thread] = true;
            translate_end_thread(thread);
            translate_thread(dice.time);
        }
    }
    translate_finish_only(dice.time);
    translate_expect_readable();
}

static void test_random_records(void **state)
{
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        if (round > 1)
            assert_int_equal(translate_open(state), 0);
        play_round(round * 7919);
        if (round < ROUNDS)
            assert_int_equal(translate_close(state), 0);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, translate_open, translate_close)
    const struct CMUnitTest tests[] = {
        TEST(short_records_at_the_end_of_memory),
        TEST(short_member_at_the_end_of_memory),
        TEST(enormous_teams),
        TEST(times_of_the_far_future),
        TEST(random_records),
    };
    return cmocka_run_group_tests_name("translate_damage", tests, NULL, NULL);
}
