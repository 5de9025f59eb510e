/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the way from a program to the runtime it gets: ELF files, scripts, the loader's list, and
 * LLVM's runtime in libgomp's place (src/command/program/program.c, libraries.c, elf.c, runtime.c, gomp.c).
 * The fixtures are built by the C compiler of the build (TEST_CC) in a folder of their own: a libgomp,
 * runtimes that can and cannot stand in for it, programs.
 */
#include "src/command/program/elf.h"
#include "src/command/program/gomp.h"
#include "src/command/program/libraries.h"
#include "src/command/program/preload.h"
#include "src/command/program/program.h"
#include "src/command/program/runtime.h"
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

/* Everything but the versions that a runtime has in common with libgomp. */
static const char llvm_source[] = "void ompt_start_tool(void) {} void __kmpc_fork_call(void) {}\n"
                                  "void GOMP_parallel(void) {} void GOMP_barrier(void) {}\n"
                                  "int omp_get_thread_num(void) { return 0; }\n";
static const char llvm_versions[] =
    "VERSION { ompt_start_tool; __kmpc_fork_call; };\n"
    "OMP_1.0 { omp_get_thread_num; }; GOMP_1.0 { GOMP_barrier; }; GOMP_4.0 { GOMP_parallel; };\n";

static void build_libraries(void)
{
    write_file("gomp.c",
               "void GOMP_parallel(void) {} void GOMP_barrier(void) {} void GOMP_target_ext(void) {}\n"
               "void GOMP_teams4(void) {} int omp_get_thread_num(void) { return 0; }\n");
    write_file("gomp.map", "OMP_1.0 { omp_get_thread_num; }; GOMP_1.0 { GOMP_barrier; };\n"
                           "GOMP_4.0 { GOMP_parallel; GOMP_target_ext; }; GOMP_5.1 { GOMP_teams4; };\n");
    write_file("llvm.c", llvm_source);
    write_file("llvm.map", llvm_versions);
    assert_int_equal(mkdir("gnu", 0777), 0);
    assert_int_equal(mkdir("llvm", 0777), 0);
    assert_int_equal(mkdir("plain", 0777), 0);
    cc("-shared gomp.c -Wl,--version-script=gomp.map -Wl,-soname,libgomp.so.1 -o gnu/libgomp.so.1");
    cc("-shared llvm.c -Wl,--version-script=llvm.map -Wl,-soname,libomp.so.5 -o llvm/libomp.so.5");
    /* A libomp that was built without OMPT. */
    cc("-shared llvm.c -Dompt_start_tool=something_else -Wl,-soname,libomp.so.5 -o plain/libomp.so.5");
}

static void build_programs(void)
{
    write_file("main.c", "void GOMP_parallel(void); int main(void) { GOMP_parallel(); return 0; }\n");
    write_file("newer.c", "void GOMP_teams4(void); int main(void) { GOMP_teams4(); return 0; }\n");
    write_file("target.c", "void GOMP_target_ext(void); int main(void) { GOMP_target_ext(); return 0; }\n");
    write_file("user.c", "void GOMP_barrier(void); void user(void); void user(void) { GOMP_barrier(); }\n");
    write_file("indirect.c", "void user(void); int main(void) { user(); return 0; }\n");
    write_file("plain.c", "int main(void) { return 0; }\n");
    cc("main.c gnu/libgomp.so.1 -o direct");
    cc("newer.c gnu/libgomp.so.1 -o newer");
    cc("target.c gnu/libgomp.so.1 -o target");
    cc("-shared user.c gnu/libgomp.so.1 -Wl,-rpath-link,gnu -Wl,-soname,libuser.so -o gnu/libuser.so");
    cc("indirect.c gnu/libuser.so -Wl,-rpath-link,gnu -o indirect");
    cc("plain.c -o plainprogram");
    cc("main.c gnu/libgomp.so.1 -Wl,-rpath,$PWD/gnu -Wl,--disable-new-dtags -o rpath");
    cc("main.c gnu/libgomp.so.1 -Wl,-rpath,$PWD/gnu -Wl,--enable-new-dtags -o runpath");
    cc("main.c -Wl,--no-as-needed gnu/libgomp.so.1 llvm/libomp.so.5 -o both");
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
    omptape_notice_silence(true);
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
    char *path = omptape_text("%s/gnu:%s/llvm", folder, folder);
    setenv("LD_LIBRARY_PATH", path, 1);
    setenv("TMPDIR", folder, 1);
    unsetenv("LD_PRELOAD");
    unsetenv("OMP_TOOL_LIBRARIES");
    free(path);
    return 0;
}

