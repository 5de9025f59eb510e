/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of text for a screen (src/command/text/screen.h, table.h), of numbers (units.h) and names of
 * functions (units.h) as people read them. Run by CTest on one thread.
 */
#include "src/command/text/screen.h"
#include "src/command/text/table.h"
#include "src/command/text/units.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char *printed; /* by the test's screen */
static size_t printed_bytes;

static struct screen screen_of(unsigned width, bool utf8)
{
    free(printed);
    printed = NULL;
    FILE *out = open_memstream(&printed, &printed_bytes);
    assert_non_null(out);
    return (struct screen){.out = out, .width = width, .utf8 = utf8};
}

static const char *close_screen(struct screen *screen)
{
    assert_int_equal(fclose(screen->out), 0);
    return printed;
}

static int begin(void **state)
{
    (void)state;
    return setlocale(LC_CTYPE, "C.UTF-8") == NULL;
}

static int end(void **state)
{
    (void)state;
    free(printed);
    printed = NULL;
    return 0;
}

static void expect_cut(const char *text, unsigned width, const char *expected)
{
    char cut[SCREEN_TEXT_BYTES];
    assert_string_equal(screen_shorten(text, width, cut), expected);
    assert_true(screen_columns(cut) <= width);
}

static void names_are_cut_in_the_middle(void **state)
{
    (void)state;
    expect_cut("for @solver.c:112", 17, "for @solver.c:112");
    expect_cut("for @solver.c:112", 16, "for @so..r.c:112");
    expect_cut("for @solver.c:112", 10, "for ..:112");
    expect_cut("critical section", 9, "crit..ion");
    expect_cut("", 0, "");
    expect_cut("abc", 0, "");
    expect_cut("abc", 1, ".");
    expect_cut("abc", 2, "..");
    expect_cut("abcd", 3, "a..");
}

/* It is cut only where nothing else is left to cut. */
static void the_line_stays_whole(void **state)
{
    (void)state;
    expect_cut("for @solver.c:112345", 9, "..:112345");
    expect_cut("for @solver.c:112345", 10, "f..:112345");
    expect_cut("for @solver.c:112345", 8, "..112345");
    expect_cut("single.c:12 and more", 8, "sin..ore");
}

/* Instances of one template differ by their arguments, places without a line by the function. */
static void what_tells_apart_stays(void **state)
{
    (void)state;
    expect_cut("for @k.cpp:6 apply<skewed()::lambda 1>", 24, "for ..skewed()::lambda 1");
    expect_cut("for @k.cpp:6 apply<skewed()::lambda 1>", 20, "for ..skewed()::lamb");
    expect_cut("for @k.cpp:6 Field<map<int, int>>::each<lambda 1>", 24, "for @k.cpp:6 ..lambda 1>");
    expect_cut("for @k.cpp:6 Field<map<int, int>>::each<lambda 1>", 20, "for ..lambda 1>");
    expect_cut("parallel @k.cpp:6 apply<small()::lambda 1>", 12, "paral..small");
    expect_cut("for @k.hpp:43 Force [parallel_for]", 26, "for ..Force [parallel_for]");
    expect_cut("for @k.hpp:43 Force [parallel_for]", 12, "for ..Force ");
    expect_cut("critical @solver.c:43 (reduction)", 23, "critical @s..reduction)");
    expect_cut("for @b.h:306 Builder<int, int, true>::Make", 35, "for @b.h:306 ..nt, int, true>::Make");
    expect_cut("for @b.h:306 Builder<int, int, true>::Make", 24, "for @b.h:306 ..ue>::Make");
    expect_cut("for @b.h:306 Builder<int, int, true>::Make", 20, "for @b.h:306");
    expect_cut("for @builder.h:306 Builder<int, int, true>::Make", 14, "for @b...h:306");
    expect_cut("for @solver.c:112 sweep<double>", 20, "for ..double>");
    expect_cut("for @builder.h:306 ..RelabelByDegree", 33, "for @builder.h:306 ..abelByDegree");
    expect_cut("for @builder.h:306 ..MakeCSR", 27, "for ..MakeCSR");
    expect_cut("for @b.h:306 ..RelabelByDegree", 20, "for @b.h:306");
    expect_cut("parallel @dirichlet<..>().isra.0+0x2a5", 25, "parallel @dirichl..+0x2a5");
    expect_cut("parallel @Solver<list<int> >::run+0x28", 20, "parallel ..list<int>");
    expect_cut("for @forces().omp_outlined+0x7f", 20, "for @forces()..+0x7f");
    expect_cut("for @forces().omp_outlined+0x7f", 6, "..0x7f");
}

