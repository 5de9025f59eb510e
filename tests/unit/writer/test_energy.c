/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the energy of a node's processors, by a double of /sys/class/powercap. Run by CTest as
 * unit.energy.
 */
#include "tests/unit/scratch.h"
#include "writers/observe/energy.h"

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
    omptape_energy_read(&energy, 1);
    expect_text(&energy, "package-0:0 package-0/dram:250 package-1:1000");
    /* It is not time yet, but for the last time. The counter of the first package began anew. */
    put_file("intel-rapl:0", "energy_uj", "150\n");
    omptape_energy_read(&energy, 2);
    expect_text(&energy, "package-0:0 package-0/dram:250 package-1:1000");
    omptape_energy_read(&energy, UINT64_MAX);
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
    omptape_energy_read(&energy, UINT64_MAX);
    expect_text(&energy, "package-0:0 package-0/dram:0 package-1:0");
    omptape_energy_stop(&energy);
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
    omptape_energy_read(&energy, UINT64_MAX);
    assert_false(omptape_energy_describe(&energy, text, sizeof(text)));
    omptape_energy_stop(&energy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(adds_up, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(survives_nonsense, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(says_nothing_of_parts, open_scratch, close_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