/* What omptape_gomp_prepare decides about a program. */
struct decision {
    struct omptape_program program;
    struct omptape_libraries libraries;
    struct omptape_gomp_plan plan;
};

static struct decision decide(const char *name, enum omptape_gomp gomp, const char *libomp)
{
    struct decision decision;
    struct omptape_options options = {.gomp = gomp, .libomp = libomp};
    assert_int_equal(omptape_program_find(name, &decision.program), 0);
    (void)omptape_libraries_read(&decision.program, NULL, &decision.libraries);
    omptape_gomp_prepare(name, &decision.program, &decision.libraries, &options, &decision.plan);
    return decision;
}

static void forget(struct decision *decision)
{
    omptape_gomp_end(&decision->plan);
    omptape_libraries_free(&decision->libraries);
    omptape_program_free(&decision->program);
}

static void assert_replaced_by(const struct decision *decision, const char *runtime)
{
    char *expected = realpath(runtime, NULL);
    assert_non_null(expected);
    assert_non_null(decision->plan.folder);
    char *link = omptape_text("%s/libgomp.so.1", decision->plan.folder);
    char *target = realpath(link, NULL);
    assert_non_null(target);
    assert_string_equal(target, expected);
    assert_int_equal(
        strncmp(decision->plan.library_path, decision->plan.folder, strlen(decision->plan.folder)), 0);
    assert_false(decision->plan.hopeless);
    free(expected);
    free(link);
    free(target);
}

static void assert_left_alone(const char *name, enum omptape_gomp gomp, bool hopeless)
{
    struct decision decision = decide(name, gomp, NULL);
    assert_null(decision.plan.folder);
    assert_null(decision.plan.library_path);
    assert_int_equal(decision.plan.hopeless, hopeless);
    forget(&decision);
}

static void assert_kind(const char *name, const char *binary, bool script, bool dynamic)
{
    struct omptape_program program;
    assert_int_equal(omptape_program_find(name, &program), 0);
    assert_int_equal(program.script, script);
    assert_int_equal(program.interpreter != NULL, dynamic);
    assert_false(program.foreign);
    assert_false(program.privileged);
    if (binary != NULL)
        assert_string_equal(program.binary, binary);
    else
        assert_null(program.binary);
    omptape_program_free(&program);
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
    struct omptape_program program;
    static const struct {
        const char *name;
        int error;
    } cases[] = {{"", -ENOENT},           {"nonesuch-program", -ENOENT},
                 {"./nonesuch", -ENOENT}, {"./main.c", -EACCES},
                 {"./gnu", -EACCES},      {"./main.c/x", -ENOENT}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(omptape_program_find(cases[i].name, &program), cases[i].error);
        omptape_program_free(&program);
    }
}

static void the_loader_tells_all_libraries(void **state)
{
    (void)state;
    struct decision decision = decide("./indirect", OMPTAPE_GOMP_OFF, NULL);
    const struct omptape_library *library = omptape_libraries_find(&decision.libraries, "libgomp.so.1");
    char *expected = omptape_text("%s/gnu/libgomp.so.1", folder);
    assert_non_null(library);
    assert_string_equal(library->path, expected);
    assert_non_null(omptape_libraries_find(&decision.libraries, "libuser.so"));
    assert_null(omptape_libraries_find(&decision.libraries, "libnonesuch"));
    free(expected);
    forget(&decision);

    unsetenv("LD_LIBRARY_PATH");
    decision = decide("./indirect", OMPTAPE_GOMP_OFF, NULL);
    library = omptape_libraries_find(&decision.libraries, "libuser.so");
    assert_non_null(library);
    assert_null(library->path);
    forget(&decision);
}

