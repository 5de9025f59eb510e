/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the clocks of several processes: who shares a counter, how others are corrected, what
 * measured offsets change, and that time never goes back. Run by CTest as unit.unify_clocks.
 */
#include "src/unify/clocks/clocks.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const uint64_t giga = UINT64_C(1000000000);
static const uint64_t epoch = UINT64_C(1700000000000000000);
static const struct omptape_unify_offsets no_offsets = {.count = 0};

enum { MAX_CLOCKS = 8 };

struct scene {
    struct omptape_unify_clock clocks[MAX_CLOCKS];
    struct omptape_unify_clock *list[MAX_CLOCKS];
    uint32_t count;
    char who[MAX_CLOCKS][32]; /* its clock was compared with */
    struct omptape_unify_conversion conversion;
};

/* A process on `host` whose counter had `base` at the epoch and makes `rate` ticks in a second; it began
 * after `begin` seconds and ran for `length`. */
static struct omptape_unify_clock *add(struct scene *scene, const char *host, uint64_t base, double rate,
                                       double begin, double length)
{
    struct omptape_unify_clock *clock = &scene->clocks[scene->count];
    uint64_t first = base + (uint64_t)(begin * rate);
    uint64_t last = base + (uint64_t)((begin + length) * rate);
    *clock = (struct omptape_unify_clock){
        .host = host,
        .kind = "tsc",
        .rank = -1,
        .resolution = (uint64_t)rate,
        .first = first,
        .last = last,
        .start = {first, epoch + (uint64_t)(begin * 1e9)},
        .end = {last, epoch + (uint64_t)((begin + length) * 1e9)},
    };
    scene->list[scene->count++] = clock;
    return clock;
}

static void date(struct scene *scene, const struct omptape_unify_offsets *offsets)
{
    assert_int_equal(omptape_unify_convert_clocks(&scene->conversion, scene->list, scene->count, offsets), 0);
}

static uint64_t time_of(const struct scene *scene, uint32_t process, uint64_t ticks)
{
    return omptape_unify_corrected(&scene->conversion.domains[scene->clocks[process].domain].corrections,
                                   ticks);
}

/* Within a microsecond of two gigahertz. */
static void assert_near(uint64_t found, uint64_t expected)
{
    uint64_t distance = found > expected ? found - expected : expected - found;
    if (distance > 2000)
        fail_msg("%llu is not %llu", (unsigned long long)found, (unsigned long long)expected);
}

static void test_one_host(void **state)
{
    struct scene scene = {.count = 0};
    (void)state;
    add(&scene, "a", giga, 2e9, 5, 10);
    /* Measured a little differently: the one that ran longest is right. */
    add(&scene, "a", giga, 2e9, 0, 1000)->resolution = 2 * giga + 777;
    add(&scene, "a", giga, 2e9, 5, 1)->resolution = 2 * giga - 900000;
    date(&scene, &no_offsets);
    assert_int_equal(scene.conversion.domain_count, 1);
    assert_int_equal(scene.conversion.domains[0].corrections.count, 0);
    assert_int_equal(scene.conversion.resolution, 2 * giga + 777);
    assert_int_equal(scene.conversion.first, giga);
    assert_int_equal(scene.conversion.last, giga + 2000 * giga);
    assert_int_equal(scene.conversion.realtime, epoch);
    assert_int_equal(time_of(&scene, 1, 4711), 4711);
    omptape_unify_conversion_free(&scene.conversion);
}

static void test_domains(void **state)
{
    struct scene scene = {.count = 0};
    (void)state;
    add(&scene, "a", 0, 2e9, 1, 10);
    add(&scene, "b", 0, 2e9, 1, 10);
    add(&scene, "a", 0, 1e9, 1, 10)->kind = "monotonic_raw";
    /* The machine was started anew in between. */
    add(&scene, "a", 0, 2e9, 100, 10)->start.realtime += 3600 * giga;
    /* Its wall clock was set by three seconds. */
    add(&scene, "a", 0, 2e9, 50, 10)->start.realtime += 3 * giga;
    /* Nobody knows where these ran. */
    add(&scene, "", 0, 2e9, 1, 10);
    add(&scene, "", 0, 2e9, 1, 10);
    date(&scene, &no_offsets);
    const uint32_t expected[] = {0, 1, 2, 3, 0, 4, 5};
    for (uint32_t i = 0; i < scene.count; i++)
        assert_int_equal(scene.clocks[i].domain, expected[i]);
    omptape_unify_conversion_free(&scene.conversion);
}

