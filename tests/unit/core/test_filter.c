/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the rules of --filter: reading them, their files, and what they decide. Run by CTest as
 * unit.filter.
 */
#include "src/core/constructs.h"
#include "src/core/filter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char error[512];
static char path[64];

static int make_file(void **state)
{
    (void)state;
    strcpy(path, "/tmp/omptape-test-XXXXXX");
    int file = mkstemp(path);
    return file >= 0 ? close(file) : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void put_file(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void expect_rule(const char **list, bool keep, enum omptape_filter_key key, const char *pattern)
{
    struct omptape_filter_rule rule;
    assert_int_equal(omptape_filter_next(list, &rule, error, sizeof(error)), 1);
    assert_int_equal(rule.keep, keep);
    assert_int_equal(rule.key, key);
    assert_string_equal(rule.pattern, pattern);
}

static void rules_are_read(void **state)
{
    (void)state;
    struct omptape_filter_rule rule;
    const char *list = "-critical, +construct=create task,file=/a b/*.c,-function=f(int\\, char),@r\\,1.txt";
    expect_rule(&list, false, OMPTAPE_FILTER_CONSTRUCT, "critical");
    expect_rule(&list, true, OMPTAPE_FILTER_CONSTRUCT, "create task");
    expect_rule(&list, true, OMPTAPE_FILTER_FILE, "/a b/*.c");
    expect_rule(&list, false, OMPTAPE_FILTER_FUNCTION, "f(int\\, char)");
    expect_rule(&list, true, OMPTAPE_FILTER_INCLUDE, "r,1.txt");
    assert_int_equal(omptape_filter_next(&list, &rule, error, sizeof(error)), 0);
}

static void bad_rules_are_named(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"-critcal", "no construct is called \"critcal\": did you mean critical? (--filter=help lists them)"},
        {"-critical,name=x", "\"name\" is none of construct, file, function (--filter=help)"},
        {"critical,", "a rule is empty"},
        {",critical", "a rule is empty"},
        {"-", "a rule is empty"},
        {"-file=", "a rule is empty"},
        {"@", "no file is named after \"@\""},
        {"-critical,,barrier", "a rule is empty"}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(omptape_filter_check(texts[i][0], error, sizeof(error)), -EINVAL);
        assert_string_equal(error, texts[i][1]);
    }
    char text[OMPTAPE_FILTER_PATTERN_BYTES + 16] = "file=";
    memset(text + 5, 'x', OMPTAPE_FILTER_PATTERN_BYTES);
    assert_int_equal(omptape_filter_check(text, error, sizeof(error)), -EINVAL);
    assert_non_null(strstr(error, "is too long"));
    text[5 + OMPTAPE_FILTER_PATTERN_BYTES - 1] = '\0';
    assert_int_equal(omptape_filter_check(text, error, sizeof(error)), 0);
}

static enum omptape_region_kind kind_of(const char *name)
{
    for (enum omptape_region_kind kind = 0; kind < OMPTAPE_REGION_KIND_COUNT; kind++)
        if (strcmp(omptape_constructs[kind].name, name) == 0)
            return kind;
    fail_msg("no construct is called %s", name);
    return OMPTAPE_REGION_KIND_COUNT;
}

static void constructs_match_as_a_whole(void **state)
{
    (void)state;
    assert_true(omptape_construct_matches(kind_of("critical"), "critical"));
    assert_true(omptape_construct_matches(kind_of("critical sblock"), "critical"));
    assert_false(omptape_construct_matches(kind_of("critical"), "critical sblock"));
    assert_true(omptape_construct_matches(kind_of("create task"), "task"));
    assert_false(omptape_construct_matches(kind_of("target task"), "task"));
    assert_true(omptape_construct_matches(kind_of("for chunk"), "do"));
    assert_true(omptape_construct_matches(kind_of("for"), "do"));
    assert_true(omptape_construct_matches(OMPTAPE_REGION_IMPLICIT_BARRIER_WAIT, "implicit*"));
    assert_false(omptape_construct_matches(kind_of("implicit barrier"), "barrier"));
    for (enum omptape_region_kind kind = 0; kind < OMPTAPE_REGION_CHOICES; kind++) {
        assert_non_null(omptape_constructs[kind].name);
        assert_true(omptape_construct_matches(kind, omptape_constructs[kind].name));
        assert_true(omptape_construct_matches(kind, "*"));
    }
}

static enum omptape_filter_verdict decide(const char *text, const char *construct, bool placed,
                                          const char *file, const char *function)
{
    struct omptape_filter filter;
    assert_int_equal(omptape_filter_load(&filter, text, error, sizeof(error)), 0);
    enum omptape_filter_verdict verdict =
        omptape_filter_decide(&filter, kind_of(construct), placed, file, function);
    omptape_filter_free(&filter);
    return verdict;
}

static void the_last_rule_decides(void **state)
{
    (void)state;
    assert_int_equal(decide("", "barrier", true, NULL, NULL), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide("-critical", "barrier", true, NULL, NULL), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide("-critical", "critical sblock", true, NULL, NULL), OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide("critical", "barrier", true, NULL, NULL), OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide("+critical", "critical", true, NULL, NULL), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide("-critical,+critical", "critical", true, NULL, NULL), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide("+*,-critical", "critical", true, NULL, NULL), OMPTAPE_FILTER_EXCLUDES);
}

