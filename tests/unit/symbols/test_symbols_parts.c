/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the symbol resolver's parts that need no program: names, mappings, strings. Run by CTest as
 * unit.symbols_parts.
 */
#include "src/core/store.h"
#include "writers/symbols/image.h"
#include "writers/symbols/maps.h"
#include "writers/symbols/names.h"
#include "writers/symbols/runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What the user reads of a symbol. */
static void assert_reads(const char *symbol, const char *expected)
{
    char *text = omptape_name_readable(symbol, omptape_name_stem(symbol));
    assert_string_equal(text, expected);
    free(text);
}

static void user_names(void **state)
{
    (void)state;
    assert_reads("main", "main");
    assert_reads("_ZN2ns1S4workEdi", "ns::S::work(double, int)");
    assert_reads("_Z4tmplIiET_S0_", "int tmpl<int>(int)");
    assert_reads("_Zgarbage", "_Zgarbage");
    assert_reads("__grid_MOD_smooth", "grid::smooth");
    assert_reads("__MOD_", "__MOD_");
    assert_reads("_QMgridPsmooth", "grid::smooth");
    assert_reads("_QMgridFsmoothPclip", "grid::smooth::clip");
    assert_reads("_QPoutside", "outside");
    assert_reads("_QQmain", "main");
    assert_reads("_Quick", "_Quick");
    assert_reads("x1.y", "x1.y");
}

static void clone_suffixes(void **state)
{
    (void)state;
    assert_reads("solve.part.0", "solve");
    assert_reads("solve.constprop.1.isra.2", "solve");
    assert_reads("solve.cold", "solve");
    assert_reads("solve.isra.0.cold.17", "solve");
    assert_reads("solve.lto_priv.3", "solve");
    assert_reads("solve.llvm.1234567890", "solve");
    assert_reads("clip.0", "clip");
    assert_reads("_ZL4bumpPi.part.0", "bump(int*)");
    assert_reads(".cold", ".cold");
}

static void outlined_suffixes(void **state)
{
    (void)state;
    assert_reads("main.omp_outlined", "main");
    assert_reads("main.omp_outlined.12", "main");
    assert_reads("main.omp_outlined_debug__", "main");
    assert_reads("main.omp_outlined_debug__.omp_outlined", "main");
    assert_reads("_Z3fooi.omp_outlined_debug__.omp.reduction.reduction_func", "foo(int)");
    assert_reads("_Z3fooi._omp_fn.0", "foo(int)");
    assert_reads("foo.constprop.0._omp_fn.3.isra.1", "foo");
    assert_reads("MAIN__._omp_fn.0", "MAIN__");
    assert_reads("_QMgridPsmooth..omp_par.1", "grid::smooth");
    assert_reads("solve.extracted.2", "solve");
    assert_true(omptape_name_is_outlined("main.omp_outlined"));
    assert_true(omptape_name_is_outlined("main._omp_fn.0"));
    assert_true(omptape_name_is_outlined(".omp_task_entry."));
    assert_false(omptape_name_is_outlined("main"));
    assert_false(omptape_name_is_outlined("solve.part.0"));
    assert_false(omptape_name_is_outlined("my_omp_outlined"));
    assert_int_equal(omptape_name_stem(".omp_outlined."), 0);
    assert_int_equal(omptape_name_stem(".omp_outlined._debug__.3"), 0);
    assert_int_equal(omptape_name_stem(".omp_task_entry..5"), 0);
}

static void offload_names(void **state)
{
    (void)state;
    assert_reads("__omp_offloading_fd00_1a2b_main_l42", "__omp_offloading_fd00_1a2b_main_l42");
    assert_reads("__omp_offloading_fd00_1a2b_main_l42_debug__", "__omp_offloading_fd00_1a2b_main_l42");
    assert_reads("__omp_offloading_fd00_1a2b_main_l42.omp_outlined", "__omp_offloading_fd00_1a2b_main_l42");
    assert_false(omptape_name_is_outlined("__omp_offloading_fd00_1a2b_main_l42"));
}