/* A host whose counter started elsewhere and runs 50 millionths faster than its resolution says: at both ends
 * of a long run, and in the middle, its times are right to the microsecond. */
static void test_two_hosts(void **state)
{
    struct scene scene = {.count = 0};
    const double rate = 1e9 * (1 + 50e-6);
    (void)state;
    add(&scene, "a", 1000 * giga, 2e9, 0, 36000);
    add(&scene, "b", 7 * giga, rate, 10, 35000)->resolution = giga;
    scene.clocks[1].error = 500000;
    date(&scene, &no_offsets);
    for (double at = 10; at <= 35010; at += 5000)
        assert_near(time_of(&scene, 1, 7 * giga + (uint64_t)(at * rate)), 1000 * giga + (uint64_t)(at * 2e9));
    const struct omptape_unify_corrections *corrections = &scene.conversion.domains[1].corrections;
    assert_int_equal(corrections->count, 2);
    assert_int_equal(corrections->list[0].ticks, scene.clocks[1].first);
    assert_int_equal(corrections->list[1].ticks, scene.clocks[1].last);
    assert_true(corrections->list[0].deviation > 999999 && corrections->list[0].deviation < 1000001);
    omptape_unify_conversion_free(&scene.conversion);
}

/* The second host's counter is finer, as little as that may be: what is a tick apart anywhere stays apart. */
static void test_ticks_stay_apart(void **state)
{
    const double rates[] = {2e9 * (1 + 1e-6), 2e9 * 1.5};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct scene scene = {.count = 0};
        add(&scene, "a", 1000 * giga, 2e9, 0, 100);
        add(&scene, "b", 7 * giga, rates[i], 1, 100);
        date(&scene, &no_offsets);
        assert_int_equal(scene.clocks[1].domain, 0);
        assert_int_equal(scene.conversion.resolution, (uint64_t)rates[i]);
        for (uint64_t tick = 1; tick < 3000000; tick++)
            for (uint32_t process = 0; process < 2; process++) {
                uint64_t first = scene.clocks[process].first;
                if (time_of(&scene, process, first + tick) <= time_of(&scene, process, first + tick - 1))
                    fail_msg("process %u: tick %llu", process, (unsigned long long)tick);
            }
        omptape_unify_conversion_free(&scene.conversion);
    }
}

/* Over a short time the anchors' scatter must not bend the rate; a wall clock that was set must not either.
 */
static void test_bad_anchors(void **state)
{
    struct scene scene = {.count = 0};
    (void)state;
    add(&scene, "a", 0, 2e9, 1, 100);
    add(&scene, "b", 0, 2e9, 1, 0.001)->end.realtime += 500000;
    add(&scene, "c", 0, 2e9, 1, 50)->end.realtime += 600 * giga;
    add(&scene, "d", 0, 2e9, 1, 50)->end.realtime = 0;
    date(&scene, &no_offsets);
    for (uint32_t i = 1; i < scene.count; i++) {
        assert_near(time_of(&scene, i, scene.clocks[i].first), 2 * giga);
        assert_near(time_of(&scene, i, scene.clocks[i].last), scene.clocks[i].last);
    }
    omptape_unify_conversion_free(&scene.conversion);
}

/* The reference was started after the others began: no time may be negative. */
static void test_early(void **state)
{
    struct scene scene = {.count = 0};
    (void)state;
    add(&scene, "a", 0, 2e9, 0, 10);
    struct omptape_unify_clock *early = add(&scene, "b", 500 * giga, 2e9, 0, 110);
    early->start.realtime -= 100 * giga;
    early->end.realtime -= 100 * giga;
    date(&scene, &no_offsets);
    assert_near(time_of(&scene, 1, early->first), 0);
    assert_near(time_of(&scene, 0, scene.clocks[0].first), 200 * giga);
    assert_near(scene.conversion.last, 220 * giga);
    /* One correction alone is passed over by libotf2. */
    assert_int_equal(scene.conversion.domains[0].corrections.count, 2);
    omptape_unify_conversion_free(&scene.conversion);
}

static struct omptape_unify_offsets read_text(const char *text, int expected)
{
    char path[] = "/tmp/omptape-test-offsets-XXXXXX";
    char error[512] = "";
    struct omptape_unify_offsets offsets;
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    assert_int_equal(omptape_unify_offsets_read(&offsets, path, error, sizeof(error)), expected);
    assert_int_equal(error[0] != '\0', expected != 0);
    unlink(path);
    return offsets;
}