static void demands_and_offers(void **state)
{
    (void)state;
    struct omptape_string_list demands = {0};
    struct omptape_string_list offers = {0};
    assert_int_equal(omptape_elf_demands("./direct", "libgomp.so.1", &demands), 0);
    assert_true(omptape_string_list_has(&demands, "@GOMP_4.0"));
    assert_true(omptape_string_list_has(&demands, "GOMP_parallel@GOMP_4.0"));
    assert_int_equal(demands.count, 2);
    assert_int_equal(omptape_elf_offers("llvm/libomp.so.5", &offers), 0);
    omptape_string_list_sort(&offers);
    assert_true(omptape_string_list_find(&offers, "GOMP_parallel"));
    assert_true(omptape_string_list_find(&offers, "GOMP_parallel@GOMP_4.0"));
    assert_false(omptape_string_list_find(&offers, "GOMP_parallel@GOMP_1.0"));
    assert_true(omptape_string_list_find(&offers, "@OMP_1.0"));
    assert_false(omptape_string_list_find(&offers, "@GOMP_5.1"));
    assert_true(omptape_elf_defines("llvm/libomp.so.5", "__kmpc_fork_call"));
    assert_false(omptape_elf_defines("gnu/libgomp.so.1", "__kmpc_fork_call"));
    assert_false(omptape_elf_defines("./direct", "GOMP_parallel"));
    assert_int_equal(omptape_elf_demands("main.c", "libgomp.so.1", &demands), -ENOEXEC);
    assert_int_equal(omptape_elf_demands("nonesuch", "libgomp.so.1", &demands), -ENOENT);
    omptape_string_list_free(&demands);
    omptape_string_list_free(&offers);
}

static void gcc_programs_get_llvms_runtime(void **state)
{
    (void)state;
    static const char *const names[] = {"./direct", "./indirect", "./runpath", "./script"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct decision decision = decide(names[i], OMPTAPE_GOMP_AUTO, NULL);
        assert_replaced_by(&decision, "llvm/libomp.so.5");
        assert_null(decision.plan.preload);
        char *private = omptape_text("%s", decision.plan.folder);
        forget(&decision);
        assert_int_equal(access(private, F_OK), -1);
        free(private);
    }
}

static void an_rpath_is_overcome_by_preloading(void **state)
{
    (void)state;
    struct decision decision = decide("./rpath", OMPTAPE_GOMP_AUTO, NULL);
    assert_replaced_by(&decision, "llvm/libomp.so.5");
    assert_non_null(decision.plan.preload);
    assert_non_null(strstr(decision.plan.preload, "llvm/libomp.so.5"));
    forget(&decision);
}

static void a_program_with_both_runtimes_gets_one(void **state)
{
    (void)state;
    struct decision decision = decide("./both", OMPTAPE_GOMP_AUTO, NULL);
    assert_replaced_by(&decision, "llvm/libomp.so.5");
    forget(&decision);
    /* Forbidden, it can still be traced on the other one. */
    assert_left_alone("./both", OMPTAPE_GOMP_OFF, false);
}

static void other_programs_are_left_alone(void **state)
{
    (void)state;
    assert_left_alone("./plainprogram", OMPTAPE_GOMP_AUTO, false);
    assert_left_alone("./static", OMPTAPE_GOMP_AUTO, false);
    assert_left_alone("./text", OMPTAPE_GOMP_AUTO, false);
    assert_left_alone("./direct", OMPTAPE_GOMP_OFF, true);
}

