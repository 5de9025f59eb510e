/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Resolves call sites of real programs (the fixtures of symbols/), each compiler's and each form of debug
 * info's, and compares with what is marked in their sources. Run by CTest as unit.symbols.
 */
#include "tests/unit/symbols/fixtures.h"
#include "writers/symbols/module.h"
#include "writers/symbols/symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct mark marks[MAX_MARKS];
static bool met[MAX_MARKS];
static size_t mark_count;
static char source_path[PATH_MAX];

static void describe(const struct fixture *fixture, const struct call *call,
                     const struct omptape_source *source)
{
    print_error("%s: %s at %lx: %s:%u in %s, symbol %s + 0x%lx, module %s + 0x%lx\n", fixture->name,
                call->kind, call->address, source->file, source->line, source->function, source->symbol,
                source->function_offset, source->module, source->module_offset);
}

static bool check_line(const struct call *call, const struct omptape_source *source, bool function_too)
{
    bool found = false;
    if (source->file == NULL || strcmp(source->file, source_path) != 0)
        return false;
    for (size_t i = 0; i < mark_count; i++) {
        if (marks[i].line != source->line || strcmp(marks[i].kind, call->kind) != 0)
            continue;
        if (function_too && !mark_names(&marks[i], source->function))
            continue;
        met[i] = found = true;
    }
    return found;
}

/* Without debug info: the user's function where the compiler kept its name, the symbol with the compiler's
 * suffix. */
static bool check_symbol(const struct omptape_source *source)
{
    if (source->file != NULL || source->line || source->function == NULL || source->symbol == NULL ||
        strncmp(source->symbol, source->function, strlen(source->function)) != 0)
        return false;
    if (strncmp(source->function, ".omp_", 5) == 0)
        return true;
    for (size_t i = 0; i < mark_count; i++)
        if (mark_names(&marks[i], source->function))
            return true;
    return false;
}

/* g++ 12 for aarch64 gives this call the line before its own as soon as it moves instructions. */
static bool is_known_to_be_wrong(const struct call *call, const struct omptape_source *source)
{
    bool wrong = getenv("OMPTAPE_TEST_EMULATED") != NULL && strcmp(call->kind, "task") == 0 &&
                 source->function != NULL && strstr(source->function, " gather<") != NULL;
    for (size_t i = 0; wrong && i < mark_count; i++)
        if (marks[i].line == source->line + 1 && strcmp(marks[i].kind, "task") == 0)
            return met[i] = true;
    return false;
}

static bool check_source(const struct fixture *fixture, const struct call *call,
                         const struct omptape_source *source)
{
    if (strcmp(fixture->expect, "full") == 0)
        return check_line(call, source, true);
    if (strcmp(fixture->expect, "line") == 0)
        return check_line(call, source, false);
    if (strcmp(fixture->expect, "symbol") == 0)
        return check_symbol(source);
    assert_string_equal(fixture->expect, "module");
    return source->file == NULL && !source->line && source->function == NULL && source->symbol == NULL;
}

/* In a sample, a function without a symbol has the name of its file and where it begins there. The fixtures
 * NAME-O0 are compiled without optimisation. */
static void check_frame(const struct fixture *fixture, struct omptape_symbols *symbols,
                        const struct call *call)
{
    struct omptape_source source;
    const char *level = strstr(fixture->name, "-O");
    assert_int_equal(omptape_symbols_resolve_frame(symbols, call->address, 0, false, &source), 0);
    if (strcmp(fixture->expect, "module") == 0)
        assert_memory_equal(source.function, "prog+0x", strlen("prog+0x"));
    if (level != NULL && strcmp(fixture->expect, "full") == 0)
        assert_int_equal(source.is_unoptimised, level[2] == '0');
}

static void check_report(const struct fixture *fixture, struct omptape_symbols *symbols,
                         const struct report *report)
{
    for (size_t i = 0; i < report->call_count; i++) {
        const struct call *call = &report->calls[i];
        struct omptape_source source;
        assert_true(omptape_symbols_covers(symbols, call->address));
        omptape_symbols_select_code(symbols, omptape_symbols_code_id(symbols, call->address));
        assert_int_equal(omptape_symbols_resolve(symbols, call->address, &source), 0);
        check_frame(fixture, symbols, call);
        uint64_t base = report_base(report, source.module);
        if ((!check_source(fixture, call, &source) && !is_known_to_be_wrong(call, &source)) ||
            source.module_offset != call->address - 1 - base) {
            describe(fixture, call, &source);
            fail();
        }
    }
}

static void resolve_fixture(void **state)
{
    const struct fixture *fixture = *state;
    struct report reports[MAX_REPORTS];
    struct omptape_symbols *symbols;
    memset(met, 0, sizeof(met));
    mark_count = marks_read(fixture->source, marks);
    assert_non_null(realpath(fixture->source, source_path));
    size_t count = fixture_run(fixture->command, reports);
    assert_int_equal(omptape_symbols_create(&symbols), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(omptape_symbols_add_maps(symbols, reports[i].maps, reports[i].maps_bytes), 0);
        check_report(fixture, symbols, &reports[i]);
    }
    omptape_symbols_destroy(symbols);
    reports_free(reports, count);
    bool lines = strcmp(fixture->expect, "full") == 0 || strcmp(fixture->expect, "line") == 0;
    for (size_t i = 0; lines && i < mark_count; i++)
        if (!met[i])
            fail_msg("%s: no call was resolved to line %u, %s", fixture->name, marks[i].line, marks[i].kind);
}

