/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what the last rank of a job says of its unification. A script stands in for the command. Run
 * by CTest as unit.job_lines.
 */
#include "src/job/marks.h"
#include "src/job/process.h"
#include "src/job/unify.h"
#include "tests/unit/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* Counts its calls, says the number, and makes an archive anew. */
static const char script[] = "#!/bin/sh\n"
                             "echo >>\"$3/calls\"\n"
                             "echo \"omptape: call $(($(wc -l <\"$3/calls\")))\" >&2\n"
                             "echo >\"$3/new\" && mv \"$3/new\" \"$3/traces.otf2\"\n";

static char folder[SCRATCH_BYTES];
static char command[SCRATCH_BYTES + 16];

/* Linked in place of the real one: where the command is. */
bool __wrap_omptape_process_own_path(char *path, size_t bytes);
bool __wrap_omptape_process_own_path(char *path, size_t bytes)
{
    snprintf(path, bytes, "%s", command);
    return true;
}

static int open_job(void **state)
{
    (void)state;
    if (scratch_make(folder) != 0)
        return -1;
    snprintf(command, sizeof(command), "%s/omptape", folder);
    FILE *file = fopen(command, "we");
    if (file == NULL || fputs(script, file) < 0 || fclose(file) != 0)
        return -1;
    return chmod(command, 0755);
}

static int close_job(void **state)
{
    (void)state;
    return scratch_remove(folder);
}

static void enter(struct omptape_job_marks *marks, int32_t rank)
{
    char why[960];
    omptape_job_marks_enter(marks, folder, rank, false, why);
    assert_true(marks->entered);
}

static int unify_for_another(void *context, const char *path)
{
    (void)context;
    return omptape_job_unify(NULL, path);
}

/* Unifies; then another rank enters, unifies and leaves before this one looks again. */
static int unify_before_another(void *context, const char *path)
{
    struct omptape_job_marks another;
    const int result = omptape_job_unify(context, path);
    enter(&another, 1);
    assert_int_equal(omptape_job_marks_leave(&another, unify_for_another, NULL), OMPTAPE_JOB_GOES_ON);
    return result;
}

static void says_what_its_unification_said(void **state)
{
    struct omptape_job_lines lines = {.asked = false};
    struct omptape_job_marks marks;
    (void)state;
    enter(&marks, 0);
    assert_int_equal(omptape_job_marks_leave(&marks, omptape_job_unify, &lines), OMPTAPE_JOB_UNIFIED);
    omptape_job_unify_ask(&lines, folder);
    assert_string_equal(lines.text, "call 1");
}

static void asks_again_after_another(void **state)
{
    struct omptape_job_lines lines = {.asked = false};
    struct omptape_job_marks marks;
    (void)state;
    enter(&marks, 0);
    assert_int_equal(omptape_job_marks_leave(&marks, unify_before_another, &lines), OMPTAPE_JOB_UNIFIED);
    assert_string_equal(lines.text, "call 1");
    omptape_job_unify_ask(&lines, folder);
    assert_string_equal(lines.text, "call 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(says_what_its_unification_said, open_job, close_job),
        cmocka_unit_test_setup_teardown(asks_again_after_another, open_job, close_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
