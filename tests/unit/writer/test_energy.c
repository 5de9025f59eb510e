/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the energy of a node's processors, by a double of /sys/class/powercap. Run by CTest as
 * unit.energy.
 */
#include "tests/unit/scratch.h"
#include "tests/unit/translate/translate_script.h"
#include "writers/observe/observer.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_BYTES = 256 };

static char powercap[SCRATCH_BYTES];

static void put_file(const char *zone, const char *name, const char *text)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof(path), "%s/%s", powercap, zone);
    (void)mkdir(path, 0700);
    (void)snprintf(path, sizeof(path), "%s/%s/%s", powercap, zone, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void put_zone(const char *zone, const char *name, const char *range, const char *energy)
{
    put_file(zone, "name", name);
    put_file(zone, "max_energy_range_uj", range);
    put_file(zone, "energy_uj", energy);
}

/* Two packages with their parts, and zones that have the same energy again. */
static int open_scratch(void **state)
{
    (void)state;
    if (scratch_make(powercap) != 0)
        return -1;
    put_zone("intel-rapl:1", "package-1\n", "262143328850\n", "500\n");
    put_zone("intel-rapl:0", "package-0\n", "262143328850\n", "262143328000\n");
    put_zone("intel-rapl:0:0", "core\n", "262143328850\n", "7\n");
    put_zone("intel-rapl:0:1", "dram\n", "65712999613\n", "1000\n");
    put_zone("intel-rapl:2", "psys\n", "262143328850\n", "9\n");
    put_zone("intel-rapl:2:0", "dram\n", "262143328850\n", "9\n");
    put_zone("intel-rapl-mmio:0", "package-0\n", "262143328850\n", "9\n");
    put_zone("dtpm", "dtpm\n", "262143328850\n", "9\n");
    put_file("intel-rapl", "enabled", "1\n");
    return 0;
}

static int close_scratch(void **state)
{
    (void)state;
    return scratch_remove(powercap);
}

static void expect_text(const struct omptape_energy *energy, const char *expected)
{
    char text[256];
    assert_true(omptape_energy_describe(energy, text, sizeof(text)));
    assert_string_equal(text, expected);
}

static void adds_up(void **state)
{
    struct omptape_energy energy;
    (void)state;
    omptape_energy_start(&energy, powercap);
    expect_text(&energy, "package-0:0 package-0/dram:0 package-1:0");
    put_file("intel-rapl:1", "energy_uj", "1500\n");
    put_file("intel-rapl:0:1", "energy_uj", "1250\n");
    put_file("intel-rapl:0:0", "energy_uj", "100000\n");
    omptape_energy_read(&energy, 1, 1, false);
    expect_text(&energy, "package-0:0 package-0/dram:250 package-1:1000");
    /* It is not time yet, but for the last time. The counter of the first package began anew. */
    put_file("intel-rapl:0", "energy_uj", "150\n");
    omptape_energy_read(&energy, 2, 2, false);
    expect_text(&energy, "package-0:0 package-0/dram:250 package-1:1000");
    omptape_energy_read(&energy, 3, 3, true);
    expect_text(&energy, "package-0:1000 package-0/dram:250 package-1:1000");
    omptape_energy_stop(&energy);
}

static void survives_nonsense(void **state)
{
    struct omptape_energy energy;
    (void)state;
    omptape_energy_start(&energy, powercap);
    put_file("intel-rapl:0", "energy_uj", "262143328851\n"); /* beyond its range */
    put_file("intel-rapl:1", "energy_uj", "");
    put_file("intel-rapl:0:1", "energy_uj", "12 apples\n");
    omptape_energy_read(&energy, 3, 3, true);
    char text[256];
    assert_false(omptape_energy_describe(&energy, text, sizeof(text)));
    /* A value that could not be read once is in the next one. */
    put_file("intel-rapl:0", "energy_uj", "262143328001\n");
    put_file("intel-rapl:1", "energy_uj", "502\n");
    put_file("intel-rapl:0:1", "energy_uj", "1003\n");
    omptape_energy_read(&energy, 4, 4, true);
    expect_text(&energy, "package-0:1 package-0/dram:3 package-1:2");
    omptape_energy_stop(&energy);
}

/* A zone that vanishes and comes back with another value was perhaps reset: its energy is not known. */
static void does_not_guess_after_a_reset(void **state)
{
    struct omptape_energy energy;
    char path[PATH_BYTES];
    char text[256];
    (void)state;
    omptape_energy_start(&energy, powercap);
    (void)snprintf(path, sizeof(path), "%s/intel-rapl:1/energy_uj", powercap);
    assert_int_equal(unlink(path), 0);
    omptape_energy_read(&energy, 3, 3, true);
    assert_false(omptape_energy_describe(&energy, text, sizeof(text)));
    put_file("intel-rapl:1", "energy_uj", "9\n");
    omptape_energy_read(&energy, 4, 4, true);
    assert_false(omptape_energy_describe(&energy, text, sizeof(text)));
    assert_int_equal(energy.zones[2].sum, 0);
    omptape_energy_stop(&energy);
}

/* A counter that falls was reset if the zone would else have used hundreds of kilowatts. */
static void does_not_take_a_reset_for_a_wrap(void **state)
{
    const uint64_t second = 1000000000;
    struct omptape_energy energy;
    char text[256];
    (void)state;
    omptape_energy_start(&energy, powercap);
    omptape_energy_read(&energy, second, 1, true);
    put_file("intel-rapl:0", "energy_uj", "400\n"); /* wrapped */
    put_file("intel-rapl:1", "energy_uj", "90000500\n");
    omptape_energy_read(&energy, 2 * second, 2, true);
    expect_text(&energy, "package-0:1250 package-0/dram:0 package-1:90000000");
    put_file("intel-rapl:1", "energy_uj", "70\n");
    omptape_energy_read(&energy, 3 * second, 3, true);
    assert_false(omptape_energy_describe(&energy, text, sizeof(text)));
    assert_int_equal(energy.zones[2].sum, 90000000);
    omptape_energy_stop(&energy);
}

/* As since Linux 5.10: the files are root's, with mode 0400. */
static void says_nothing_to_users(void **state)
{
    static const char *const zones[] = {"intel-rapl:0", "intel-rapl:0:1", "intel-rapl:1"};
    struct omptape_energy energy;
    char path[PATH_BYTES];
    char text[256];
    const uid_t user = geteuid();
    (void)state;
    for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", powercap, zones[i]);
        assert_int_equal(chmod(path, 0755), 0);
        (void)snprintf(path, sizeof(path), "%s/%s/energy_uj", powercap, zones[i]);
        assert_int_equal(chmod(path, user == 0 ? 0400 : 0), 0);
    }
    assert_int_equal(chmod(powercap, 0755), 0);
    assert_true(user != 0 || seteuid(65534) == 0);
    omptape_energy_start(&energy, powercap);
    assert_true(seteuid(user) == 0);
    assert_int_equal(energy.refused, EACCES);
    assert_int_equal(energy.count, 0);
    assert_false(omptape_energy_describe(&energy, text, sizeof(text)));
    omptape_energy_stop(&energy);
}

