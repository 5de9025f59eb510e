/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The symbol resolver among files that are damaged, gone or no programs at all: it must survive and say what
 * it still knows. Run by CTest as unit.symbols_damage.
 */
#include "tests/unit/scratch.h"
#include "tests/unit/symbols/fixtures.h"
#include "writers/symbols/registers.h"
#include "writers/symbols/symbols.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROUNDS = 400 };

static char folder[SCRATCH_BYTES];

static int make_folder(void **state)
{
    (void)state;
    return scratch_make(folder);
}

static int remove_folder(void **state)
{
    (void)state;
    return scratch_remove(folder);
}

struct bytes {
    unsigned char *data;
    size_t size;
};

static struct bytes read_file(const char *path)
{
    struct stat status;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &status), 0);
    struct bytes bytes = {malloc((size_t)status.st_size), (size_t)status.st_size};
    assert_non_null(bytes.data);
    assert_int_equal(fread(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const unsigned char *data, size_t size)
{
    (void)unlink(path); /* some file systems write a truncated file to the disk at once */
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void name_file(char path[64], const char *name)
{
    assert_true(snprintf(path, 64, "%s/%s", folder, name) < 64);
}

enum { PROGRAM_LOW = 0x1000, PROGRAM_HIGH = 0x100000, RUNTIME_LOW = 0x200000, RUNTIME_HIGH = 0x201000 };

static bool is_in_program(const struct call *call, uint64_t base)
{
    return call->address - base >= PROGRAM_LOW && call->address - base < PROGRAM_HIGH;
}

static size_t calls_in_program(const struct report *report, uint64_t base)
{
    size_t count = 0;
    for (size_t i = 0; i < report->call_count; i++)
        count += is_in_program(&report->calls[i], base);
    return count;
}

/* Leads the call wherever damage leads, as the call of some construct and as one in the construct's body. */
static void resolve_as_call(struct omptape_symbols *symbols, uint64_t address, const char *path)
{
    static const char *const callees[] = {"__kmpc_omp_taskwait", "GOMP_*",           "__kmpc_barrier",
                                          "__kmpc_omp_task",     "__kmpc_fork_call", NULL};
    struct omptape_source source;
    assert_int_equal(omptape_symbols_resolve_call(symbols, address, 0, callees, &source), 0);
    assert_string_equal(source.module, path);
    /* The last callee is not among them: the search goes on. */
    assert_int_equal(omptape_symbols_resolve_call(symbols, address, 0, callees + 5, &source), 0);
    assert_string_equal(source.module, path);
    assert_int_equal(omptape_symbols_resolve_call(symbols, RUNTIME_LOW + 16, address, callees, &source), 0);
    assert_string_equal(source.module, path);
}

/* Unwinds a stack that is full of the program's own return addresses, as a program that means harm has it. */
static void unwind_hostile_stack(struct omptape_symbols *symbols, const struct report *report, uint64_t base,
                                 uint64_t address)
{
    enum { STACK = 0x70000000, WORDS = 256, OFTEN = 3 };
    struct omptape_call_path path;
    uint64_t registers[OMPTAPE_REGISTERS + 1];
    uint64_t words[WORDS];
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = i % OFTEN == 0 ? STACK + 8 * ((i + 7) % WORDS)
                                  : report->calls[i % report->call_count].address - base;
    for (unsigned i = 0; i <= OMPTAPE_REGISTERS; i++)
        registers[i] = STACK + 8 * i;
    registers[OMPTAPE_REGISTER_SP] = STACK;
    registers[OMPTAPE_REGISTER_PC] = address;
    const struct omptape_stack_copy copy = {
        .registers = registers, .bytes = (const unsigned char *)words, .count = sizeof(words)};
    if (omptape_symbols_unwind(symbols, &copy, &path))
        assert_true(path.count > 0 && path.count <= OMPTAPE_MAX_CALL_PATH);
}

/* Resolves all calls of the report as if the program lay at `path`. */
static unsigned resolve_all(const struct report *report, uint64_t base, const char *path)
{
    struct omptape_symbols *symbols;
    char maps[256];
    unsigned lines = 0;
    int length = snprintf(maps, sizeof(maps),
                          "%x-%x r-xp 00001000 08:01 77 %s\n%x-%x r-xp 00000000 08:01 78 /gone/libomp.so.5\n",
                          PROGRAM_LOW, PROGRAM_HIGH, path, RUNTIME_LOW, RUNTIME_HIGH);
    assert_int_equal(omptape_symbols_create(&symbols), 0);
    assert_int_equal(omptape_symbols_add_maps(symbols, maps, (size_t)length), 0);
    assert_true(omptape_symbols_in_runtime(symbols, RUNTIME_LOW + 16));
    for (size_t i = 0; i < report->call_count; i++) {
        struct omptape_source source;
        if (!is_in_program(&report->calls[i], base))
            continue;
        assert_int_equal(omptape_symbols_resolve(symbols, report->calls[i].address - base, &source), 0);
        assert_string_equal(source.module, path);
        assert_true(source.module_offset != 0);
        lines += source.line != 0;
        resolve_as_call(symbols, report->calls[i].address - base, path);
        if (OMPTAPE_REGISTERS > 0)
            unwind_hostile_stack(symbols, report, base, report->calls[i].address - base);
    }
    omptape_symbols_destroy(symbols);
    return lines;
}

static uint32_t random_number(uint32_t *state)
{
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
    return *state >> 8;
}

static void damage(struct bytes *copy, const struct bytes *original, uint32_t *random)
{
    memcpy(copy->data, original->data, original->size);
    copy->size = random_number(random) % 8 ? original->size : random_number(random) % original->size;
    for (uint32_t flips = 1 + random_number(random) % 32; flips > 0; flips--) {
        /* Half of them in the last part of the file, where debug info and section headers lie. */
        size_t from = random_number(random) % 2 ? original->size / 3 : 0;
        size_t at = from + random_number(random) % (original->size - from);
        copy->data[at] ^= (unsigned char)(1U << random_number(random) % 8);
    }
}

static void damaged_programs(void **state)
{
    /* Those that may be missing are the last. */
    static const char *const names[] = {"g++-O2",        "g++-compressed",   "gfortran-O2",
                                        "tails-gcc-O2",  "tails-g++-O3",     "clang++-14-dwarf4",
                                        "clang++-19-O2", "tails-clang-19-O2"};
    struct report reports[MAX_REPORTS];
    char path[64];
    uint32_t random = 20240607;
    (void)state;
    name_file(path, "prog");
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const struct fixture *fixture = fixtures_find(names[i]);
        size_t count = fixture_run(fixture->command, reports);
        uint64_t base = report_base(&reports[0], fixture->command);
        struct bytes original = read_file(fixture->command);
        struct bytes copy = {malloc(original.size), original.size};
        assert_non_null(copy.data);
        write_file(path, original.data, original.size);
        assert_int_equal(resolve_all(&reports[0], base, path), calls_in_program(&reports[0], base));
        for (int round = 0; round < ROUNDS; round++) {
            damage(&copy, &original, &random);
            write_file(path, copy.data, copy.size);
            resolve_all(&reports[0], base, path);
        }
        free(copy.data);
        free(original.data);
        reports_free(reports, count);
    }
    assert_int_equal(unlink(path), 0);
}

/* A package of split debug info is a file of its own. */
static void damaged_package(void **state)
{
    struct report reports[MAX_REPORTS];
    char path[64];
    char package[64];
    char origin[4096];
    uint32_t random = 4711;
    (void)state;
    const struct fixture *fixture = fixtures_find("clang++-19-package5");
    size_t count = fixture_run(fixture->command, reports);
    uint64_t base = report_base(&reports[0], fixture->command);
    name_file(path, "prog");
    name_file(package, "prog.dwp");
    struct bytes program = read_file(fixture->command);
    write_file(path, program.data, program.size);
    assert_true(snprintf(origin, sizeof(origin), "%s.dwp", fixture->command) < (int)sizeof(origin));
    struct bytes original = read_file(origin);
    struct bytes copy = {malloc(original.size), original.size};
    assert_non_null(copy.data);
    for (int round = 0; round < ROUNDS; round++) {
        damage(&copy, &original, &random);
        write_file(package, copy.data, copy.size);
        assert_int_equal(resolve_all(&reports[0], base, path),
                         calls_in_program(&reports[0], base)); /* lines are the program's */
    }
    free(copy.data);
    free(original.data);
    free(program.data);
    reports_free(reports, count);
    assert_int_equal(unlink(package), 0);
    assert_int_equal(unlink(path), 0);
}

/* Beside the program lies a pipe by the name of each file that its units were split into. */
static void pipes_for_split_units(void **state)
{
    struct report reports[MAX_REPORTS];
    char path[64];
    char pipe[64];
    struct dirent *entry;
    unsigned pipes = 0;
    (void)state;
    const struct fixture *fixture = fixtures_find("g++-split4");
    size_t count = fixture_run(fixture->command, reports);
    uint64_t base = report_base(&reports[0], fixture->command);
    struct bytes program = read_file(fixture->command);
    name_file(path, "prog");
    write_file(path, program.data, program.size);
    char *built = strdup(fixture->command);
    assert_non_null(built);
    *strrchr(built, '/') = '\0';
    DIR *list = opendir(built);
    assert_non_null(list);
    while ((entry = readdir(list)) != NULL) {
        const char *end = strrchr(entry->d_name, '.');
        if (end == NULL || strcmp(end, ".dwo") != 0)
            continue;
        name_file(pipe, entry->d_name);
        assert_int_equal(mkfifo(pipe, 0600), 0);
        pipes++;
    }
    assert_true(pipes > 0);
    assert_int_equal(resolve_all(&reports[0], base, path), calls_in_program(&reports[0], base));
    closedir(list);
    free(built);
    free(program.data);
    reports_free(reports, count);
    assert_int_equal(unlink(path), 0);
}

static void resolve_at(const char *maps, uint64_t return_address, int expected, struct omptape_source *source)
{
    struct omptape_symbols *symbols;
    assert_int_equal(omptape_symbols_create(&symbols), 0);
    assert_int_equal(omptape_symbols_add_maps(symbols, maps, strlen(maps)), 0);
    assert_int_equal(omptape_symbols_resolve(symbols, return_address, source), expected);
    assert_null(source->file);
    assert_null(source->function);
    assert_null(source->symbol);
    assert_int_equal(source->line, 0);
    omptape_symbols_destroy(symbols);
}

static void assert_module_only(const char *path, const char *suffix)
{
    struct omptape_source source;
    char maps[256];
    snprintf(maps, sizeof(maps), "10000-20000 r-xp 00003000 08:01 77   %s%s\n", path, suffix);
    resolve_at(maps, 0x10011, 0, &source);
    assert_int_equal(source.module_offset, 0x3010);
}

/* Things that a program can map and that are no ELF files, or no files any more. */
static void no_programs(void **state)
{
    (void)state;
    static const unsigned char text[] =
        "#!/bin/sh\necho this is no ELF file, though long enough to hold a header\n";
    static const unsigned char magic[] = "\177ELF\2\1\1";
    char path[64];
    name_file(path, "file");
    write_file(path, text, sizeof(text));
    assert_module_only(path, "");
    write_file(path, magic, sizeof(magic));
    assert_module_only(path, "");
    write_file(path, text, 0);
    assert_module_only(path, "");
    assert_int_equal(unlink(path), 0);
    assert_module_only(path, "");
    assert_module_only(path, " (deleted)");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_module_only(path, "");
    assert_int_equal(unlink(path), 0);
    assert_module_only(folder, "");
    assert_module_only("/dev/zero", "");
    assert_module_only("/memfd:code", " (deleted)");
    assert_module_only("[vdso]", "");
}

static void unknown_addresses(void **state)
{
    (void)state;
    struct omptape_source source;
    const char *maps = "10000-20000 r-xp 00000000 00:00 0 \n";
    resolve_at(maps, 0x10010, -ENOENT, &source);
    assert_null(source.module);
    resolve_at(maps, 0x30000, -ENOENT, &source);
    resolve_at(maps, 0, -ENOENT, &source);
    resolve_at("", UINT64_MAX, -ENOENT, &source);
}

/* A call can be the last instruction of a mapping; its return address is then outside. */
static void covered_addresses(void **state)
{
    (void)state;
    struct omptape_symbols *symbols;
    const char *maps = "10000-20000 r-xp 00000000 00:00 0 \n";
    assert_int_equal(omptape_symbols_create(&symbols), 0);
    assert_false(omptape_symbols_covers(symbols, 0x10001));
    assert_int_equal(omptape_symbols_add_maps(symbols, maps, strlen(maps)), 0);
    assert_false(omptape_symbols_covers(symbols, 0));
    assert_false(omptape_symbols_covers(symbols, 0x10000));
    assert_true(omptape_symbols_covers(symbols, 0x10001));
    assert_true(omptape_symbols_covers(symbols, 0x20000));
    assert_false(omptape_symbols_covers(symbols, 0x20001));
    omptape_symbols_destroy(symbols);
    omptape_symbols_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_programs),  cmocka_unit_test(damaged_package),
        cmocka_unit_test(no_programs),       cmocka_unit_test(unknown_addresses),
        cmocka_unit_test(covered_addresses), cmocka_unit_test(pipes_for_split_units),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