static void names_of_bodies(void **state)
{
    (void)state;
    assert_true(omptape_name_is_body("main.omp_outlined"));
    assert_true(omptape_name_is_body("main.omp_outlined_debug__.omp_outlined.3"));
    assert_true(omptape_name_is_body(".omp_outlined..12"));
    assert_true(omptape_name_is_body(".omp_task_entry..2"));
    assert_true(omptape_name_is_body("main._omp_fn.0.constprop.0"));
    assert_true(omptape_name_is_body("_QQmain..omp_par"));
    assert_false(omptape_name_is_body("main._omp_cpyfn.1"));
    assert_false(omptape_name_is_body("main.omp_outlined_debug__.omp.reduction.reduction_func"));
    assert_false(omptape_name_is_body(".omp_task_privates_map."));
    assert_false(omptape_name_is_body("main"));
}

static void names_of_callees(void **state)
{
    (void)state;
    static const char *const list[] = {"GOMP_task", "__kmpc_fork_call*", NULL};
    static const char *const empty[] = {NULL};
    static const char *const all[] = {"*", NULL};
    assert_true(omptape_callee_is_listed("GOMP_task", list));
    assert_true(omptape_callee_is_listed("GOMP_task@@GOMP_2.0", list));
    assert_false(omptape_callee_is_listed("GOMP_taskwait", list));
    assert_false(omptape_callee_is_listed("GOMP_tas", list));
    assert_true(omptape_callee_is_listed("__kmpc_fork_call", list));
    assert_true(omptape_callee_is_listed("__kmpc_fork_call_if", list));
    assert_false(omptape_callee_is_listed("__kmpc_fork_cal@l", list));
    assert_false(omptape_callee_is_listed("", list));
    assert_false(omptape_callee_is_listed("GOMP_task", empty));
    assert_true(omptape_callee_is_listed("", all));
}

static void names_of_runtimes(void **state)
{
    (void)state;
    static const char *const runtimes[] = {
        "libomp.so",        "libomp.so.5",           "libomp-a34b3233.so.5", "libiomp5.so",
        "libgomp.so.1.0.0", "libgomp-d22c30c5.so.1", "libomptarget.so.19.1", "libomptarget.rtl.x86_64.so",
        "libomptape.so"};
    static const char *const others[] = {"libompd.so",   "libomp",   "libgomp",   "xlibomp.so",
                                         "libomptarget", "libiomp5", "libc.so.6", ""};
    for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
        assert_true(omptape_runtime_has_name(runtimes[i]));
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_false(omptape_runtime_has_name(others[i]));
}

static void long_names(void **state)
{
    (void)state;
    size_t length = 1 << 20;
    char *name = malloc(length + 1);
    assert_non_null(name);
    memset(name, 'S', length);
    memcpy(name, "_Z", 2);
    name[length] = '\0';
    assert_reads(name, name);
    free(name);
}

struct maps {
    struct omptape_rows strings;
    struct omptape_maps maps;
};

static void add(struct maps *maps, const char *text)
{
    assert_int_equal(omptape_maps_add(&maps->maps, &maps->strings, text, strlen(text)), 0);
}

static void assert_at(const struct maps *maps, uint64_t address, const char *path, uint64_t file_offset)
{
    const struct omptape_mapping *mapping = omptape_maps_find(&maps->maps, address);
    assert_non_null(mapping);
    if (path != NULL)
        assert_string_equal(mapping->path, path);
    else
        assert_null(mapping->path);
    assert_int_equal(address - mapping->start + mapping->offset, file_offset);
}

static void free_maps(struct maps *maps)
{
    omptape_maps_free(&maps->maps);
    omptape_rows_free(&maps->strings);
}