/* The observer of the translated program, whose node has the double's zones. */
static struct omptape_observer observer;

static int open_archive(void **state)
{
    observer = (struct omptape_observer){.ended = true};
    return open_scratch(state) != 0 ? -1 : translate_open(state);
}

static int close_archive(void **state)
{
    omptape_energy_stop(&observer.energy);
    translate.writer.observer = NULL;
    return translate_close(state) != 0 ? -1 : close_scratch(state);
}

static void start_observer(bool is_shown)
{
    put_threads(0);
    translate_pass();
    omptape_energy_start(&observer.energy, powercap);
    observer.energy.is_shown = is_shown;
    translate.writer.observer = &observer;
    omptape_energy_read(&observer.energy, 20, 20, true);
}

/* Each value is valid until the next one. The second package's counter wraps around; the memory vanishes for
 * a moment, and the first package for good. The last reading comes after the end, and soon after another one.
 */
static void becomes_power(void **state)
{
    const uint64_t second = translate.writer.timeline.second;
    char path[PATH_BYTES];
    (void)state;
    start_observer(true);
    put_file("intel-rapl:1", "energy_uj", "2000500\n");
    put_file("intel-rapl:0:1", "energy_uj", "nothing\n");
    put_file("intel-rapl:0", "energy_uj", "2999150\n"); /* 3 J on */
    omptape_energy_read(&observer.energy, 1000000020, 20 + second, false);
    put_file("intel-rapl:0:1", "energy_uj", "8001000\n");
    (void)snprintf(path, sizeof(path), "%s/intel-rapl:0/energy_uj", powercap);
    assert_int_equal(unlink(path), 0);
    omptape_energy_read(&observer.energy, 2000000020, 20 + 2 * second, false);
    omptape_energy_read(&observer.energy, 3990000020, 20 + 4 * second - second / 100, false);
    put_file("intel-rapl:1", "energy_uj", "6000500\n");
    omptape_energy_read(&observer.energy, 4000000020, 20 + 4 * second, true);
    translate_finish(20 + 3 * second);
    translate_expect_readable();
    assert_int_equal(translate.text->locations, 2);
    char expected[512];
    (void)snprintf(expected, sizeof(expected),
                   "20 metric 3\n20 metric 4\n20 metric 2\n"
                   "%llu metric 3\n%llu metric 0\n"
                   "%llu metric 0\n%llu metric 2\n"
                   "%llu metric 0\n%llu metric 2\n",
                   20ULL + second, 20ULL + second, 20ULL + 2 * second, 20ULL + 2 * second, 20ULL + 3 * second,
                   20ULL + 3 * second);
    translate_expect(1, expected);
}