static void a_libgomp_that_starts_tools_is_left_alone(void **state)
{
    (void)state;
    /* It asks for the function weakly, or by its name. One that only has a longer word is as any other. */
    static const char *const ways[] = {
        "extern void ompt_start_tool(void) __attribute__((weak)); void look(void) { ompt_start_tool(); }",
        "const char *look(void) { return \"ompt_start_tool\"; }",
        "const char *look(void) { return \"no ompt_start_tool\"; }"};
    char *path = omptape_text("%s/own", folder);
    assert_int_equal(mkdir("own", 0777), 0);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        write_file("own.c", ways[i]);
        cc("-shared gomp.c own.c -Wl,--version-script=gomp.map -Wl,-soname,libgomp.so.1 -o own/libgomp.so.1");
        char *both = omptape_text("%s:%s/llvm", path, folder);
        setenv("LD_LIBRARY_PATH", both, 1);
        free(both);
        if (i < 2) {
            assert_left_alone("./direct", OMPTAPE_GOMP_AUTO, false);
            assert_left_alone("./direct", OMPTAPE_GOMP_OFF, false);
        }
        struct decision decision = decide("./direct", i < 2 ? OMPTAPE_GOMP_ON : OMPTAPE_GOMP_AUTO, NULL);
        assert_replaced_by(&decision, "llvm/libomp.so.5");
        forget(&decision);
    }
    free(path);
}

static void a_libgomp_that_is_llvms_is_left_alone(void **state)
{
    (void)state;
    assert_int_equal(mkdir("linked", 0777), 0);
    assert_int_equal(symlink("../llvm/libomp.so.5", "linked/libgomp.so.1"), 0);
    char *path = omptape_text("%s/linked", folder);
    setenv("LD_LIBRARY_PATH", path, 1);
    assert_left_alone("./direct", OMPTAPE_GOMP_AUTO, false);
    free(path);
}

static void force_needs_no_reason(void **state)
{
    (void)state;
    static const char *const names[] = {"./plainprogram", "./text", "./target"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct decision decision = decide(names[i], OMPTAPE_GOMP_ON, "llvm");
        assert_replaced_by(&decision, "llvm/libomp.so.5");
        forget(&decision);
    }
}

static void versions_must_be_there(void **state)
{
    (void)state;
    struct decision decision = decide("./newer", OMPTAPE_GOMP_AUTO, "llvm");
    assert_null(decision.plan.folder);
    assert_true(decision.plan.hopeless);
    forget(&decision);
    /* The program would not even start. */
    decision = decide("./newer", OMPTAPE_GOMP_ON, "llvm");
    assert_null(decision.plan.folder);
    forget(&decision);
    decision = decide("./target", OMPTAPE_GOMP_AUTO, "llvm");
    assert_null(decision.plan.folder);
    forget(&decision);
}

static char *lacking(const char *program, const char *asked, int expected)
{
    struct omptape_string_list demands = {0};
    struct omptape_libraries libraries = {0};
    struct omptape_runtime runtime;
    assert_int_equal(omptape_elf_demands(program, "libgomp.so.1", &demands), 0);
    assert_int_equal(omptape_runtime_find(asked, &libraries, &demands, false, &runtime), expected);
    char *result = runtime.lacking != NULL ? omptape_text("%s", runtime.lacking) : NULL;
    omptape_runtime_free(&runtime);
    omptape_string_list_free(&demands);
    return result;
}

static void what_a_runtime_lacks_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *program, *asked, *lacking;
    } cases[] = {
        {"./newer", "llvm", "GOMP_5.1"},          {"./target", "llvm/libomp.so.5", "GOMP_target_ext"},
        {"./direct", "plain", "ompt_start_tool"}, {"./direct", "gnu/libgomp.so.1", "ompt_start_tool"},
        {"./direct", "main.c", "ELF format"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text = lacking(cases[i].program, cases[i].asked, -ENOENT);
        assert_non_null(text);
        assert_string_equal(text, cases[i].lacking);
        free(text);
    }
    assert_null(lacking("./direct", "nonesuch", -ENOENT));
    assert_null(lacking("./direct", "llvm", 0));
    assert_null(lacking("./direct", "llvm/libomp.so.5", 0));
}

static void a_runtime_without_ompt_is_passed_over(void **state)
{
    (void)state;
    char *path = omptape_text("%s/gnu:%s/plain:%s/llvm", folder, folder, folder);
    setenv("LD_LIBRARY_PATH", path, 1);
    struct decision decision = decide("./direct", OMPTAPE_GOMP_AUTO, NULL);
    assert_replaced_by(&decision, "llvm/libomp.so.5");
    assert_non_null(strstr(decision.plan.library_path, path));
    forget(&decision);
    free(path);
}