static void test_file(void **state)
{
    static const char *const wrong[] = {"a 1\n",      "a 1 2 3\n",  "a x 2\n",   "a 1 x\n",
                                        "a 1e30 1\n", "a 1 1e30\n", "a nan 1\n", "ok 1 1\na\n"};
    size_t count = 0;
    char error[64];
    struct omptape_unify_offsets offsets =
        read_text("# comment\n\nb 1700000000.123456789 -5\n3\t10 7 # rank\r\nb 1600000000 1.5e3\n", 0);
    (void)state;
    assert_int_equal(offsets.count, 3);
    const struct omptape_unify_offset *of_b = omptape_unify_offsets_of(&offsets, "b", 1, &count);
    assert_int_equal(count, 2);
    assert_int_equal(of_b[0].value, 1500);
    assert_int_equal(of_b[1].time, INT64_C(1700000000123456789));
    assert_int_equal(omptape_unify_offsets_of(&offsets, "b", 3, &count)->value, 7);
    assert_int_equal(count, 1);
    assert_null(omptape_unify_offsets_of(&offsets, "3", -1, &count));
    assert_int_equal(count, 0);
    omptape_unify_offsets_free(&offsets);
    /* However a rank is written, its lines are together. */
    offsets = read_text("07 1600000000 1\n10 1600000000 2\n7 1700000000 3\n", 0);
    of_b = omptape_unify_offsets_of(&offsets, "b", 7, &count);
    assert_int_equal(count, 2);
    assert_int_equal(of_b[1].value, 3);
    omptape_unify_offsets_free(&offsets);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        offsets = read_text(wrong[i], -EINVAL);
        omptape_unify_offsets_free(&offsets);
    }
    assert_int_equal(omptape_unify_offsets_read(&offsets, "/nowhere/at/all", error, sizeof(error)), -ENOENT);
}

static void test_interpolation(void **state)
{
    const struct omptape_unify_offset list[] = {
        {NULL, 100, 10}, {NULL, 200, 30}, {NULL, 300, 30}, {NULL, 400, -30}};
    (void)state;
    assert_int_equal(omptape_unify_offset_at(list, 0, 150), 0);
    assert_int_equal(omptape_unify_offset_at(list, 2, 50), 10);
    assert_int_equal(omptape_unify_offset_at(list, 2, 150), 20);
    assert_int_equal(omptape_unify_offset_at(list, 2, 250), 30);
    assert_int_equal(omptape_unify_offset_at(list, 4, 200), 30);
    assert_int_equal(omptape_unify_offset_at(list, 4, 300), 30);
    assert_int_equal(omptape_unify_offset_at(list, 4, 350), 0);
    assert_int_equal(omptape_unify_offset_at(list, 4, 450), -30);
}

/* Wall clocks that are wrong by what was measured: the reference's, too. */
static void test_measured(void **state)
{
    struct scene scene = {.count = 0};
    (void)state;
    struct omptape_unify_offsets offsets =
        read_text("a 1700000000 3000000\nb 1700000050 -1000000\nb 1700000060 -2000000\n", 0);
    add(&scene, "a", 0, 2e9, 1, 100);
    add(&scene, "b", 0, 2e9, 1, 100);
    date(&scene, &offsets);
    /* 4 ms early until the first measurement, 5 after the second. */
    assert_near(time_of(&scene, 1, 20 * giga), 20 * giga - 8000000);
    assert_near(time_of(&scene, 1, 110 * giga), 110 * giga - 9000000);
    assert_near(time_of(&scene, 1, 180 * giga), 180 * giga - 10000000);
    omptape_unify_conversion_free(&scene.conversion);
    omptape_unify_offsets_free(&offsets);
}

/* Measurements that contradict each other: time still only goes on, and can be undone. */
static void test_monotone(void **state)
{
    struct scene scene = {.count = 0};
    (void)state;
    struct omptape_unify_offsets offsets =
        read_text("b 1700000010 5e9\nb 1700000011 -5e9\nb 1700000012 6e9\nb 1700000013 0\n", 0);
    add(&scene, "a", 0, 2e9, 1, 100);
    struct omptape_unify_clock *clock = add(&scene, "b", 0, 2e9, 1, 100);
    date(&scene, &offsets);
    const struct omptape_unify_corrections *corrections = &scene.conversion.domains[1].corrections;
    uint64_t before = 0;
    for (uint64_t ticks = clock->first; ticks < clock->last; ticks += 12345677) {
        uint64_t time = time_of(&scene, 1, ticks);
        assert_true(time >= before);
        assert_near(omptape_unify_uncorrected(corrections, time), ticks);
        before = time;
    }
    omptape_unify_conversion_free(&scene.conversion);
    omptape_unify_offsets_free(&offsets);
}

