/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The folder that ranks share: claimed by many processes at once, and left by the last.
 */
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/claim.h"
#include "src/folder/output_folder.h"
#include "src/job/folder.h"
#include "src/job/marks.h"
#include "tests/unit/scratch.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { RANKS = 24, ROUNDS = 10 };

static char base[SCRATCH_BYTES];
static char asked[128];
static char why[OMPTAPE_BENEATH_WHY_BYTES];

static int make_base(void **state)
{
    (void)state;
    if (scratch_make(base) != 0)
        return -1;
    snprintf(asked, sizeof(asked), "%s/a/out", base);
    return 0;
}

static int remove_base(void **state)
{
    (void)state;
    return scratch_remove(base);
}

static void make_asked(const char *path)
{
    int folder = omptape_output_folder_open(path, true);
    assert_true(folder >= 0);
    close(folder);
}

static struct omptape_job job_named(const char *identity)
{
    struct omptape_job job = {.size = 2};
    snprintf(job.identity, sizeof(job.identity), "%s", identity);
    return job;
}

static const char *claim(const char *identity, bool force)
{
    static char folder[OMPTAPE_PATH_BYTES];
    struct omptape_job job = job_named(identity);
    assert_int_equal(omptape_job_folder_claim(asked, true, &job, force, folder, sizeof(folder), why), 0);
    return folder + strlen(base);
}

static void touch(const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", asked, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static bool is_there(const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", asked, name);
    return access(path, F_OK) == 0;
}

static void test_each_job_its_own(void **state)
{
    (void)state;
    assert_string_equal(claim("one", false), "/a/out");
    assert_string_equal(claim("two", false), "/a/out-2");
    assert_string_equal(claim("one", false), "/a/out");
    touch("traces.otf2"); /* the job's own, unified meanwhile */
    assert_string_equal(claim("one", false), "/a/out");
    assert_string_equal(claim("two", false), "/a/out-2");
}

static void test_an_archive_is_not_touched(void **state)
{
    (void)state;
    make_asked(asked);
    touch("traces.otf2");
    assert_string_equal(claim("one", false), "/a/out-2");
    assert_string_equal(claim("one", false), "/a/out-2");
    assert_true(is_there("traces.otf2"));
}

static void make_part(const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", asked, name);
    assert_int_equal(mkdir(path, 0777), 0);
}

static void test_force(void **state)
{
    (void)state;
    claim("old", false);
    make_part("rank-0");
    touch("rank-0/traces.otf2");
    make_part("rank-x");
    touch("rank-x/traces.otf2");
    touch("traces.def");
    touch("results");
    assert_string_equal(claim("new", true), "/a/out");
    assert_false(is_there("rank-0"));
    assert_false(is_there("traces.def"));
    assert_true(is_there("rank-x/traces.otf2"));
    assert_true(is_there("results"));
    make_part("rank-1");
    assert_string_equal(claim("new", true), "/a/out");
    assert_true(is_there("rank-1"));
}

static void test_discard(void **state)
{
    (void)state;
    claim("one", false);
    make_part("rank-0");
    omptape_job_folder_discard(asked);
    assert_string_equal(claim("two", false), "/a/out-2");
    char path[256];
    snprintf(path, sizeof(path), "%s/rank-0", asked);
    rmdir(path);
    omptape_job_folder_discard(asked);
    assert_int_not_equal(access(asked, F_OK), 0);
}

