/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the way from a program to what it loads: ELF files, scripts, the loader's list, preloading
 * (src/command/run/program.c, elf.c, preload.c). The fixtures are built by the C compiler of
 * the build (TEST_CC) in a folder of their own.
 */
#include "src/command/run/program.h"
#include "src/command/run/run.h"
#include "src/command/text/notice.h"
#include "src/core/string_list.h"
#include "tests/unit/scratch.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[SCRATCH_BYTES];

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void cc(const char *arguments)
{
    char *command = omptape_text("%s -fPIC %s >cc.log 2>&1", TEST_CC, arguments);
    int result = system(command);
    if (result != 0) {
        (void)!system("cat cc.log >&2");
        fail_msg("failed: %s", command);
    }
    free(command);
}

static void build_libraries(void)
{
    write_file("gomp.c",
               "void GOMP_parallel(void) {} void GOMP_barrier(void) {} void GOMP_target_ext(void) {}\n"
               "void GOMP_teams4(void) {} int omp_get_thread_num(void) { return 0; }\n");
    write_file("gomp.map", "OMP_1.0 { omp_get_thread_num; }; GOMP_1.0 { GOMP_barrier; };\n"
                           "GOMP_4.0 { GOMP_parallel; GOMP_target_ext; }; GOMP_5.1 { GOMP_teams4; };\n");
    assert_int_equal(mkdir("gnu", 0777), 0);
    cc("-shared gomp.c -Wl,--version-script=gomp.map -Wl,-soname,libgomp.so.1 -o gnu/libgomp.so.1");
}

static void build_programs(void)
{
    write_file("main.c", "void GOMP_parallel(void); int main(void) { GOMP_parallel(); return 0; }\n");
    write_file("user.c", "void GOMP_barrier(void); void user(void); void user(void) { GOMP_barrier(); }\n");
    write_file("indirect.c", "void user(void); int main(void) { user(); return 0; }\n");
    write_file("plain.c", "int main(void) { return 0; }\n");
    cc("main.c gnu/libgomp.so.1 -o direct");
    cc("-shared user.c gnu/libgomp.so.1 -Wl,-rpath-link,gnu -Wl,-soname,libuser.so -o gnu/libuser.so");
    cc("indirect.c gnu/libuser.so -Wl,-rpath-link,gnu -o indirect");
    cc("plain.c -o plainprogram");
    cc("plain.c -static -o static");
    write_file("script", "#!./direct argument\n");
    write_file("envscript", "#!/usr/bin/env -S direct argument\n");
    write_file("text", "echo no first line\n");
    assert_int_equal(chmod("script", 0755), 0);
    assert_int_equal(chmod("envscript", 0755), 0);
    assert_int_equal(chmod("text", 0755), 0);
}

static int build(void **state)
{
    (void)state;
    if (scratch_make(folder) != 0 || chdir(folder) != 0)
        return -1;
    build_libraries();
    build_programs();
    notice_set_silent(true);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    return scratch_remove(folder);
}

static int set_environment(void **state)
{
    (void)state;
    char *path = omptape_text("%s/gnu", folder);
    setenv("LD_LIBRARY_PATH", path, 1);
    unsetenv("LD_PRELOAD");
    unsetenv("OMP_TOOL_LIBRARIES");
    free(path);
    return 0;
}

/* A program, and what its loader would load. */
struct subject {
    struct run_program program;
    struct libraries libraries;
};

static struct subject look_at(const char *name)
{
    struct subject subject;
    assert_int_equal(program_find(name, &subject.program), 0);
    (void)libraries_read(&subject.program, &subject.libraries);
    return subject;
}

static void forget(struct subject *subject)
{
    libraries_free(&subject->libraries);
    program_free(&subject->program);
}

static void assert_kind(const char *name, const char *binary, bool script, bool dynamic)
{
    struct run_program program;
    assert_int_equal(program_find(name, &program), 0);
    assert_int_equal(program.script, script);
    assert_int_equal(program.interpreter != NULL, dynamic);
    assert_false(program.foreign);
    assert_false(program.privileged);
    if (binary != NULL)
        assert_string_equal(program.binary, binary);
    else
        assert_null(program.binary);
    program_free(&program);
}

static void programs_are_told_apart(void **state)
{
    (void)state;
    char *path = omptape_text("/nonesuch:%s:%s", folder, getenv("PATH"));
    char *old = omptape_text("%s", getenv("PATH"));
    setenv("PATH", path, 1);
    char *direct = omptape_text("%s/direct", folder);
    assert_kind("./direct", "./direct", false, true);
    assert_kind("direct", direct, false, true);
    assert_kind("./static", "./static", false, false);
    assert_kind("./script", "./direct", true, true);
    assert_kind("./envscript", direct, true, true);
    assert_kind("./text", NULL, true, false);
    setenv("PATH", old, 1);
    free(direct);
    free(path);
    free(old);
}