/* A host's clock was compared with the clock of the process `reference`, which has ticks of 1 ns since 1970.
 */
static void compare(struct scene *scene, uint32_t process, uint32_t reference, const char *samples)
{
    char *who = scene->who[process];
    scene->clocks[reference].pid = 100 + (int64_t)reference;
    snprintf(who, sizeof(scene->who[process]), "%u %s", 100 + reference, scene->clocks[reference].host);
    omptape_unify_comparison_read(&scene->clocks[process].comparison, samples, who);
}

/* To the tick, beside what keeps all times positive. */
static void assert_time(const struct scene *scene, uint32_t process, uint64_t ticks, uint64_t expected)
{
    const struct omptape_unify_domain *reference = &scene->conversion.domains[0];
    uint64_t shift = omptape_unify_corrected(&reference->corrections, reference->first) - reference->first;
    uint64_t found = time_of(scene, process, ticks) - shift;
    if (found + 1 < expected || found > expected)
        fail_msg("%llu is %llu, not %llu", (unsigned long long)ticks, (unsigned long long)found,
                 (unsigned long long)expected);
}

/* The wall clock of the second host is three seconds ahead, and its counter 50 millionths too fast, for an
 * hour: what messages showed holds, between the comparisons and beyond them. */
static void test_compared(void **state)
{
    struct scene scene = {.count = 0};
    (void)state;
    add(&scene, "a", 0, 1e9, 0, 3700);
    add(&scene, "b", 0, 1e9, 0, 3700)->resolution = giga - 1;
    scene.clocks[1].start.realtime += 3 * giga;
    scene.clocks[1].end.realtime += 3 * giga;
    /* 7,000,000,000 ticks ahead at 100 s, 180,000,000 more an hour later. */
    compare(&scene, 1, 0, "107000000000:100000000000:700 3707180000000:3700000000000:900");
    date(&scene, &no_offsets);
    assert_int_equal(scene.conversion.domains[1].samples.reference_domain, 0);
    assert_time(&scene, 1, 107000000000, 100000000000);
    assert_time(&scene, 1, 3707180000000, 3700000000000);
    assert_time(&scene, 1, 1907090000000, 1900000000000);
    assert_time(&scene, 1, 7000000000 - 5000000, 0);
    assert_int_equal(scene.clocks[0].domain, 0);
    assert_true(scene.conversion.domains[1].corrections.list[0].deviation < 901);
    omptape_unify_conversion_free(&scene.conversion);
}

/* Seen from a third host, whose counter is the finest and so the reference of all. */
static void test_compared_by_way_of_another(void **state)
{
    struct scene scene = {.count = 0};
    (void)state;
    add(&scene, "a", 0, 1e9, 0, 1000);
    add(&scene, "b", 0, 1e9, 0, 1000)->start.realtime += 5 * giga;
    add(&scene, "c", 0, 2e9, 0, 1000)->end.realtime -= 7 * giga;
    scene.clocks[1].end.realtime += 5 * giga;
    scene.clocks[2].start.realtime -= 7 * giga;
    compare(&scene, 1, 0, "10000000000:10000000100:50 990000000000:990000000100:50");
    compare(&scene, 2, 0, "20000000000:10000000000:50 1980000000000:990000001000:50");
    date(&scene, &no_offsets);
    assert_int_equal(scene.clocks[2].domain, 0);
    /* "c" gains 1000 ns in 980 s on "a". */
    assert_time(&scene, 0, 10000000000, 20000000000);
    assert_time(&scene, 0, 990000001000, 1980000000000);
    assert_time(&scene, 1, 10000000000 - 100, 20000000000);
    assert_time(&scene, 1, 990000000000 + 900, 1980000000000);
    omptape_unify_conversion_free(&scene.conversion);
}

/* A short program: two comparisons a millisecond apart say nothing of the rate, so before and after them the
 * wall clocks' holds; and one alone, of a process that was killed, says the offset. */