static void an_odd_temporary_folder_is_avoided(void **state)
{
    (void)state;
    assert_int_equal(mkdir("a:b", 0777), 0);
    char *odd = omptape_text("%s/a:b", folder);
    setenv("TMPDIR", odd, 1);
    struct decision decision = decide("./direct", OMPTAPE_GOMP_AUTO, NULL);
    assert_replaced_by(&decision, "llvm/libomp.so.5");
    assert_null(strchr(decision.plan.folder, ':'));
    forget(&decision);
    free(odd);
}

static void preloads_are_added(void **state)
{
    (void)state;
    struct decision decision = decide("./plainprogram", OMPTAPE_GOMP_AUTO, NULL);
    setenv("LD_PRELOAD", "/lib/old.so", 1);
    assert_true(
        omptape_preload_set("x", &decision.program, &decision.libraries, "/l/libomptape.so", "/l/omp.so"));
    assert_string_equal(getenv("LD_PRELOAD"), "/l/libomptape.so:/l/omp.so:/lib/old.so");
    assert_null(getenv("OMP_TOOL_LIBRARIES"));
    unsetenv("LD_PRELOAD");
    /* LD_PRELOAD cannot name a path with a space; the runtime's own variable can. */
    assert_true(omptape_preload_set("x", &decision.program, &decision.libraries, "/a b/libomptape.so", NULL));
    assert_null(getenv("LD_PRELOAD"));
    assert_string_equal(getenv("OMP_TOOL_LIBRARIES"), "/a b/libomptape.so");
    assert_false(
        omptape_preload_set("x", &decision.program, &decision.libraries, "/a:b/libomptape.so", NULL));
    assert_null(getenv("LD_PRELOAD"));
    forget(&decision);

    decision = decide("./static", OMPTAPE_GOMP_AUTO, NULL);
    assert_false(omptape_preload_set("x", &decision.program, &decision.libraries, "/l/libomptape.so", NULL));
    forget(&decision);
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
        assert_int_equal(omptape_elf_binds_itself("bound/libomp.so.5", "ompt_start_tool"), bound);
        assert_false(omptape_elf_binds_itself("bound/libomp.so.5", "nonesuch"));
        unsetenv("OMP_TOOL_LIBRARIES");
        struct decision decision = decide("./begun", OMPTAPE_GOMP_AUTO, NULL);
        omptape_preload_insist(&decision.libraries, NULL, "/l/libomptape.so");
        if (bound)
            assert_string_equal(getenv("OMP_TOOL_LIBRARIES"), "/l/libomptape.so");
        else
            assert_null(getenv("OMP_TOOL_LIBRARIES"));
        forget(&decision);
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
        cmocka_unit_test_setup(demands_and_offers, set_environment),
        cmocka_unit_test_setup(gcc_programs_get_llvms_runtime, set_environment),
        cmocka_unit_test_setup(an_rpath_is_overcome_by_preloading, set_environment),
        cmocka_unit_test_setup(a_program_with_both_runtimes_gets_one, set_environment),
        cmocka_unit_test_setup(other_programs_are_left_alone, set_environment),
        cmocka_unit_test_setup(runtimes_that_pass_over_preloads_are_told_otherwise, set_environment),
        cmocka_unit_test_setup(a_libgomp_that_starts_tools_is_left_alone, set_environment),
        cmocka_unit_test_setup(a_libgomp_that_is_llvms_is_left_alone, set_environment),
        cmocka_unit_test_setup(force_needs_no_reason, set_environment),
        cmocka_unit_test_setup(versions_must_be_there, set_environment),
        cmocka_unit_test_setup(what_a_runtime_lacks_is_named, set_environment),
        cmocka_unit_test_setup(a_runtime_without_ompt_is_passed_over, set_environment),
        cmocka_unit_test_setup(an_odd_temporary_folder_is_avoided, set_environment),
        cmocka_unit_test_setup(preloads_are_added, set_environment),
    };
    return cmocka_run_group_tests(tests, build, clean);
}