static void programs_that_cannot_run(void **state)
{
    (void)state;
    struct run_program program;
    static const struct {
        const char *name;
        int error;
    } cases[] = {{"", -ENOENT},           {"nonesuch-program", -ENOENT},
                 {"./nonesuch", -ENOENT}, {"./main.c", -EACCES},
                 {"./gnu", -EACCES},      {"./main.c/x", -ENOENT}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(program_find(cases[i].name, &program), cases[i].error);
        program_free(&program);
    }
}

static void the_loader_tells_all_libraries(void **state)
{
    (void)state;
    struct subject subject = look_at("./indirect");
    const struct run_library *library = libraries_find(&subject.libraries, "libgomp.so.1");
    char *expected = omptape_text("%s/gnu/libgomp.so.1", folder);
    assert_non_null(library);
    assert_string_equal(library->path, expected);
    assert_non_null(libraries_find(&subject.libraries, "libuser.so"));
    assert_null(libraries_find(&subject.libraries, "libnonesuch"));
    free(expected);
    forget(&subject);

    unsetenv("LD_LIBRARY_PATH");
    subject = look_at("./indirect");
    library = libraries_find(&subject.libraries, "libuser.so");
    assert_non_null(library);
    assert_null(library->path);
    forget(&subject);
}

static void symbols_that_a_file_defines(void **state)
{
    (void)state;
    assert_true(elf_defines("gnu/libgomp.so.1", "GOMP_parallel"));
    assert_false(elf_defines("gnu/libgomp.so.1", "__kmpc_fork_call"));
    assert_false(elf_defines("./direct", "GOMP_parallel"));
    assert_true(elf_defines("./static", "main"));
}

static void preloads_are_added(void **state)
{
    (void)state;
    struct subject subject = look_at("./plainprogram");
    setenv("LD_PRELOAD", "/lib/old.so", 1);
    assert_true(preload_set("x", &subject.program, &subject.libraries, "/l/libomptape.so"));
    assert_string_equal(getenv("LD_PRELOAD"), "/l/libomptape.so:/lib/old.so");
    assert_null(getenv("OMP_TOOL_LIBRARIES"));
    unsetenv("LD_PRELOAD");
    /* LD_PRELOAD cannot name a path with a space; the runtime's own variable can. */
    assert_true(preload_set("x", &subject.program, &subject.libraries, "/a b/libomptape.so"));
    assert_null(getenv("LD_PRELOAD"));
    assert_string_equal(getenv("OMP_TOOL_LIBRARIES"), "/a b/libomptape.so");
    assert_false(preload_set("x", &subject.program, &subject.libraries, "/a:b/libomptape.so"));
    assert_null(getenv("LD_PRELOAD"));
    forget(&subject);

    /* libgomp knows no such variable. */
    subject = look_at("./direct");
    unsetenv("OMP_TOOL_LIBRARIES");
    assert_false(preload_set("x", &subject.program, &subject.libraries, "/a b/libomptape.so"));
    assert_null(getenv("OMP_TOOL_LIBRARIES"));
    forget(&subject);

    subject = look_at("./static");
    assert_false(preload_set("x", &subject.program, &subject.libraries, "/l/libomptape.so"));
    forget(&subject);
}

static void runtimes_that_pass_over_preloads_are_told_otherwise(void **state)
{
    (void)state;
    char *path = omptape_text("%s/bound", folder);
    assert_int_equal(mkdir("bound", 0777), 0);
    write_file("begin.c", "void ompt_start_tool(void) {} void begin(void) { ompt_start_tool(); }\n");
    write_file("begun.c", "void begin(void); int main(void) { begin(); return 0; }\n");
    cc("-shared begin.c -Wl,-soname,libomp.so.5 -o bound/libomp.so.5");
    cc("begun.c bound/libomp.so.5 -o begun");
    setenv("LD_LIBRARY_PATH", path, 1);
    for (int bound = 0; bound < 2; bound++) {
        if (bound)
            cc("-shared begin.c -Wl,-soname,libomp.so.5 -Wl,-Bsymbolic-functions -o bound/libomp.so.5");
        assert_int_equal(elf_binds_itself("bound/libomp.so.5", "ompt_start_tool"), bound);
        assert_false(elf_binds_itself("bound/libomp.so.5", "nonesuch"));
        unsetenv("OMP_TOOL_LIBRARIES");
        struct subject subject = look_at("./begun");
        preload_add_tool_variable(&subject.libraries, "/l/libomptape.so");
        if (bound)
            assert_string_equal(getenv("OMP_TOOL_LIBRARIES"), "/l/libomptape.so");
        else
            assert_null(getenv("OMP_TOOL_LIBRARIES"));
        forget(&subject);
    }
    unsetenv("OMP_TOOL_LIBRARIES");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(programs_are_told_apart, set_environment),
        cmocka_unit_test_setup(programs_that_cannot_run, set_environment),
        cmocka_unit_test_setup(the_loader_tells_all_libraries, set_environment),
        cmocka_unit_test_setup(symbols_that_a_file_defines, set_environment),
        cmocka_unit_test_setup(runtimes_that_pass_over_preloads_are_told_otherwise, set_environment),
        cmocka_unit_test_setup(preloads_are_added, set_environment),
    };
    return cmocka_run_group_tests(tests, build, clean);
}
