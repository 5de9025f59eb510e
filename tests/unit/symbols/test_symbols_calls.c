/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Leads the return addresses of calls at the end of functions back to their constructs, in real programs (the
 * fixtures tails.c, tails.cc, choice.c and stored.c of symbols/), each compiler's, with a stand-in runtime in
 * a library of its own. Run by CTest as unit.symbols_calls.
 */
#include "tests/unit/symbols/fixtures.h"
#include "writers/symbols/module.h"
#include "writers/symbols/symbols.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARM_BASE = 0x10000000, ARM_RUNTIME = 0x20000000 };

static const char *const nothing[] = {NULL};

static const struct {
    const char *kind;
    const char *callees[8];
} kinds[] = {
    {"parallel", {"__kmpc_fork_call*", "GOMP_parallel*"}},
    {"task", {"__kmpc_omp_task", "__kmpc_omp_task_with_deps", "GOMP_task"}},
    {"barrier", {"__kmpc_barrier", "GOMP_barrier*"}},
    {"taskwait", {"__kmpc_omp_taskwait", "GOMP_taskwait"}},
    {"critical", {"__kmpc_critical*", "GOMP_critical*"}},
};

static const char *const *callees_of(const char *kind)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            return kinds[i].callees;
    fail_msg("no callees of %s", kind);
    return NULL;
}

/* The symbols of what the first report shows. */
static struct omptape_symbols *symbols_of(const struct report *report)
{
    struct omptape_symbols *symbols;
    assert_int_equal(omptape_symbols_create(&symbols), 0);
    assert_int_equal(omptape_symbols_add_maps(symbols, report->maps, report->maps_bytes), 0);
    return symbols;
}

/* The return address of the innermost construct around the call that has one outside of the runtime. */
static uint64_t parent_of(const struct omptape_symbols *symbols, const struct report *report,
                          const struct call *call)
{
    for (int i = call->parent; i >= 0; i = report->calls[i].parent)
        if (!omptape_symbols_in_runtime(symbols, report->calls[i].address))
            return report->calls[i].address;
    return 0;
}

static int resolve(struct omptape_symbols *symbols, const struct report *report, const struct call *call,
                   struct omptape_source *source)
{
    return omptape_symbols_resolve_call(symbols, call->address, parent_of(symbols, report, call),
                                        callees_of(call->kind), source);
}

static bool is_marked(const struct mark *marks, size_t count, bool *met, const struct call *call,
                      const struct omptape_source *source, const char *path)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (source->file == NULL || strcmp(source->file, path) != 0 || marks[i].line != source->line ||
            strcmp(marks[i].kind, call->kind) != 0 || !mark_names(&marks[i], source->function))
            continue;
        met[i] = found = true;
    }
    return found;
}

/* gcc's line tables for aarch64 lack the rows of calls in a loop. */
static bool may_be_wrong(const struct fixture *fixture)
{
    return getenv("OMPTAPE_TEST_EMULATED") != NULL && strcmp(fixture->name, "tails-gcc-O0") != 0 &&
           (strncmp(fixture->name, "tails-gcc-", 10) == 0 || strcmp(fixture->name, "tails-g++-no-plt") == 0);
}

static void resolve_tails(void **state)
{
    const struct fixture *fixture = *state;
    struct report reports[MAX_REPORTS];
    struct mark marks[MAX_MARKS];
    bool met[MAX_MARKS] = {false};
    char path[PATH_MAX];
    size_t mark_count = marks_read(fixture->source, marks);
    size_t count = fixture_run(fixture->command, reports);
    assert_non_null(realpath(fixture->source, path));
    struct omptape_symbols *symbols = symbols_of(&reports[0]);
    for (size_t i = 0; i < reports[0].call_count; i++) {
        const struct call *call = &reports[0].calls[i];
        struct omptape_source source;
        if (strcmp(call->kind, "single") == 0)
            continue; /* gcc does not tell its line */
        assert_int_equal(resolve(symbols, &reports[0], call, &source), 0);
        if (!is_marked(marks, mark_count, met, call, &source, path) && !may_be_wrong(fixture))
            fail_msg("%s: %s at %lx, in call %d: %s:%u in %s, module %s", fixture->name, call->kind,
                     call->address, call->parent, source.file, source.line, source.function, source.module);
    }
    omptape_symbols_destroy(symbols);
    reports_free(reports, count);
    for (size_t i = 0; i < mark_count && !may_be_wrong(fixture); i++)
        if (!met[i])
            fail_msg("%s: no call was resolved to line %u, %s", fixture->name, marks[i].line, marks[i].kind);
}