/* Another process of the node writes it. */
static void is_written_once(void **state)
{
    (void)state;
    start_observer(false);
    omptape_energy_read(&observer.energy, 1000000020, 20 + translate.writer.timeline.second, true);
    translate_finish(20 + translate.writer.timeline.second);
    assert_int_equal(translate.text->locations, 1);
}

/* A run of many hours keeps a limited number of readings, evenly, and what is between them is in their power.
 */
static void stays_small(void **state)
{
    enum { SECONDS = 2 * OMPTAPE_MAX_ENERGY_READINGS + 100 };
    char text[32];
    char path[PATH_BYTES];
    (void)state;
    start_observer(true);
    (void)snprintf(path, sizeof(path), "%s/intel-rapl:1/energy_uj", powercap);
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    for (uint64_t i = 1; i <= SECONDS; i++) {
        const int length = snprintf(text, sizeof(text), "%llu\n", 500 + i * 7000000ULL);
        assert_int_equal(pwrite(file, text, (size_t)length, 0), length);
        omptape_energy_read(&observer.energy, 20 + i * 1000000000, 20 + i * translate.writer.timeline.second,
                            false);
    }
    assert_int_equal(close(file), 0);
    assert_in_range(observer.energy.reading_count, OMPTAPE_MAX_ENERGY_READINGS / 2,
                    OMPTAPE_MAX_ENERGY_READINGS);
    translate_finish(20 + SECONDS * translate.writer.timeline.second);
    assert_non_null(strstr(translate.text->events[1], "20 metric 0\n20 metric 0\n20 metric 7\n"));
    assert_null(strstr(translate.text->events[1], "metric 6"));
    assert_null(strstr(translate.text->events[1], "metric 8"));
}

/* Part of a node's energy is none. */
static void says_nothing_of_parts(void **state)
{
    struct omptape_energy energy;
    char text[256];
    (void)state;
    put_file("intel-rapl:1", "energy_uj", "");
    omptape_energy_start(&energy, powercap);
    assert_int_not_equal(energy.refused, 0);
    assert_false(omptape_energy_describe(&energy, text, sizeof(text)));
    omptape_energy_stop(&energy);
    omptape_energy_start(&energy, "/nowhere/powercap");
    omptape_energy_read(&energy, 3, 3, true);
    assert_false(omptape_energy_describe(&energy, text, sizeof(text)));
    omptape_energy_stop(&energy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(adds_up, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(survives_nonsense, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(says_nothing_of_parts, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(does_not_guess_after_a_reset, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(does_not_take_a_reset_for_a_wrap, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(says_nothing_to_users, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(becomes_power, open_archive, close_archive),
        cmocka_unit_test_setup_teardown(is_written_once, open_archive, close_archive),
        cmocka_unit_test_setup_teardown(stays_small, open_archive, close_archive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