static void kinds_of_mappings(void **state)
{
    (void)state;
    struct maps maps = {0};
    add(&maps, "400000-401000 r--p 00000000 08:01 12                         /bin/a b\n"
               "401000-402000 r-xp 00001000 08:01 12                         /bin/a b\n"
               "500000-501000 r-xp 00000000 00:00 0 \n"
               "600000-601000 r-xp 00002000 08:01 13                         /tmp/gone.so (deleted)\n"
               "610000-611000 rwxs 00000000 00:01 15                         /tmp/ffiAbCdEf (deleted)\n"
               "620000-621000 r-xs 00000000 00:01 16                         /dev/zero (deleted)\n"
               "630000-631000 r-xp 00000000 00:01 17                         /memfd:code (deleted)\n"
               "700000-701000 r-xp 00000000 08:01 14                         /tmp/new\\012line\n"
               "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0      [vsyscall]");
    assert_null(omptape_maps_find(&maps.maps, 0x400800));
    assert_null(omptape_maps_find(&maps.maps, 0x402000));
    assert_at(&maps, 0x401000, "/bin/a b", 0x1000);
    assert_at(&maps, 0x401fff, "/bin/a b", 0x1fff);
    assert_at(&maps, 0x500000, NULL, 0);
    assert_at(&maps, 0x600010, "/tmp/gone.so", 0x2010);
    assert_at(&maps, 0x700000, "/tmp/new\nline", 0);
    assert_at(&maps, 0xffffffffff600000, "[vsyscall]", 0);
    assert_true(omptape_maps_find(&maps.maps, 0x401000)->file);
    assert_false(omptape_maps_find(&maps.maps, 0x600000)->file);
    assert_true(omptape_maps_find(&maps.maps, 0x600000)->gone);
    for (uint64_t generated = 0x610000; generated < 0x640000; generated += 0x10000) {
        assert_false(omptape_maps_find(&maps.maps, generated)->file);
        assert_false(omptape_maps_find(&maps.maps, generated)->gone);
    }
    assert_false(omptape_maps_find(&maps.maps, 0xffffffffff600000)->file);
    free_maps(&maps);
}

static void newer_mappings(void **state)
{
    (void)state;
    struct maps maps = {0};
    add(&maps, "1000-5000 r-xp 00000000 08:01 1 /old\n9000-a000 r-xp 00000000 08:01 1 /high\n");
    add(&maps, "9000-a000 r-xp 00000000 08:01 1 /high\n");
    assert_int_equal(maps.maps.count, 2);
    add(&maps, "2000-3000 r-xp 00007000 08:01 2 /inside\n");
    assert_at(&maps, 0x1fff, "/old", 0xfff);
    assert_at(&maps, 0x2000, "/inside", 0x7000);
    assert_at(&maps, 0x3000, "/old", 0x2000);
    add(&maps, "0-2800 r-xp 00000000 08:01 3 /left\n4800-9800 r-xp 00000000 08:01 4 /right\n");
    assert_at(&maps, 0x27ff, "/left", 0x27ff);
    assert_at(&maps, 0x2800, "/inside", 0x7800);
    assert_at(&maps, 0x47ff, "/old", 0x37ff);
    assert_at(&maps, 0x97ff, "/right", 0x4fff);
    assert_at(&maps, 0x9800, "/high", 0x800);
    add(&maps, "0-10000 r-xp 00000000 08:01 5 /all\n");
    assert_int_equal(maps.maps.count, 1);
    assert_at(&maps, 0x9800, "/all", 0x9800);
    free_maps(&maps);
}

static uint32_t code(struct maps *maps, uint64_t address)
{
    return omptape_maps_code(&maps->maps, address);
}

static const char *path_of(struct maps *maps, uint64_t address, uint32_t code)
{
    const struct omptape_mapping *mapping = omptape_maps_find_code(&maps->maps, address, code);
    return mapping != NULL ? mapping->path : NULL;
}

/* What lay at one address in turn keeps a number each, however often it comes. */
static void codes(void **state)
{
    (void)state;
    static const char *const lines[] = {"1000-3000 r-xp 00000000 08:01 1 /a\n",
                                        "1000-2000 r-xp 00000000 08:01 2 /b\n",
                                        "1000-4000 r-xp 00001000 08:01 3 /c\n"};
    struct maps maps = {0};
    uint32_t numbers[3];
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 3; i++) {
            add(&maps, lines[i]);
            if (round == 0)
                numbers[i] = code(&maps, 0x1800);
            assert_int_equal(code(&maps, 0x1800), numbers[i]);
        }
    }
    assert_int_equal(numbers[0], 0);
    assert_true(numbers[1] != 0 && numbers[2] != 0 && numbers[1] != numbers[2]);
    assert_string_equal(path_of(&maps, 0x1800, 0), "/a");
    assert_string_equal(path_of(&maps, 0x1800, numbers[1]), "/b");
    assert_string_equal(path_of(&maps, 0x1800, numbers[2]), "/c");
    assert_string_equal(path_of(&maps, 0x1800, 77), "/a");
    assert_string_equal(path_of(&maps, 0x3800, 0), "/c");
    assert_int_equal(code(&maps, 0x3800), 0);
    assert_int_equal(maps.maps.former_count, 3);
    /* Found again in the kernel's map, in pieces or as one: the same code. */
    add(&maps, "1000-2000 r-xp 00001000 08:01 3 /c\n2000-4000 r-xp 00002000 08:01 3 /c\n");
    assert_int_equal(code(&maps, 0x1800), numbers[2]);
    assert_int_equal(code(&maps, 0x2800), numbers[2]);
    assert_int_equal(maps.maps.former_count, 3);
    free_maps(&maps);
}

