/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the archive's string table. Run by CTest as unit.strings.
 */
#include "src/archive/write/strings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct omptape_archive_strings strings;

static int start(void **state)
{
    (void)state;
    strings = (struct omptape_archive_strings){.sink = NULL};
    return 0;
}

static int end(void **state)
{
    (void)state;
    omptape_archive_strings_free(&strings);
    return 0;
}

static void test_nothing_is_the_empty_string(void **state)
{
    (void)state;
    assert_int_equal(omptape_archive_string(&strings, NULL), 0);
    assert_int_equal(omptape_archive_string(&strings, ""), 0);
    assert_int_equal(strings.rows.count, 1);
    assert_string_equal(omptape_archive_text(&strings, 0), "");
}

static void test_first_string_is_not_the_empty_one(void **state)
{
    (void)state;
    assert_int_equal(omptape_archive_string(&strings, "first"), 1);
    assert_string_equal(omptape_archive_text(&strings, 0), "");
    assert_string_equal(omptape_archive_text(&strings, 1), "first");
}

static void test_same_text_same_reference(void **state)
{
    (void)state;
    enum { TEXTS = 5000 };
    char text[32];
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < TEXTS; i++) {
            snprintf(text, sizeof(text), "text %u", i);
            assert_int_equal(omptape_archive_string(&strings, text), i + 1);
            assert_string_equal(omptape_archive_text(&strings, i + 1), text);
        }
    }
    assert_int_equal(strings.rows.count, TEXTS + 1);
}

static void test_text_is_copied(void **state)
{
    (void)state;
    char text[] = "before";
    OTF2_StringRef ref = omptape_archive_string(&strings, text);
    memcpy(text, "after!", sizeof(text));
    assert_string_equal(omptape_archive_text(&strings, ref), "before");
    assert_int_not_equal(omptape_archive_string(&strings, text), ref);
}

static void test_formatting(void **state)
{
    (void)state;
    char longest[9000];
    OTF2_StringRef ref = omptape_archive_format(&strings, "%s:%d", "solver.c", 42);
    assert_int_equal(omptape_archive_string(&strings, "solver.c:42"), ref);
    /* Cut, but a text. */
    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    ref = omptape_archive_format(&strings, "%s", longest);
    assert_in_range(strlen(omptape_archive_text(&strings, ref)), 1000, sizeof(longest) - 1);
    assert_int_equal(omptape_archive_format(&strings, "%s", longest), ref);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, start, end)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_the_empty_string),
        TEST(first_string_is_not_the_empty_one),
        TEST(same_text_same_reference),
        TEST(text_is_copied),
        TEST(formatting),
    };
    return cmocka_run_group_tests_name("strings", tests, NULL, NULL);
}