/* Where a pointer was called the place is the construct's, or none. */
static void resolve_pointers(void **state)
{
    const struct fixture *fixture = *state;
    struct report reports[MAX_REPORTS];
    struct mark marks[MAX_MARKS];
    bool met[MAX_MARKS] = {false};
    char path[PATH_MAX];
    size_t unplaced = 0;
    size_t mark_count = marks_read(fixture->source, marks);
    size_t count = fixture_run(fixture->command, reports);
    assert_non_null(realpath(fixture->source, path));
    struct omptape_symbols *symbols = symbols_of(&reports[0]);
    for (size_t i = 0; i < reports[0].call_count; i++) {
        struct omptape_source source;
        assert_int_equal(resolve(symbols, &reports[0], &reports[0].calls[i], &source), 0);
        if (is_marked(marks, mark_count, met, &reports[0].calls[i], &source, path))
            continue;
        assert_true(source.is_approximate);
        assert_null(source.file);
        assert_int_equal(source.line, 0);
        unplaced++;
    }
    assert_true(reports[0].call_count >= mark_count);
    if (strstr(fixture->name, "-O0") != NULL)
        assert_int_equal(unplaced, 0);
    if (strstr(fixture->name, "-O2") != NULL)
        assert_true(unplaced > 0);
    omptape_symbols_destroy(symbols);
    reports_free(reports, count);
}

/* The fixtures are worth nothing if their return addresses are right. */
static void tails_are_tails(void **state)
{
    (void)state;
    static const char *const names[] = {"tails-gcc-O2", "tails-clang-14-O2", "tails-clang-19-O1"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct report reports[MAX_REPORTS];
        size_t moved = 0;
        size_t inside = 0;
        size_t count = fixture_run(fixtures_find(names[i])->command, reports);
        struct omptape_symbols *symbols = symbols_of(&reports[0]);
        for (size_t j = 0; j < reports[0].call_count; j++) {
            const struct call *call = &reports[0].calls[j];
            struct omptape_source plain;
            assert_int_equal(omptape_symbols_resolve(symbols, call->address, &plain), 0);
            inside += omptape_symbols_in_runtime(symbols, call->address);
            moved += plain.function != NULL && strcmp(plain.function, "constructs") == 0;
        }
        assert_true(inside >= 6);
        assert_true(moved >= 6);
        omptape_symbols_destroy(symbols);
        reports_free(reports, count);
    }
}

/* Where the return address is right, the answer equals omptape_symbols_resolve's. */
static void right_addresses(void **state)
{
    (void)state;
    static const char *const names[] = {"gcc-O2", "g++-O1", "gfortran-O2", "clang-14-O2", "clang++-19-O2"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct report reports[MAX_REPORTS];
        size_t count = fixture_run(fixtures_find(names[i])->command, reports);
        struct omptape_symbols *symbols = symbols_of(&reports[0]);
        for (size_t j = 0; j < reports[0].call_count; j++) {
            struct omptape_source plain;
            struct omptape_source source;
            const struct call *call = &reports[0].calls[j];
            assert_int_equal(omptape_symbols_resolve(symbols, call->address, &plain), 0);
            assert_int_equal(resolve(symbols, &reports[0], call, &source), 0);
            assert_memory_equal(&plain, &source, sizeof(plain));
        }
        omptape_symbols_destroy(symbols);
        reports_free(reports, count);
    }
}

/* Nothing is known of the callee: then a return address in the runtime stands for its parent, one elsewhere
 * for itself. */
static void unknown_callees(void **state)
{
    (void)state;
    struct report reports[MAX_REPORTS];
    size_t count = fixture_run(fixtures_find("tails-clang-19-O2")->command, reports);
    size_t inside = 0;
    struct omptape_symbols *symbols = symbols_of(&reports[0]);
    for (size_t i = 0; i < reports[0].call_count; i++) {
        const struct call *call = &reports[0].calls[i];
        struct omptape_source plain;
        struct omptape_source source;
        uint64_t parent = parent_of(symbols, &reports[0], call);
        assert_int_equal(omptape_symbols_resolve(symbols, call->address, &plain), 0);
        assert_int_equal(omptape_symbols_resolve_call(symbols, call->address, 0, nothing, &source), 0);
        assert_memory_equal(&plain, &source, sizeof(plain));
        if (!omptape_symbols_in_runtime(symbols, call->address))
            continue;
        inside++;
        assert_int_equal(omptape_symbols_resolve_call(symbols, call->address, parent, nothing, &source), 0);
        assert_non_null(source.file);
        assert_non_null(strstr(source.file, "tails.c"));
        /* A parent that is no place at all does not help. */
        assert_int_equal(omptape_symbols_resolve_call(symbols, call->address, 1, nothing, &source), 0);
        assert_memory_equal(&plain, &source, sizeof(plain));
    }
    assert_true(inside > 0);
    omptape_symbols_destroy(symbols);
    reports_free(reports, count);
}