/* A library that was closed, and whose mapping newer maps do not show, can still be resolved. */
static void closed_library(void **state)
{
    (void)state;
    struct report reports[MAX_REPORTS];
    const struct fixture *fixture = fixtures_find("loader");
    size_t count = fixture_run(fixture->command, reports);
    assert_int_equal(count, 3);
    assert_int_equal(reports[2].call_count, 0);
    assert_null(strstr(reports[2].maps, "libconstructs"));
    for (size_t i = 0; i < 2; i++) {
        struct omptape_symbols *symbols;
        assert_int_equal(omptape_symbols_create(&symbols), 0);
        assert_int_equal(omptape_symbols_add_maps(symbols, reports[i].maps, reports[i].maps_bytes), 0);
        assert_int_equal(omptape_symbols_add_maps(symbols, reports[2].maps, reports[2].maps_bytes), 0);
        mark_count = marks_read(fixture->source, marks);
        assert_non_null(realpath(fixture->source, source_path));
        check_report(fixture, symbols, &reports[i]);
        omptape_symbols_destroy(symbols);
    }
    reports_free(reports, count);
}

/* clang 14 does not say which instance of a template an outlined function belongs to: then none may be named.
 */
static void template_instances(void **state)
{
    (void)state;
    struct report reports[MAX_REPORTS];
    struct omptape_symbols *symbols;
    size_t plain = 0;
    size_t count = fixture_run(fixtures_find("clang++-14-O0")->command, reports);
    assert_int_equal(omptape_symbols_create(&symbols), 0);
    assert_int_equal(omptape_symbols_add_maps(symbols, reports[0].maps, reports[0].maps_bytes), 0);
    for (size_t i = 0; i < reports[0].call_count; i++) {
        struct omptape_source source;
        assert_int_equal(omptape_symbols_resolve(symbols, reports[0].calls[i].address, &source), 0);
        bool gather = source.function != NULL && strstr(source.function, "gather") != NULL;
        if (gather && strcmp(reports[0].calls[i].kind, "parallel") != 0) {
            assert_string_equal(source.function, "gather");
            plain++;
        }
    }
    assert_int_equal(plain, 4); /* a task and a critical in each of two instances */
    omptape_symbols_destroy(symbols);
    reports_free(reports, count);
}

static char own_maps[1 << 18];

/* Several names of one function: users know the plain one. */
static void plain_alias(void **state)
{
    (void)state;
    struct omptape_symbols *symbols;
    struct omptape_source source;
    void *library = dlopen("libc.so.6", RTLD_NOW);
    assert_non_null(library);
    void *function = dlsym(library, "free");
    assert_non_null(function);
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    const size_t bytes = fread(own_maps, 1, sizeof(own_maps) - 1, maps);
    fclose(maps);
    assert_int_equal(omptape_symbols_create(&symbols), 0);
    assert_int_equal(omptape_symbols_add_maps(symbols, own_maps, bytes), 0);
    assert_int_equal(omptape_symbols_resolve(symbols, (uintptr_t)function + 1, &source), 0);
    assert_string_equal(source.symbol, "free");
    omptape_symbols_destroy(symbols);
    dlclose(library);
}

/* Nothing here may wait for a network: libdwfl would load its client library for a program without debug
 * info. */
static void no_debuginfod(void **state)
{
    (void)state;
    struct report reports[MAX_REPORTS];
    struct omptape_symbols *symbols;
    struct omptape_source source;
    assert_int_equal(setenv("DEBUGINFOD_URLS", "http://192.0.2.1/", 1), 0);
    size_t count = fixture_run(fixtures_find("g++-stripped")->command, reports);
    assert_int_equal(omptape_symbols_create(&symbols), 0);
    assert_null(getenv("DEBUGINFOD_URLS"));
    assert_int_equal(omptape_symbols_add_maps(symbols, reports[0].maps, reports[0].maps_bytes), 0);
    assert_int_equal(omptape_symbols_resolve(symbols, reports[0].calls[0].address, &source), 0);
    omptape_symbols_destroy(symbols);
    reports_free(reports, count);

    char line[8192];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps) != NULL)
        assert_null(strstr(line, "libdebuginfod"));
    fclose(maps);
}

int main(void)
{
    static struct fixture fixtures[MAX_FIXTURES];
    static char path[] = ":.debug:" FIXTURES "/root";
    struct CMUnitTest tests[MAX_FIXTURES + 4];
    size_t fixture_count = fixtures_read(fixtures);
    size_t count = 0;
    omptape_module_debug_path = path;
    for (size_t i = 0; i < fixture_count; i++)
        if (strcmp(fixtures[i].expect, "tail") != 0 && strcmp(fixtures[i].expect, "pointer") != 0 &&
            strcmp(fixtures[i].expect, "library") != 0)
            tests[count++] = (struct CMUnitTest){
                .name = fixtures[i].name, .test_func = resolve_fixture, .initial_state = &fixtures[i]};
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(closed_library);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(template_instances);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(plain_alias);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(no_debuginfod);
    return _cmocka_run_group_tests("symbols", tests, count, NULL, NULL);
}