static void characters_are_not_cut(void **state)
{
    (void)state;
    expect_cut("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F", 4, "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F");
    expect_cut("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F!", 4, "\xC3\xA4..!");
    /* Wide ones take two columns. */
    expect_cut("\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2", 6, "\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2");
    expect_cut("\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2", 5, "\xE6\xBC\xA2..");
}

/* A pipe has no columns of its own. */
static void columns_can_be_asked_for(void **state)
{
    static const struct {
        const char *asked;
        unsigned width;
    } cases[] = {{"120", 120},
                 {"0", SCREEN_DEFAULT_WIDTH},
                 {"", SCREEN_DEFAULT_WIDTH},
                 {"12x", SCREEN_DEFAULT_WIDTH},
                 {"-5", SCREEN_DEFAULT_WIDTH},
                 {"3", SCREEN_MIN_WIDTH},
                 {"99999999999999999999999", SCREEN_DEFAULT_WIDTH}};
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(setenv("COLUMNS", cases[i].asked, 1), 0);
        assert_int_equal(screen_for(ends[1]).width, cases[i].width);
    }
    assert_int_equal(unsetenv("COLUMNS"), 0);
    assert_int_equal(screen_for(ends[1]).width, SCREEN_DEFAULT_WIDTH);
    assert_false(screen_for(ends[1]).colours);
    close(ends[0]);
    close(ends[1]);
}

static void expect_shown(const char *text, bool utf8, size_t bytes, const char *expected)
{
    char shown[64];
    const struct screen screen = {.utf8 = utf8};
    assert_string_equal(screen_sanitize(&screen, text, shown, bytes), expected);
}

static void a_terminal_obeys_nothing(void **state)
{
    (void)state;
    expect_shown("a\033[2Jb\a\r\n\tc\x7F", true, 64, "a?[2Jb????c?");
    expect_shown("\xC2\x9B"
                 "31m",
                 true, 64, "?31m");
    expect_shown("\xE2\x80\xAEturned\xE2\x80\xAC", true, 64, "?turned?");
    expect_shown("gr\xC3\xBC\xC3\x9F", true, 64, "gr\xC3\xBC\xC3\x9F");
    expect_shown("gr\xC3\xBC\xC3\x9F", false, 64, "gr??");
    expect_shown("\xFF\xC3(\xE2\x82", true, 64, "\?\?(\?\?");
    expect_shown("\xC3\xA4\xC3\xA4", true, 4, "\xC3\xA4");
    expect_shown("abcd", true, 4, "abc");
}

static const char *wrap(unsigned width, unsigned column, unsigned indent, const char *text)
{
    struct screen screen = screen_of(width, true);
    (void)screen_wrap(&screen, column, indent, text);
    return close_screen(&screen);
}

static void words_are_wrapped(void **state)
{
    (void)state;
    assert_string_equal(wrap(20, 0, 0, "one two three four five"), "one two three four\nfive");
    assert_string_equal(wrap(20, 5, 5, "one two three four five"), "one two three\n     four five");
    assert_string_equal(wrap(20, 0, 0, "  one   two "), "one two");
    assert_string_equal(wrap(20, 0, 0, ""), "");
    /* A number and its unit. */
    assert_string_equal(wrap(20, 0, 0, "in the loop for 12.5 ms"), "in the loop for\n12.5 ms");
    assert_string_equal(wrap(20, 0, 0, "it loses half (50 %)"), "it loses half (50 %)");
    assert_string_equal(wrap(20, 0, 0, "it loses a half (50 %)"), "it loses a half\n(50 %)");
    /* What is longer than a line. */
    assert_string_equal(wrap(20, 0, 2, "at @a_file_of_a_long_name.c:12345678"), "at\n  @a_file..:12345678");
}

