/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit test of which file a recorded module is: the maps are read once for all modules that were recorded
 * before. Run by CTest as unit.modules.
 */
#include "tests/unit/translate/translate_fixture.h"
#include "writers/regions/modules.h"
#include "writers/symbols/symbols.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { BEGIN = 0x10000, END = 0x11000, SECOND = 0x20000, BOTH = SECOND - BEGIN };
static const char path[] = "/there/is/no/library.so";

static char folder[SCRATCH_BYTES];

/* The program has both modules there, of files with these inodes. */
static void write_maps(unsigned first, unsigned second)
{
    char name[SCRATCH_BYTES + 8];
    snprintf(name, sizeof(name), "%s/maps", folder);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file, "%x-%x r-xp 0 08:01 %u %s\n%x-%x r-xp 0 08:01 %u %s\n", BEGIN, END, first, path,
            BEGIN + BOTH, END + BOTH, second, path);
    assert_int_equal(fclose(file), 0);
}

static void add(uint64_t time, uint64_t at)
{
    omptape_modules_add(&translate.writer, time, BEGIN + at, END + at, 0, path, strlen(path));
}

/* The number of the code there: 0 as long as it has not changed. */
static uint32_t code_at(uint64_t at)
{
    return omptape_symbols_code_id(translate.writer.symbols, BEGIN + at + 1);
}

static void maps_are_read_once_for_modules_of_before(void **state)
{
    struct omptape_writer *writer = &translate.writer;
    (void)state;
    assert_int_equal(scratch_make(folder), 0);
    const int kept = writer->process;
    writer->process = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(writer->process >= 0);
    const uint64_t before = omptape_timeline_now(&writer->timeline);
    write_maps(10, 20);
    add(before, 0);
    add(before, BOTH);
    /* Both files are others now, which a module that was recorded before is not. */
    write_maps(11, 21);
    add(before, 0);
    assert_int_equal(code_at(0), 0);
    add(omptape_timeline_now(&writer->timeline), BOTH);
    assert_int_not_equal(code_at(BOTH), 0);
    assert_int_equal(code_at(0), 0);
    close(writer->process);
    writer->process = kept;
    assert_int_equal(scratch_remove(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(maps_are_read_once_for_modules_of_before, translate_open,
                                        translate_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
