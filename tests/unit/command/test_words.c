/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what messages are made of: the nearest name and quoted paths
 * (src/core/words.c), misspelt variables (src/core/options.c) and lines of the report
 * (src/job/report_file.c).
 */
#include "src/core/options.h"
#include "src/core/words.h"
#include "src/job/report_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *nearest_to(const char *word)
{
    static const char *const names[] = {"info",  "check",       "snapshot",
                                        "unify", "buffer-size", "limit-per-site"};
    struct omptape_nearest nearest = omptape_nearest_start(word, strlen(word));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        omptape_nearest_try(&nearest, names[i]);
    return nearest.name != NULL ? nearest.name : "";
}

/* The text as it leaves omptape. */
static const char *replaced(const char *text)
{
    static char shown[64];
    size_t used = 0;
    while (*text != '\0') {
        size_t bytes = 0;
        const char *one = omptape_utf8_replace(&text, &bytes);
        assert_true(used + bytes < sizeof(shown));
        memcpy(shown + used, one, bytes);
        used += bytes;
    }
    shown[used] = '\0';
    return shown;
}

#define INSTEAD "\xEF\xBF\xBD"

static void a_text_has_whole_lines_only(void **state)
{
    (void)state;
    assert_true(omptape_has_line("/a/b.c", "/a/b.c"));
    assert_true(omptape_has_line("/a\n/a/b.c\n/c", "/a/b.c"));
    assert_true(omptape_has_line("/a\n/c", "/c"));
    assert_false(omptape_has_line("/a/b.cc\n/c/a/b.c", "/a/b.c"));
    assert_false(omptape_has_line("", "/a"));
}

static void paths_of_the_system_are_known(void **state)
{
    (void)state;
    assert_true(omptape_is_system_path("/usr/lib/x86_64-linux-gnu/libm.so.6"));
    /* As clang finds its headers. */
    assert_true(omptape_is_system_path(
        "/usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/stl_tree.h"));
    assert_true(omptape_is_system_path("/opt/gcc/include/c++/12/bits/stl_tree.h"));
    assert_true(omptape_is_system_path("/opt/llvm/include/c++/v1/map"));
    assert_false(omptape_is_system_path("/home/me/include/c.h"));
    assert_false(omptape_is_system_path("/home/me/include/c++/solver.hpp"));
    assert_false(omptape_is_system_path("/home/me/include/c++/v1.hpp"));
    assert_false(omptape_is_system_path("/usr/bin/solver"));
}

static void lines_for_a_terminal_are_plain(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"", ""},
                                           {"na\xC3\xAFve", "na\xC3\xAFve"},
                                           {"a\nb\x1B[31mc\x7F", "a b [31mc "},
                                           {"\x9B"
                                            "31m\xFF",
                                            "?31m?"},
                                           {"\xC2\x9B"
                                            "31m",
                                            "??31m"},
                                           {"\xE2\x80\xAE"
                                            "exe",
                                            "???exe"}, /* right to left */
                                           {"cut\xE2\x82", "cut??"}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        char line[64];
        snprintf(line, sizeof(line), "%s", pairs[i][0]);
        omptape_utf8_make_plain(line);
        assert_string_equal(line, pairs[i][1]);
    }
}

static void what_is_no_utf8_is_replaced(void **state)
{
    (void)state;
    static const char *const kept[] = {
        "",      "plain\t\n",    "\xC2\x80", "\xC3\xA4",         "\xED\x9F\xBF",
        INSTEAD, "\xEF\xBF\xBC", "\x7F",     "\xF4\x8F\xBF\xBD", "\xF0\x9F\x98\x80"};
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        assert_string_equal(kept[i], replaced(kept[i]));
    assert_string_equal("a" INSTEAD "b", replaced("a\xFF"
                                                  "b"));
    assert_string_equal(INSTEAD INSTEAD INSTEAD, replaced("\xED\xA0\x80")); /* a surrogate */
    assert_string_equal(INSTEAD INSTEAD, replaced("\xC0\x80"));             /* more bytes than needed */
    assert_string_equal(INSTEAD INSTEAD INSTEAD, replaced("\xE0\x80\xAF"));
    assert_string_equal(INSTEAD INSTEAD "x", replaced("\xE2\x82x")); /* cut */
    assert_string_equal(INSTEAD, replaced("\xC3"));
    assert_string_equal(INSTEAD INSTEAD INSTEAD INSTEAD, replaced("\xF4\x90\x80\x80")); /* beyond the range */
    assert_string_equal(INSTEAD, replaced("\xEF\xBF\xBE"));
    assert_string_equal(INSTEAD, replaced("\xEF\xBF\xBF"));
}

static void one_mistake_is_near(void **state)
{
    (void)state;
    assert_string_equal(nearest_to("inf"), "info");
    assert_string_equal(nearest_to("infos"), "info");
    assert_string_equal(nearest_to("infi"), "info");
    assert_string_equal(nearest_to("ifno"), "info");
    assert_string_equal(nearest_to("INFO"), "info");
    assert_string_equal(nearest_to("uinfy"), "unify");
    assert_string_equal(nearest_to("snpashto"), "snapshot");
    assert_string_equal(nearest_to("buffersize"), "buffer-size");
    assert_string_equal(nearest_to("limit"), "limit-per-site");
}

