/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit test of the look for directives in a source file. Run by CTest as unit.directives.
 */
#include "tests/unit/scratch.h"
#include "writers/symbols/directives.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const words[] = {"single", "for", "sections", "critical", "do", NULL};

static struct omptape_directive list[OMPTAPE_MAX_DIRECTIVES];

/* Later than any file. */
static time_t built = INT32_MAX;

/* Of this text, which stands in a file. */
static size_t list_text(const char *text, size_t bytes, bool fortran)
{
    char folder[SCRATCH_BYTES];
    char path[SCRATCH_BYTES + 8];
    assert_int_equal(scratch_make(folder), 0);
    (void)snprintf(path, sizeof(path), "%s/text", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    size_t count = omptape_directives_list(path, built, fortran, words, list);
    assert_int_equal(scratch_remove(folder), 0);
    return count;
}

static void assert_directive(size_t number, const char *word, unsigned line, unsigned last, unsigned next)
{
    assert_string_equal(list[number].word, word);
    assert_int_equal(list[number].line, line);
    assert_int_equal(list[number].last, last);
    assert_int_equal(list[number].next, next);
}

static void of_c(void **state)
{
    (void)state;
    static const char text[] = "int x; // #pragma omp single\n"
                               "#pragma omp parallel\n"
                               "  #  pragma   omp single nowait\n"
                               "  x++;\n"
                               "#pragma omp parallel for \\\n"
                               "    schedule(guided, 4)\n"
                               "for (;;) {}\n"
                               "#pragma omp singleton\n"
                               "#pragma ompx single\n"
                               "#pragma omp ordered\n"
                               "#if A\n"
                               "#pragma omp single copyprivate(x)\n"
                               "\n"
                               "#else\n"
                               "#pragma omp for private(x)\n"
                               "#endif";
    assert_int_equal(list_text(text, strlen(text), false), 4);
    assert_directive(0, "single", 3, 3, 5);
    assert_true(list[0].nowait && !list[0].dynamic);
    assert_directive(1, "for", 5, 6, 12);
    assert_true(list[1].dynamic && !list[1].nowait);
    assert_directive(2, "single", 12, 12, 0); /* code may be of either branch */
    assert_true(list[2].nowait);
    assert_directive(3, "for", 15, 15, 0);
    assert_true(!list[3].nowait && !list[3].dynamic);
}

static void of_fortran(void **state)
{
    (void)state;
    static const char text[] = "! $omp single\n"
                               "  !$OMP Critical (name) ! single\n"
                               "  x = 1\n"
                               "  !$omp end critical (name)\n"
                               "!$omp do &\n"
                               "!$omp&  schedule(dynamic)\n"
                               "do i = 1, 2\n"
                               "!$omp single\n"
                               "y = 2\n"
                               "!$omp end single nowait\n"
                               "c$omp sections\n";
    assert_int_equal(list_text(text, strlen(text), true), 4);
    assert_directive(0, "critical", 2, 2, 5);
    assert_directive(1, "do", 5, 6, 8);
    assert_true(list[1].dynamic && !list[1].nowait);
    assert_directive(2, "single", 8, 8, 11);
    assert_true(list[2].nowait);
    assert_directive(3, "sections", 11, 11, 0);
}

/* Whatever stands there: the list is never overrun, and nothing is waited for. */
static void of_nothing(void **state)
{
    (void)state;
    static const char pragma[] = "#pragma omp single\n_Pragma(\"omp single\")\n";
    static const char half[] = "#pragma omp single \\";
    static const char zeros[] = "\0\0#pragma\n\0\n#pragma omp\n#pragma omp parallel\n#\n\n";
    char folder[SCRATCH_BYTES];
    char path[SCRATCH_BYTES + 8];
    assert_int_equal(list_text("", 0, false), 0);
    assert_int_equal(list_text("\n\n", 2, true), 0);
    assert_int_equal(list_text(half, strlen(half), false), 1);
    assert_int_equal(list_text(zeros, sizeof(zeros), false), 0);
    assert_int_equal(omptape_directives_list("/nowhere/at/all", built, false, words, list), 0);
    assert_int_equal(omptape_directives_list("/dev/zero", built, false, words, list), 0);
    assert_int_equal(omptape_directives_list("/", built, false, words, list), 0);
    assert_int_equal(list_text(pragma, strlen(pragma), false), 0);
    built = 1; /* it was changed since */
    assert_int_equal(list_text(half, strlen(half), false), 0);
    built = INT32_MAX;
    assert_int_equal(scratch_make(folder), 0);
    (void)snprintf(path, sizeof(path), "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(omptape_directives_list(path, built, false, words, list), 0);
    assert_int_equal(scratch_remove(folder), 0);
}

static void too_many(void **state)
{
    (void)state;
    static const char one[] = "#pragma omp single\n";
    static char text[(OMPTAPE_MAX_DIRECTIVES + 1) * (sizeof(one) - 1)];
    for (size_t i = 0; i <= OMPTAPE_MAX_DIRECTIVES; i++)
        memcpy(text + i * (sizeof(one) - 1), one, sizeof(one) - 1);
    assert_int_equal(list_text(text, sizeof(text), false), 0);
    assert_int_equal(list_text(text, sizeof(text) - (sizeof(one) - 1), false), OMPTAPE_MAX_DIRECTIVES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_c),
        cmocka_unit_test(of_fortran),
        cmocka_unit_test(of_nothing),
        cmocka_unit_test(too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