static void columns_give_way(void **state)
{
    (void)state;
    static const char *const expected[] = {"name                          time  share  word\n"
                                           "a name of a good length:12  1.5 ms   12 %  dynamic\n"
                                           "short                            -  100 %\n",
                                           "name                     time  share\n"
                                           "a name of ..length:12  1.5 ms   12 %\n"
                                           "short                       -  100 %\n",
                                           "name                  time\n"
                                           "a name o..ength:12  1.5 ms\n"
                                           "short                    -\n"};
    static const unsigned widths[] = {60, 36, 26};
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        struct screen screen = screen_of(widths[i], true);
        struct table table = table_of("name|time|share:1|<word:2");
        static const char *const cells[] = {
            "a name of a good length:12", "1.5 ms", "12 %", "dynamic", "short", "-", "100 %", ""};
        for (size_t j = 0; j < sizeof(cells) / sizeof(cells[0]); j++)
            table_cell(&table, "%s", cells[j]);
        assert_int_equal(table_print(&table, &screen), 0);
        assert_string_equal(close_screen(&screen), expected[i]);
    }
}

static void amounts_have_prefixes(void **state)
{
    (void)state;
    assert_string_equal(units_large(0.5, "W").text, "0.5 W");
    assert_string_equal(units_large(999.4, "J").text, "999 J");
    assert_string_equal(units_large(1234, "J").text, "1.23 kJ");
    assert_string_equal(units_large(1.8e6, "J").text, "1.8 MJ");
}

static void expect_time(uint64_t nanoseconds, const char *expected)
{
    assert_string_equal(units_time(nanoseconds).text, expected);
}

static void times_have_three_digits(void **state)
{
    (void)state;
    expect_time(0, "0 ns");
    expect_time(999, "999 ns");
    expect_time(1000, "1.00 us");
    expect_time(9994, "9.99 us");
    expect_time(9996, "10.0 us");
    expect_time(99940, "99.9 us");
    expect_time(99960, "100 us");
    expect_time(999400, "999 us");
    expect_time(999600, "1.00 ms");
    expect_time(12345678901, "12.3 s");
    expect_time(UINT64_MAX, "18446744074 s");
}

static void columns_are_spared_for_names(void **state)
{
    (void)state;
    static const struct {
        unsigned width;
        const char *expected;
    } cases[] = {{37, "name                       time  more\n"
                      "a_name_of_some_length@f:1   1 s     2\n"},
                 {36, "name                       time\na_name_of_some_length@f:1   1 s\n"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct screen screen = screen_of(cases[i].width, false);
        struct table table = table_of("name|time");
        table_column(&table, "more", TABLE_SPARE);
        table_cell(&table, "a_name_of_some_length@f:1");
        table_cell(&table, "1 s");
        table_cell(&table, "2");
        assert_int_equal(0, table_print(&table, &screen));
        fclose(screen.out);
        assert_string_equal(cases[i].expected, printed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_cut_in_the_middle),
        cmocka_unit_test(the_line_stays_whole),
        cmocka_unit_test(what_tells_apart_stays),
        cmocka_unit_test(characters_are_not_cut),
        cmocka_unit_test(columns_can_be_asked_for),
        cmocka_unit_test(a_terminal_obeys_nothing),
        cmocka_unit_test(words_are_wrapped),
        cmocka_unit_test(columns_give_way),
        cmocka_unit_test(amounts_have_prefixes),
        cmocka_unit_test(times_have_three_digits),
        cmocka_unit_test(columns_are_spared_for_names),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
