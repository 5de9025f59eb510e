/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Source positions on their way from a checkpoint's child to the writer: all of them, once, and nothing of a
 * piece that is cut short.
 */
#include "writers/regions/sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { MANY = 1000 };

static struct omptape_source make(uint32_t i, char *file, size_t bytes)
{
    snprintf(file, bytes, "/home/user/file%u.c", i);
    return (struct omptape_source){.file = i % 3 != 0 ? file : NULL,
                                   .line = i,
                                   .function = i % 2 != 0 ? "work" : "",
                                   .symbol = i % 5 == 0 ? "work.omp_outlined" : NULL,
                                   .function_offset = i * UINT64_C(0x100000001),
                                   .module = "/usr/bin/program",
                                   .module_offset = i,
                                   .is_provisional = i % 7 == 0,
                                   .is_call = i % 11 == 0};
}

static void same_text(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        assert_true(a == b);
    else
        assert_string_equal(a, b);
}

static void expect(const struct omptape_sources *sources, uint32_t count)
{
    char file[64];
    assert_int_equal(sources->known, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct omptape_source *found = omptape_sources_get(sources, i);
        const struct omptape_source made = make(i, file, sizeof(file));
        assert_non_null(found);
        same_text(found->file, made.file);
        same_text(found->function, made.function);
        same_text(found->symbol, made.symbol);
        same_text(found->module, made.module);
        assert_int_equal(found->line, made.line);
        assert_int_equal(found->function_offset, made.function_offset);
        assert_int_equal(found->module_offset, made.module_offset);
        assert_int_equal(found->is_provisional, made.is_provisional);
        assert_int_equal(found->is_call, made.is_call);
    }
    assert_null(omptape_sources_get(sources, count));
}

static int export(uint32_t first, uint32_t count)
{
    char file[64];
    int fd = memfd_create("test", 0);
    assert_true(fd >= 0);
    for (uint32_t i = first; i < first + count; i++) {
        const struct omptape_source made = make(i, file, sizeof(file));
        assert_true(omptape_sources_export(fd, &made));
    }
    return fd;
}

static void test_in_turns(void **state)
{
    struct omptape_sources sources = {.known = 0};
    (void)state;
    for (uint32_t first = 0; first < MANY; first += MANY / 4) {
        int fd = export(first, MANY / 4);
        omptape_sources_import(&sources, fd);
        close(fd);
        expect(&sources, first + MANY / 4);
    }
    omptape_sources_free(&sources);
}

static void test_cut_short(void **state)
{
    (void)state;
    int fd = export(0, 3);
    off_t bytes = lseek(fd, 0, SEEK_END);
    uint32_t last = 3;
    for (off_t cut = bytes - 1; cut >= 0; cut--) {
        struct omptape_sources sources = {.known = 0};
        assert_int_equal(ftruncate(fd, cut), 0);
        omptape_sources_import(&sources, fd);
        assert_in_range(sources.known, last > 0 ? last - 1 : 0, last);
        last = sources.known;
        expect(&sources, last);
        omptape_sources_free(&sources);
    }
    assert_int_equal(last, 0);
    close(fd);
}

static void test_too_long(void **state)
{
    (void)state;
    char *name = malloc(100000);
    assert_non_null(name);
    memset(name, 'x', 99999);
    name[99999] = '\0';
    const struct omptape_source source = {.file = name};
    int fd = memfd_create("test", 0);
    assert_false(omptape_sources_export(fd, &source));
    assert_int_equal(lseek(fd, 0, SEEK_END), 0);
    close(fd);
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_turns),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
