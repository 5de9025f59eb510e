/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the clocks of several processes: who shares a counter, how others are corrected, what
 * measured offsets change, and that time never goes back. Run by CTest as unit.unify_clocks.
 */
#include "src/unify/clocks.h"

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

enum { MOST = 8 };

struct scene {
    struct omptape_unify_clock clocks[MOST];
    struct omptape_unify_clock *list[MOST];
    uint32_t count;
    struct omptape_unify_dating dating;
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
    assert_int_equal(omptape_unify_date(&scene->dating, scene->list, scene->count, offsets), 0);
}

static uint64_t time_of(const struct scene *scene, uint32_t process, uint64_t ticks)
{
    return omptape_unify_corrected(&scene->dating.domains[scene->clocks[process].domain].corrections, ticks);
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
    assert_int_equal(scene.dating.domain_count, 1);
    assert_int_equal(scene.dating.domains[0].corrections.count, 0);
    assert_int_equal(scene.dating.resolution, 2 * giga + 777);
    assert_int_equal(scene.dating.first, giga);
    assert_int_equal(scene.dating.last, giga + 2000 * giga);
    assert_int_equal(scene.dating.realtime, epoch);
    assert_int_equal(time_of(&scene, 1, 4711), 4711);
    omptape_unify_dating_free(&scene.dating);
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
    omptape_unify_dating_free(&scene.dating);
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
    const struct omptape_unify_corrections *corrections = &scene.dating.domains[1].corrections;
    assert_int_equal(corrections->count, 2);
    assert_int_equal(corrections->list[0].ticks, scene.clocks[1].first);
    assert_int_equal(corrections->list[1].ticks, scene.clocks[1].last);
    assert_true(corrections->list[0].deviation > 999999 && corrections->list[0].deviation < 1000001);
    omptape_unify_dating_free(&scene.dating);
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
        assert_int_equal(scene.dating.resolution, (uint64_t)rates[i]);
        for (uint64_t tick = 1; tick < 3000000; tick++)
            for (uint32_t process = 0; process < 2; process++) {
                uint64_t first = scene.clocks[process].first;
                if (time_of(&scene, process, first + tick) <= time_of(&scene, process, first + tick - 1))
                    fail_msg("process %u: tick %llu", process, (unsigned long long)tick);
            }
        omptape_unify_dating_free(&scene.dating);
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
    omptape_unify_dating_free(&scene.dating);
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
    assert_near(scene.dating.last, 220 * giga);
    /* One correction alone is passed over by libotf2. */
    assert_int_equal(scene.dating.domains[0].corrections.count, 2);
    omptape_unify_dating_free(&scene.dating);
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
    omptape_unify_dating_free(&scene.dating);
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
    const struct omptape_unify_corrections *corrections = &scene.dating.domains[1].corrections;
    uint64_t before = 0;
    for (uint64_t ticks = clock->first; ticks < clock->last; ticks += 12345677) {
        uint64_t time = time_of(&scene, 1, ticks);
        assert_true(time >= before);
        assert_near(omptape_unify_uncorrected(corrections, time), ticks);
        before = time;
    }
    omptape_unify_dating_free(&scene.dating);
    omptape_unify_offsets_free(&offsets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_host),      cmocka_unit_test(test_domains),
        cmocka_unit_test(test_two_hosts),     cmocka_unit_test(test_bad_anchors),
        cmocka_unit_test(test_early),         cmocka_unit_test(test_file),
        cmocka_unit_test(test_interpolation), cmocka_unit_test(test_measured),
        cmocka_unit_test(test_monotone),      cmocka_unit_test(test_ticks_stay_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