/* Another file at the same path has code of its own; a file that is not known may be the same. */
static void replaced_file(void **state)
{
    (void)state;
    struct maps maps = {0};
    add(&maps, "1000-3000 r-xp 00000000 08:01 1 /a\n");
    add(&maps, "1000-3000 r-xp 00000000 00:00 0 /a\n");
    assert_int_equal(code(&maps, 0x1800), 0);
    add(&maps, "1000-3000 r-xp 00000000 08:01 2 /a\n");
    const uint32_t second = code(&maps, 0x1800);
    assert_true(second != 0);
    assert_int_equal(omptape_maps_find_code(&maps.maps, 0x1800, 0)->inode, 1);
    assert_int_equal(omptape_maps_find_code(&maps.maps, 0x1800, second)->inode, 2);
    free_maps(&maps);
}

/* By the file's name where it is gone, by the shared-object name where the file's name does not tell. */
static void runtimes(void **state)
{
    (void)state;
    struct maps maps = {0};
    add(&maps, "1000-2000 r-xp 00000000 08:01 1 /gone/libomp.so.5 (deleted)\n"
               "3000-4000 r-xp 00000000 08:01 2 " FIXTURES "/lib/libstandin.so\n"
               "5000-6000 r-xp 00000000 08:01 3 /gone/libstandin.so\n"
               "7000-8000 r-xp 00000000 00:00 0 \n"
               "9000-a000 r-xp 00000000 00:00 0 [vdso]\n");
    omptape_runtime_examine(&maps.maps);
    assert_true(omptape_maps_find(&maps.maps, 0x1800)->runtime);
    assert_true(omptape_maps_find(&maps.maps, 0x3800)->runtime);
    assert_false(omptape_maps_find(&maps.maps, 0x5800)->runtime);
    assert_false(omptape_maps_find(&maps.maps, 0x7800)->runtime);
    assert_false(omptape_maps_find(&maps.maps, 0x9800)->runtime);
    add(&maps, "3000-3800 r-xp 00000000 08:01 4 /gone/other.so\n");
    omptape_runtime_examine(&maps.maps);
    assert_false(omptape_maps_find(&maps.maps, 0x3400)->runtime);
    assert_true(omptape_maps_find(&maps.maps, 0x3c00)->runtime);
    free_maps(&maps);
}

static void senseless_lines(void **state)
{
    (void)state;
    static const char *const lines[] = {"\n",
                                        "hello\n",
                                        "1000\n",
                                        "1000-2000\n",
                                        "1000-2000 r-x",
                                        "1000-2000 r-xp\n",
                                        "1000-2000 r-xp zz 0 0 /x\n",
                                        "2000-1000 r-xp 00000000 08:01 1 /x\n",
                                        "1000-1000 r-xp 00000000 08:01 1 /x\n",
                                        "-2000 r-xp 00000000 08:01 1 /x\n",
                                        "1000-2000 rw-p 00000000 08:01 1 /x\n"};
    struct maps maps = {0};
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
        add(&maps, lines[i]);
    assert_int_equal(omptape_maps_add(&maps.maps, &maps.strings, "", 0), 0);
    assert_int_equal(maps.maps.count, 0);
    assert_null(omptape_maps_find(&maps.maps, 0x1000));
    add(&maps, "1000-2000 r-xp 00000000");
    assert_at(&maps, 0x1000, NULL, 0);
    free_maps(&maps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(user_names),
        cmocka_unit_test(clone_suffixes),
        cmocka_unit_test(outlined_suffixes),
        cmocka_unit_test(offload_names),
        cmocka_unit_test(names_of_bodies),
        cmocka_unit_test(names_of_callees),
        cmocka_unit_test(names_of_runtimes),
        cmocka_unit_test(long_names),
        cmocka_unit_test(kinds_of_mappings),
        cmocka_unit_test(newer_mappings),
        cmocka_unit_test(codes),
        cmocka_unit_test(replaced_file),
        cmocka_unit_test(runtimes),
        cmocka_unit_test(senseless_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