/* Runs `rank` in as many processes as there are ranks, at once. */
static void run_ranks(int (*rank)(int number))
{
    pid_t children[RANKS];
    int status;
    for (int i = 0; i < RANKS; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(rank(i));
    }
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

static bool with_force;

/* Every third is of another job. Its own part must not vanish. */
static int claiming_rank(int number)
{
    char folder[OMPTAPE_PATH_BYTES];
    char part[OMPTAPE_PATH_BYTES + 32];
    struct omptape_job job = job_named(number % 3 == 0 && !with_force ? "one" : "two");
    if (omptape_job_folder_claim(asked, true, &job, with_force, folder, sizeof(folder), why) != 0)
        return 1;
    snprintf(part, sizeof(part), "%s/rank-%d", folder, number);
    if (mkdir(part, 0777) != 0)
        return 2;
    char again[OMPTAPE_PATH_BYTES];
    if (omptape_job_folder_claim(asked, true, &job, with_force, again, sizeof(again), why) != 0)
        return 3;
    return strcmp(folder, again) == 0 ? 0 : 4;
}

static int count_parts(const char *folder)
{
    int count = 0;
    char path[256];
    for (int i = 0; i < RANKS; i++) {
        snprintf(path, sizeof(path), "%s/rank-%d", folder, i);
        count += access(path, F_OK) == 0;
    }
    return count;
}

static void test_many_at_once(void **state)
{
    for (int round = 0; round < ROUNDS; round++) {
        char second[160];
        run_ranks(claiming_rank);
        snprintf(second, sizeof(second), "%s-2", asked);
        int here = count_parts(asked);
        assert_true(here == RANKS / 3 || here == RANKS - RANKS / 3);
        assert_int_equal(count_parts(second), RANKS - here);
        remove_base(state);
        make_base(state);
    }
}

static void test_many_replace_at_once(void **state)
{
    with_force = true;
    for (int round = 0; round < ROUNDS; round++) {
        claim("old", false);
        make_part("rank-100");
        run_ranks(claiming_rank);
        assert_int_equal(count_parts(asked), RANKS);
        assert_false(is_there("rank-100"));
        remove_base(state);
        make_base(state);
    }
    with_force = false;
}

/* The "unification" of the tests: moves what is there. */
static int unify(void *context, const char *folder)
{
    char from[256];
    char to[256];
    (void)context;
    for (int i = 0; i < RANKS; i++) {
        snprintf(from, sizeof(from), "%s/rank-%d", folder, i);
        snprintf(to, sizeof(to), "%s/unified-%d", folder, i);
        if (rename(from, to) != 0)
            continue;
    }
    return 0;
}

static int leaving_rank(int number)
{
    struct omptape_job_marks marks;
    char part[256];
    omptape_job_marks_enter(&marks, asked, number, false, why);
    snprintf(part, sizeof(part), "%s/rank-%d", asked, number);
    if (!marks.entered || mkdir(part, 0777) != 0)
        return 1;
    usleep(number % 3 == 0 ? 3000 : 0); /* some leave later than others */
    omptape_job_marks_leave(&marks, unify, NULL);
    return 0;
}

static void test_the_last_unifies(void **state)
{
    for (int round = 0; round < ROUNDS; round++) {
        make_asked(asked);
        run_ranks(leaving_rank);
        assert_int_equal(count_parts(asked), 0);
        assert_false(is_there(".omptape-marks"));
        remove_base(state);
        make_base(state);
    }
}

static int count_calls(void *context, const char *folder)
{
    (void)folder;
    ++*(int *)context;
    return 0;
}

static int refuse(void *context, const char *folder)
{
    (void)folder;
    ++*(int *)context;
    return 1;
}

static void test_who_is_at_work(void **state)
{
    struct omptape_job_marks own;
    struct omptape_job_marks another;
    char path[256];
    int calls = 0;
    (void)state;
    make_asked(asked);
    omptape_job_marks_enter(&own, asked, 0, false, why);
    omptape_job_marks_enter(&another, asked, 1, false, why);
    assert_int_equal(omptape_job_marks_leave(&own, count_calls, &calls), OMPTAPE_JOB_GOES_ON);
    assert_int_equal(calls, 0);
    assert_int_equal(omptape_job_marks_leave(&own, count_calls, &calls), OMPTAPE_JOB_GOES_ON);
    /* One that was killed on this host, and one that is on another. */
    pid_t gone = fork();
    if (gone == 0) {
        omptape_job_marks_enter(&own, asked, 2, false, why);
        _exit(0);
    }
    waitpid(gone, NULL, 0);
    snprintf(path, sizeof(path), "%s/.omptape-marks/live.3.1", asked);
    assert_int_equal(symlink("another.host:1", path), 0);
    assert_int_equal(omptape_job_marks_leave(&another, count_calls, &calls), OMPTAPE_JOB_GOES_ON);
    unlink(path);
    omptape_job_marks_enter(&own, asked, 3, false, why);
    assert_int_equal(omptape_job_marks_leave(&own, refuse, &calls), OMPTAPE_JOB_OVER);
    assert_int_equal(calls, 1);
    omptape_job_marks_enter(&own, asked, 3, false, why);
    assert_int_equal(omptape_job_marks_leave(&own, count_calls, &calls), OMPTAPE_JOB_UNIFIED);
    assert_int_equal(calls, 2);
    assert_false(is_there(".omptape-marks"));
    /* A rank's command is waited for as long as there is no part. */
    omptape_job_marks_enter(&own, asked, 4, false, why);
    snprintf(path, sizeof(path), "%s/.omptape-marks/wait.41.1", asked);
    assert_int_equal(symlink("another.host:1", path), 0);
    assert_true(omptape_job_marks_waits(asked, 41, 1));
    assert_false(omptape_job_marks_waits(asked, 4, 1));
    assert_int_equal(omptape_job_marks_leave(&own, count_calls, &calls), OMPTAPE_JOB_GOES_ON);
    omptape_job_marks_enter(&own, asked, 41, false, why);
    assert_int_equal(omptape_job_marks_leave(&own, count_calls, &calls), OMPTAPE_JOB_GOES_ON);
    assert_int_equal(calls, 3);
    unlink(path);
    omptape_job_marks_enter(&own, asked, 3, true, why);
    omptape_job_marks_abandon(&own);
    assert_false(is_there(".omptape-marks"));
}

/* Marks of a dead process with this one's number, which the job's first run left: another rank's mark does
 * not count, and the mark of the same rank becomes this process's. */
static void test_reused_number(void **state)
{
    struct omptape_job_marks own;
    char text[OMPTAPE_CLAIM_BYTES];
    char path[256];
    char host[128] = "";
    int calls = 0;
    (void)state;
    gethostname(host, sizeof(host) - 1);
    snprintf(text, sizeof(text), "%s:%d:1", host, (int)getpid());
    snprintf(path, sizeof(path), "%s/.omptape-marks", asked);
    make_asked(path);
    snprintf(path, sizeof(path), "%s/.omptape-marks/live.7.%d", asked, (int)getpid());
    assert_int_equal(symlink(text, path), 0);
    snprintf(path, sizeof(path), "%s/.omptape-marks/live.8.%d", asked, (int)getpid());
    assert_int_equal(symlink(text, path), 0);
    omptape_job_marks_enter(&own, asked, 8, false, why);
    snprintf(path, sizeof(path), "%s/.omptape-marks", asked);
    int marks = open(path, O_RDONLY | O_DIRECTORY);
    snprintf(path, sizeof(path), "live.8.%d", (int)getpid());
    assert_int_equal(omptape_claim_check(marks, path), 0);
    close(marks);
    assert_int_equal(omptape_job_marks_leave(&own, count_calls, &calls), OMPTAPE_JOB_UNIFIED);
    assert_int_equal(calls, 1);
    assert_false(is_there(".omptape-marks"));
}

/* What is numbered stands beside it. */
static void test_a_path_ends_with_a_name(void **state)
{
    static const char *const cases[][2] = {{"/a/b/", "/a/b"}, {"/a/b/.", "/a/b"}, {"/a/b//./.", "/a/b"},
                                           {"/", "/"},        {"/.", "/"},        {"/a/b.", "/a/b."}};
    char path[OMPTAPE_PATH_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(omptape_output_folder_absolute(path, cases[i][0]), 0);
        assert_string_equal(path, cases[i][1]);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_base, remove_base)
    const struct CMUnitTest tests[] = {
        TEST(test_a_path_ends_with_a_name),
        TEST(test_each_job_its_own),
        TEST(test_an_archive_is_not_touched),
        TEST(test_force),
        TEST(test_discard),
        TEST(test_many_at_once),
        TEST(test_many_replace_at_once),
        TEST(test_the_last_unifies),
        TEST(test_who_is_at_work),
        TEST(test_reused_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