static void parallel_regions_stay_unless_named(void **state)
{
    (void)state;
    assert_int_equal(decide("critical", "parallel", true, NULL, NULL), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide("critical", "teams", true, NULL, NULL), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide("file=a.c", "parallel", true, "b.c", NULL), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide("file=a.c", "parallel", false, NULL, NULL), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide("critical,-parallel", "parallel", true, NULL, NULL), OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide("-file=a.c", "parallel", true, "a.c", NULL), OMPTAPE_FILTER_EXCLUDES);
}

static void files_match_by_path_and_name(void **state)
{
    (void)state;
    assert_int_equal(decide("-file=a.c", "for", true, "/src/a.c", NULL), OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide("-file=/src/*", "for", true, "/src/x/a.c", NULL), OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide("-file=src/*", "for", true, "/src/a.c", NULL), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide("-file=[ab].c", "for", true, "b.c", NULL), OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide("-file=a.c", "for", true, NULL, NULL), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide("-file=a\\,b.c", "for", true, "/src/a,b.c", NULL), OMPTAPE_FILTER_EXCLUDES);
}

static void functions_match_with_and_without_parameters(void **state)
{
    (void)state;
    static const char *const functions[] = {"solve", "solve(int, char*)", "solve(f(*)(int)) const",
                                            "solve((anonymous namespace)::grid&)"};
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        assert_int_equal(decide("-function=solve", "for", true, NULL, functions[i]), OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide("-function=solve(int\\, char\\*)", "for", true, NULL, functions[1]),
                     OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide("-function=a::operator()", "for", true, NULL, "a::operator()(int)"),
                     OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide("-function=*::f", "for", true, NULL, "(anonymous namespace)::f"),
                     OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide("-function=sol", "for", true, NULL, "solve"), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide("-function=solve", "for", true, NULL, NULL), OMPTAPE_FILTER_KEEPS);
}

static void unknown_places_follow(void **state)
{
    (void)state;
    assert_int_equal(decide("-file=a.c", "barrier", false, NULL, NULL), OMPTAPE_FILTER_INHERITS);
    assert_int_equal(decide("-file=a.c,-barrier", "barrier", false, NULL, NULL), OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide("-critical", "barrier", false, NULL, NULL), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide("critical", "barrier", false, NULL, NULL), OMPTAPE_FILTER_EXCLUDES);
}

static void files_of_rules_are_read(void **state)
{
    (void)state;
    char text[128];
    put_file("# all but these\r\n\n  -critical \n-function=f(int, char)\n+file=a,b.c");
    snprintf(text, sizeof(text), "@%s,-taskwait", path);
    assert_int_equal(decide(text, "critical", true, NULL, NULL), OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide(text, "critical", true, "a,b.c", NULL), OMPTAPE_FILTER_KEEPS);
    assert_int_equal(decide(text, "for", true, NULL, "f(int, char)"), OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide(text, "taskwait", true, "a,b.c", NULL), OMPTAPE_FILTER_EXCLUDES);
    assert_int_equal(decide(text, "for", true, NULL, NULL), OMPTAPE_FILTER_KEEPS);
}

static void expect_load_error(const char *text, int expected, const char *format)
{
    struct omptape_filter filter;
    char message[256];
    snprintf(message, sizeof(message), format, path);
    assert_int_equal(omptape_filter_load(&filter, text, error, sizeof(error)), expected);
    assert_int_equal(filter.count, 0);
    assert_string_equal(error, message);
    omptape_filter_free(&filter);
}

static void bad_files_of_rules_are_named(void **state)
{
    (void)state;
    char text[128];
    snprintf(text, sizeof(text), "-for,@%s", path);
    put_file("-critical\n\n-critcal\n");
    expect_load_error(
        text, -EINVAL,
        "%s:3: no construct is called \"critcal\": did you mean critical? (--filter=help lists them)");
    put_file("@other\n");
    expect_load_error(text, -EINVAL, "%s:1: a file of rules cannot name another");
    expect_load_error("-for,@/nowhere/at/all", -ENOENT,
                      "cannot read /nowhere/at/all: No such file or directory");
    expect_load_error("@/", -EIO, "cannot read /: Is a directory");
    expect_load_error("@/dev/zero", -ESPIPE, "cannot read /dev/zero: it is no file");
}

static void paths_become_absolute(void **state)
{
    (void)state;
    char text[256];
    char expected[256];
    char folder[256];
    assert_non_null(getcwd(folder, sizeof(folder)));
    assert_int_equal(chdir("/tmp"), 0);
    snprintf(text, sizeof(text), "-file=a\\,b, @%s,+for", strrchr(path, '/') + 1);
    snprintf(expected, sizeof(expected), "-file=a\\,b,@%s,+for", path);
    char *absolute = omptape_filter_absolute(text);
    assert_int_equal(chdir(folder), 0);
    assert_non_null(absolute);
    assert_string_equal(absolute, expected);
    free(absolute);
    assert_null(omptape_filter_absolute("@/nowhere/at/all"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_read),
        cmocka_unit_test(bad_rules_are_named),
        cmocka_unit_test(constructs_match_as_a_whole),
        cmocka_unit_test(the_last_rule_decides),
        cmocka_unit_test(parallel_regions_stay_unless_named),
        cmocka_unit_test(files_match_by_path_and_name),
        cmocka_unit_test(functions_match_with_and_without_parameters),
        cmocka_unit_test(unknown_places_follow),
        cmocka_unit_test_setup_teardown(files_of_rules_are_read, make_file, remove_file),
        cmocka_unit_test_setup_teardown(bad_files_of_rules_are_named, make_file, remove_file),
        cmocka_unit_test_setup_teardown(paths_become_absolute, make_file, remove_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
