/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the host clock. Run by CTest as unit.clock.
 */
#include "src/core/clock.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const enum omptape_clock_kind kinds[] = {OMPTAPE_CLOCK_TSC, OMPTAPE_CLOCK_CNTVCT,
                                                OMPTAPE_CLOCK_MONOTONIC_RAW};

static int use_chosen(void **state)
{
    (void)state;
    omptape_clock_use(omptape_clock_choose());
    return 0;
}

static int use_raw(void **state)
{
    (void)state;
    omptape_clock_use(OMPTAPE_CLOCK_MONOTONIC_RAW);
    return 0;
}

static void test_every_clock_has_its_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        assert_string_not_equal(omptape_clock_name(kinds[i]), "unknown");
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(omptape_clock_name(kinds[i]), omptape_clock_name(kinds[k]));
    }
    assert_string_equal(omptape_clock_name((enum omptape_clock_kind)99), "unknown");
}

static void test_choice_fits_the_machine(void **state)
{
    (void)state;
    enum omptape_clock_kind chosen = omptape_clock_choose();
#if defined(__x86_64__)
    assert_int_not_equal(chosen, OMPTAPE_CLOCK_CNTVCT);
#elif defined(__aarch64__)
    assert_int_equal(chosen, OMPTAPE_CLOCK_CNTVCT);
#else
    assert_int_equal(chosen, OMPTAPE_CLOCK_MONOTONIC_RAW);
#endif
    assert_int_equal(omptape_clock_choose(), chosen);
}

static void test_time_never_goes_back(void **state)
{
    (void)state;
    uint64_t last = omptape_clock_now();
    uint64_t first = last;
    for (unsigned i = 0; i < 1000000; i++) {
        uint64_t now = omptape_clock_now();
        assert_true(now >= last);
        last = now;
    }
    assert_true(last > first);
}

/* Two threads pass a reading back and forth: each must find its own no earlier, but for the little that the
 * processor may read ahead. */
static _Atomic uint64_t passed;
static atomic_uint turn;
static atomic_uint violations;
enum { PASSES = 20000, READ_AHEAD_TICKS = 20000 };

static void *pass_readings(void *argument)
{
    unsigned me = *(const unsigned *)argument;
    for (unsigned i = 0; i < PASSES; i++) {
        while (atomic_load_explicit(&turn, memory_order_acquire) != me)
            sched_yield();
        uint64_t now = omptape_clock_now();
        if (now + READ_AHEAD_TICKS < atomic_load_explicit(&passed, memory_order_relaxed))
            atomic_fetch_add(&violations, 1);
        atomic_store_explicit(&passed, now, memory_order_relaxed);
        atomic_store_explicit(&turn, 1 - me, memory_order_release);
    }
    return NULL;
}

static void test_threads_agree_on_the_time(void **state)
{
    (void)state;
    unsigned numbers[2] = {0, 1};
    pthread_t threads[2];
    atomic_store(&passed, 0);
    atomic_store(&turn, 0);
    atomic_store(&violations, 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, pass_readings, &numbers[i]), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&violations), 0);
}

static void test_anchors_are_ordered(void **state)
{
    (void)state;
    struct omptape_clock_anchor last = {.ticks = omptape_clock_now(), .raw_ns = omptape_clock_raw_ns()};
    for (unsigned i = 0; i < 1000; i++) {
        struct omptape_clock_anchor anchor;
        omptape_clock_anchor(&anchor);
        assert_true(anchor.ticks >= last.ticks);
        assert_true(anchor.raw_ns >= last.raw_ns);
        last = anchor;
    }
    assert_true(last.ticks <= omptape_clock_now());
    assert_true(last.raw_ns <= omptape_clock_raw_ns());
}

static void test_anchor_is_one_moment(void **state)
{
    (void)state;
    struct omptape_clock_anchor anchor;
    struct timespec realtime;
    clock_gettime(CLOCK_REALTIME, &realtime);
    uint64_t before = (uint64_t)realtime.tv_sec * UINT64_C(1000000000) + (uint64_t)realtime.tv_nsec;
    omptape_clock_anchor(&anchor);
    /* Nobody sets the clock in between by more than this. */
    assert_in_range(anchor.realtime_ns, before - 1000000000, before + 10000000000);
    if (!omptape_clock_is_counter)
        assert_in_range(anchor.raw_ns, anchor.ticks - 100000000, anchor.ticks + 100000000);
}

/* Ticks a second, between two anchors some ms apart. */
static double measure_rate(void)
{
    struct omptape_clock_anchor begin;
    struct omptape_clock_anchor end;
    omptape_clock_anchor(&begin);
    usleep(50000); /* what is measured */
    omptape_clock_anchor(&end);
    assert_true(end.raw_ns - begin.raw_ns >= 50000000);
    return (double)(end.ticks - begin.ticks) * 1e9 / (double)(end.raw_ns - begin.raw_ns);
}

/* A reading in order comes after a chain of divisions that nobody waits for: at least ten cycles each. A
 * plain reading comes after some twenty ticks. */
static void test_readings_in_order_wait(void **state)
{
    (void)state;
#if defined(__x86_64__)
    enum { TRIES = 200, DIVISIONS = 50, MIN_NS = 40 };
    const uint64_t least = (uint64_t)((double)MIN_NS * 1e-9 * measure_rate());
    for (unsigned i = 0; i < TRIES; i++) {
        double value = 1.5 + i;
        const uint64_t before = omptape_clock_now_in_order();
        for (unsigned k = 0; k < DIVISIONS; k++)
            value = 3.7 / value;
        __asm__ volatile("" : "+x"(value)); /* not moved behind the reading */
        const uint64_t after = omptape_clock_now_in_order();
        assert_true(after - before >= least);
    }
#else
    skip();
#endif
}

static void test_rate_is_steady(void **state)
{
    (void)state;
    double first = measure_rate();
    double second = measure_rate();
    /* A counter is at least as fine as a microsecond; 50 ms with an error of 10 us at each end. */
    assert_true(first > 1e6 && first < 1e11);
    assert_true(second > first * 0.999 && second < first * 1.001);
    if (!omptape_clock_is_counter)
        assert_true(first > 0.999e9 && first < 1.001e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_clock_has_its_name),
        cmocka_unit_test(test_choice_fits_the_machine),
        cmocka_unit_test_setup(test_time_never_goes_back, use_chosen),
        cmocka_unit_test_setup(test_threads_agree_on_the_time, use_chosen),
        cmocka_unit_test_setup(test_anchors_are_ordered, use_chosen),
        cmocka_unit_test_setup(test_anchor_is_one_moment, use_chosen),
        cmocka_unit_test_setup(test_rate_is_steady, use_chosen),
        cmocka_unit_test_setup(test_readings_in_order_wait, use_chosen),
        cmocka_unit_test_setup(test_time_never_goes_back, use_raw),
        cmocka_unit_test_setup(test_threads_agree_on_the_time, use_raw),
        cmocka_unit_test_setup(test_anchors_are_ordered, use_raw),
        cmocka_unit_test_setup(test_anchor_is_one_moment, use_raw),
        cmocka_unit_test_setup(test_rate_is_steady, use_raw),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
