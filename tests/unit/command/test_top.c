/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what `omptape top` computes of two messages. Run by CTest as unit.top.
 */
#include "src/command/top/interval.c" /* their own names: make_others, */
#include "src/command/top/writers.c"  /* ...read_some */

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

/* A thread that OpenMP does not know counts from its begin; another one has the number of a former thread. */
static void others_are_known_by_their_begin(void **state)
{
    struct omptape_message_thread old[] = {{.tid = 3, .begin = 10, .computing = 100, .blocked = 50},
                                           {.tid = 5, .begin = 10, .computing = 100}};
    struct omptape_message_thread new[] = {{.tid = 3, .begin = 10, .computing = 140, .blocked = 90},
                                           {.tid = 4, .begin = 200, .runnable = 7},
                                           {.tid = 5, .begin = 210, .computing = 150}};
    const struct omptape_message before = {.others = old, .other_count = 2};
    const struct omptape_message now = {.others = new, .other_count = 3};
    struct top_interval interval = {.wall = 0};
    (void)state;
    assert_int_equal(make_others(&interval, &before, &now), 0);
    assert_int_equal(interval.other_count, 3);
    assert_int_equal(interval.others[0].parts[OMPTAPE_BUCKET_COMPUTING], 40);
    assert_int_equal(interval.others[0].parts[OMPTAPE_BUCKET_BLOCKED], 40);
    assert_int_equal(interval.others[1].parts[OMPTAPE_BUCKET_RUNNABLE], 7);
    assert_int_equal(interval.others[2].parts[OMPTAPE_BUCKET_COMPUTING], 150);
    top_interval_free(&interval);
}

/* An answer of another user's writer ends at its limit; an answer of nothing readable changes the state. */
static void no_answer_is_too_long(void **state)
{
    static const char piece[1 << 14];
    int ends[2];
    struct top_process process = {.accepted = true, .call = {.user = geteuid() + 1, .other = -1}};
    (void)state;
    assert_int_equal(pipe(ends), 0);
    process.call.fd = ends[0];
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    size_t sent = 0;
    do {
        assert_true(sent <= MAX_ANSWER_BYTES_OF_OTHERS + 2 * sizeof(piece));
        assert_int_equal(write(ends[1], piece, sizeof(piece)), sizeof(piece));
        sent += sizeof(piece);
    } while (read_some(&process));
    assert_in_range(sent, MAX_ANSWER_BYTES_OF_OTHERS, MAX_ANSWER_BYTES_OF_OTHERS + sizeof(piece));
    take_message(&process);
    assert_int_equal(process.state, TOP_UNREADABLE);
    end_call(&process);
    (void)close(ends[1]);
    free(process.bytes);
}

/* A search of a busy node's processes takes more time, and there is one in time all the same. */
static void searches_are_frequent(void **state)
{
    (void)state;
    assert_int_equal(search_period(0), 5U * (uint64_t)SECOND);
    assert_int_equal(search_period(SECOND / 400), 5U * (uint64_t)SECOND);
    assert_int_equal(search_period(SECOND / 80), 25U * (uint64_t)SECOND / 4);
    assert_int_equal(search_period(SECOND), 10U * (uint64_t)SECOND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_time_counts_once), cmocka_unit_test(others_are_known_by_their_begin),
        cmocka_unit_test(no_answer_is_too_long), cmocka_unit_test(searches_are_frequent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