/* The library's code from its function "constructs" on, which the compiler puts first. */
static struct omptape_code_range code_of(struct omptape_module *library)
{
    uint64_t low;
    assert_true(omptape_module_export(library, "constructs", &low));
    assert_non_null(omptape_module_code(library));
    struct omptape_code_range range = omptape_code_range(omptape_module_code(library), low, UINT64_MAX);
    assert_int_equal(range.low, low);
    assert_int_equal(range.step, 4);
    return range;
}

static bool calls_something(const struct omptape_code_range *range, uint64_t address)
{
    return range->bytes[address - range->low + 3] >> 2 == 0x94 >> 2; /* "bl" */
}

/* Resolves what the call before the return address may be, and what may end its body. */
static void resolve_arm(struct omptape_symbols *symbols, uint64_t address, const struct mark *marks,
                        size_t count, bool *met, const char *path)
{
    static const struct call calls[] = {{0, "parallel", -1}, {0, "task", -1},    {1, "parallel", -1},
                                        {1, "task", -1},     {1, "barrier", -1}, {1, "taskwait", -1}};
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        struct omptape_source source;
        bool inside = calls[i].address != 0;
        assert_int_equal(omptape_symbols_resolve_call(symbols, inside ? ARM_RUNTIME : address,
                                                      inside ? address : 0, callees_of(calls[i].kind),
                                                      &source),
                         0);
        (void)is_marked(marks, count, met, &calls[i], &source, path);
    }
}

/* Code of a machine that need not be this one. */
static void other_machine(void **state)
{
    const struct fixture *fixture = *state;
    struct mark marks[MAX_MARKS];
    bool met[MAX_MARKS] = {false};
    char maps[PATH_MAX + 256];
    char path[PATH_MAX];
    size_t count = marks_read(fixture->source, marks);
    size_t missing = 0;
    struct omptape_symbols *symbols;
    struct omptape_module *library = omptape_module_open(fixture->command);
    assert_non_null(library);
    assert_non_null(realpath(fixture->source, path));
    int length = snprintf(
        maps, sizeof(maps), "%x-%x r-xp 00000000 08:01 77 %s\n%x-%x r-xp 00000000 08:01 78 /gone/libomp.so\n",
        ARM_BASE, ARM_RUNTIME - 0x1000, fixture->command, ARM_RUNTIME - 0x1000, ARM_RUNTIME + 0x1000);
    assert_int_equal(omptape_symbols_create(&symbols), 0);
    assert_int_equal(omptape_symbols_add_maps(symbols, maps, (size_t)length), 0);
    struct omptape_code_range range = code_of(library);
    for (uint64_t address = range.low; address < range.high; address += range.step)
        if (calls_something(&range, address))
            resolve_arm(symbols, ARM_BASE + address + 4, marks, count, met, path);
    for (size_t i = 0; i < count; i++)
        missing += !met[i];
    if (missing != 0)
        fail_msg("%zu of %zu marks were not met", missing, count);
    omptape_symbols_destroy(symbols);
    omptape_module_close(library);
}

int main(void)
{
    static struct fixture fixtures[MAX_FIXTURES];
    struct CMUnitTest tests[MAX_FIXTURES + 3];
    size_t fixture_count = fixtures_read(fixtures);
    size_t count = 0;
    for (size_t i = 0; i < fixture_count; i++)
        if (strcmp(fixtures[i].expect, "tail") == 0)
            tests[count++] = (struct CMUnitTest){
                .name = fixtures[i].name, .test_func = resolve_tails, .initial_state = &fixtures[i]};
        else if (strcmp(fixtures[i].expect, "pointer") == 0)
            tests[count++] = (struct CMUnitTest){
                .name = fixtures[i].name, .test_func = resolve_pointers, .initial_state = &fixtures[i]};
        else if (strcmp(fixtures[i].expect, "library") == 0)
            tests[count++] = (struct CMUnitTest){
                .name = fixtures[i].name, .test_func = other_machine, .initial_state = &fixtures[i]};
    assert_true(count > 0);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(tails_are_tails);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(right_addresses);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(unknown_callees);
    return _cmocka_run_group_tests("symbols_calls", tests, count, NULL, NULL);
}