static void others_are_not(void **state)
{
    (void)state;
    static const char *const far[] = {"", "i", "in", "foo", "onfi", "chess!", "summary", "limits-for-sites"};
    char long_word[4000];
    for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++)
        assert_string_equal(nearest_to(far[i]), "");
    memset(long_word, 'i', sizeof(long_word) - 1);
    long_word[sizeof(long_word) - 1] = '\0';
    assert_string_equal(nearest_to(long_word), "");
}

static void the_hint_is_a_question(void **state)
{
    (void)state;
    struct omptape_nearest nearest = omptape_nearest_start("ouput=x", strlen("ouput"));
    assert_string_equal(omptape_nearest_hint(&nearest, "--").text, "");
    omptape_nearest_try(&nearest, "output");
    assert_string_equal(omptape_nearest_hint(&nearest, "--").text, ": did you mean --output?");
}

static void paths_are_quoted_where_needed(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"out/traces.otf2", "out/traces.otf2"},
        {"gr\xc3\xb6\xc3\x9f"
         "e",
         "gr\xc3\xb6\xc3\x9f"
         "e"},
        {"a b", "'a b'"},
        {"it's", "'it'\\''s'"},
        {"a\\b", "'a\\b'"},
        {"$x", "'$x'"},
        {"", "''"},
        {"a\nb", "$'a\\nb'"},
        {"a\tb'c\\", "$'a\\tb\\047c\\\\'"},
        {"\x1b[2J", "$'\\033[2J'"},
        {"\xff", "$'\\377'"},
        {"\xc0\xaf", "$'\\300\\257'"},
        {"\xc3", "$'\\303'"},
        {"\xc2\x85", "$'\\302\\205'"},
        {"\xe2\x80\xae", "$'\\342\\200\\256'"},
        {"\xed\xa0\x80", "$'\\355\\240\\200'"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        assert_string_equal(omptape_path_quote(pairs[i][0], text, sizeof(text)), pairs[i][1]);
}

static void a_long_path_is_cut_and_still_quoted(void **state)
{
    (void)state;
    char text[12];
    assert_string_equal(omptape_path_quote("it's a long name", text, sizeof(text)), "'it'\\''s a'");
    assert_string_equal(omptape_path_quote("\n\n\n\n\n\n\n\n", text, sizeof(text)), "$'\\n\\n\\n\\n'");
    for (size_t bytes = 1; bytes < sizeof(text); bytes++)
        assert_true(strlen(omptape_path_quote("a\nb c'd", text, bytes)) < bytes);
}

static void base_names(void **state)
{
    (void)state;
    assert_string_equal(omptape_base_name("/usr/bin/env"), "env");
    assert_string_equal(omptape_base_name("env"), "env");
    assert_string_equal(omptape_base_name("a/"), "");
}

static void misspelt_variables_are_found(void **state)
{
    (void)state;
    char line[200];
    size_t from = 0;
    clearenv();
    setenv("OMPTAPE_EVENTS", "task", 1);
    setenv("OMPTAPE_DIR", "x", 1);
    setenv("OMPTAPE_LIB", "x", 1);
    setenv("OMPTAPE_SOMETHING_ELSE", "x", 1);
    setenv("OMP_EVENT", "x", 1);
    assert_null(omptape_variables_next_unknown(&from, line, sizeof(line)));
    from = 0;
    setenv("OMPTAPE_EVENT", "task", 1);
    setenv("OMPTAPE_OUPUT", "x", 1);
    assert_string_equal(omptape_variables_next_unknown(&from, line, sizeof(line)),
                        "unknown variable OMPTAPE_EVENT: did you mean OMPTAPE_EVENTS?");
    assert_string_equal(omptape_variables_next_unknown(&from, line, sizeof(line)),
                        "unknown variable OMPTAPE_OUPUT: did you mean OMPTAPE_OUTPUT?");
    assert_null(omptape_variables_next_unknown(&from, line, sizeof(line)));
}

static void reported_values_come_back(void **state)
{
    (void)state;
    static const char *const values[] = {"", "plain", "a\nb", "back\\slash", "\\n", "\\\\", "end\\"};
    char text[40];
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        omptape_report_file_escape(values[i], text, sizeof(text));
        assert_null(strchr(text, '\n'));
        omptape_report_file_unescape(text);
        assert_string_equal(text, values[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_has_whole_lines_only),
        cmocka_unit_test(paths_of_the_system_are_known),
        cmocka_unit_test(lines_for_a_terminal_are_plain),
        cmocka_unit_test(what_is_no_utf8_is_replaced),
        cmocka_unit_test(one_mistake_is_near),
        cmocka_unit_test(others_are_not),
        cmocka_unit_test(the_hint_is_a_question),
        cmocka_unit_test(paths_are_quoted_where_needed),
        cmocka_unit_test(a_long_path_is_cut_and_still_quoted),
        cmocka_unit_test(base_names),
        cmocka_unit_test(misspelt_variables_are_found),
        cmocka_unit_test(reported_values_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