static void test_compared_for_a_moment(void **state)
{
    struct scene scene = {.count = 0};
    (void)state;
    add(&scene, "a", 0, 1e9, 0, 100);
    add(&scene, "b", 0, 1e9, 0, 100);
    add(&scene, "c", 0, 1e9, 0, 100)->end.realtime = 0;
    compare(&scene, 1, 0, "50000000000:51000000000:2000 50001000000:51001003000:2000");
    compare(&scene, 2, 0, "50000000000:40000000000:2000");
    date(&scene, &no_offsets);
    assert_time(&scene, 1, 50000000000, 51000000000);
    assert_time(&scene, 1, 50000500000, 51000501500);
    assert_time(&scene, 1, 40000000000, 41000000000);
    assert_time(&scene, 1, 60000000000, 61000003000);
    assert_time(&scene, 2, 20000000000, 10000000000);
    assert_time(&scene, 2, 90000000000, 80000000000);
    omptape_unify_conversion_free(&scene.conversion);
}

/* What cannot be used: a counter that started anew between two comparisons, a reference that left no trace or
 * whose clock went back, two that refer to each other, and what the user has measured otherwise. */
static void test_compared_in_vain(void **state)
{
    struct scene scene = {.count = 0};
    struct omptape_unify_offsets offsets = read_text("d 1700000000 4000000000\n", 0);
    (void)state;
    add(&scene, "a", 0, 1e9, 0, 100);
    add(&scene, "b", 0, 1e9, 0, 100);
    add(&scene, "c", 0, 1e9, 0, 100);
    add(&scene, "d", 0, 1e9, 0, 100);
    add(&scene, "e", 0, 1e9, 0, 100)->jumps = 1;
    add(&scene, "f", 0, 1e9, 0, 100);
    add(&scene, "g", 0, 1e9, 0, 100);
    add(&scene, "h", 0, 1e9, 0, 100);
    compare(&scene, 7, 0, "50000000000:51000000000:2 60000000000:91000000000:2");
    compare(&scene, 1, 0, "50000000000:51000000000:2");
    omptape_unify_comparison_read(&scene.clocks[2].comparison, "50000000000:51000000000:2", "4711 a");
    compare(&scene, 3, 0, "50000000000:59000000000:2");
    compare(&scene, 5, 4, "50000000000:59000000000:2");
    compare(&scene, 0, 1, "51000000000:55000000000:2");
    date(&scene, &offsets);
    assert_time(&scene, 7, 70000000000, 71000000000);
    assert_time(&scene, 1, 70000000000, 66000000000);
    /* "a" follows "b", which is four seconds ahead of it and whose wall clock is as good as others'. */
    assert_time(&scene, 2, 70000000000, 66000000000);
    assert_time(&scene, 3, 70000000000, 70000000000);
    assert_time(&scene, 5, 70000000000, 66000000000);
    assert_time(&scene, 0, 70000000000, 70000000000);
    omptape_unify_conversion_free(&scene.conversion);
    omptape_unify_offsets_free(&offsets);
}

static void test_comparison_text(void **state)
{
    struct omptape_unify_comparison found;
    (void)state;
    omptape_unify_comparison_read(&found, "1:2:3 4:5:6", "7 a host");
    assert_int_equal(found.count, 2);
    assert_int_equal(found.list[1].reference, 5);
    assert_int_equal(found.pid, 7);
    assert_string_equal(found.host, "a host");
    static const char *const wrong[][2] = {
        {"", "7 a"}, {"1:2", "7 a"}, {"1:2:3", "a"}, {"1:2:3", ""}, {"1:2:18446744073709551615", "7 a"},
        {"x", "7 a"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        omptape_unify_comparison_read(&found, wrong[i][0], wrong[i][1]);
        assert_int_equal(found.count, 0);
    }
    omptape_unify_comparison_read(&found, NULL, NULL);
    assert_int_equal(found.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_host),
        cmocka_unit_test(test_domains),
        cmocka_unit_test(test_two_hosts),
        cmocka_unit_test(test_bad_anchors),
        cmocka_unit_test(test_early),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_interpolation),
        cmocka_unit_test(test_measured),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_ticks_stay_apart),
        cmocka_unit_test(test_compared),
        cmocka_unit_test(test_compared_by_way_of_another),
        cmocka_unit_test(test_compared_for_a_moment),
        cmocka_unit_test(test_compared_in_vain),
        cmocka_unit_test(test_comparison_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
