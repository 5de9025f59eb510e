/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the ranks of a job agree on who compares clocks: with all there, with some, with none, and when
 * somebody is late. Time is the test's own. Run by CTest as unit.job_clock_sync.
 */
#include "src/job/clock_sync.h"
#include "tests/unit/scratch.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { RANKS = 6 };

static const uint64_t second = 1000000000;
static char base[SCRATCH_BYTES];

struct scene {
    struct omptape_job_clock_sync ranks[RANKS];
    struct omptape_clock_sync_found found[RANKS];
};

static int make_base(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    *state = scene;
    for (int i = 0; scene != NULL && i < RANKS; i++)
        scene->ranks[i].folder = -1;
    return scene != NULL ? scratch_make(base) : -1;
}

static int remove_base(void **state)
{
    free(*state);
    return scratch_remove(base);
}

static void begin(struct scene *scene, int rank, const char *host, uint64_t now)
{
    assert_int_equal(omptape_job_clock_sync_begin(&scene->ranks[rank], base, rank, RANKS, host, now), 0);
    scene->found[rank].reference_pid = 4711;
    scene->found[rank].reference_scale = 2;
    snprintf(scene->found[rank].reference_host, sizeof(scene->found[rank].reference_host), "a %s", host);
}

static enum omptape_clock_sync_state look(struct scene *scene, int rank, uint64_t now)
{
    return omptape_job_clock_sync_look(&scene->ranks[rank], &scene->found[rank], now);
}

static void assert_members(const struct scene *scene, int rank, int count, const int *members)
{
    assert_int_equal(scene->found[rank].member_count, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(scene->found[rank].members[i], members[i]);
    assert_int_equal(scene->found[rank].reference_pid, 4711);
    assert_int_equal(scene->found[rank].reference_scale, 2);
    assert_string_equal(scene->found[rank].reference_host, "a host 1");
}

/* Nothing is left when all have ended, rank 0 the last. */
static void end(struct scene *scene)
{
    for (int i = RANKS - 1; i >= 0; i--)
        omptape_job_clock_sync_end(&scene->ranks[i], base);
    char path[SCRATCH_BYTES + 64];
    snprintf(path, sizeof(path), "%s/" OMPTAPE_JOB_CLOCK_SYNC_FOLDER, base);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* One rank of each host but the first's, whatever order they come in. */
static void test_all_there(void **state)
{
    static const char *const hosts[RANKS] = {"host 1", "host 2", "host 1", "host 3", "host 2", "host 3"};
    static const int members[] = {0, 1, 3};
    struct scene *scene = *state;
    for (int i = RANKS - 1; i >= 0; i--)
        begin(scene, i, hosts[i], second);
    for (int i = RANKS - 1; i > 0; i--)
        assert_int_equal(look(scene, i, second), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_int_equal(look(scene, 0, second), OMPTAPE_CLOCK_SYNC_AGREED);
    for (int i = 0; i < RANKS; i++) {
        bool is_member = i == 0 || i == 1 || i == 3;
        assert_int_equal(look(scene, i, second),
                         is_member ? OMPTAPE_CLOCK_SYNC_AGREED : OMPTAPE_CLOCK_SYNC_ALONE);
        if (is_member)
            assert_members(scene, i, 3, members);
    }
    end(scene);
}

static void test_one_host(void **state)
{
    struct scene *scene = *state;
    for (int i = 0; i < RANKS; i++)
        begin(scene, i, "host 1", second);
    for (int i = 1; i < RANKS; i++)
        assert_int_equal(look(scene, i, second), OMPTAPE_CLOCK_SYNC_ASKED);
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(look(scene, i, second), OMPTAPE_CLOCK_SYNC_ALONE);
    end(scene);
}

/* Ranks that are not traced never come: those that are there do it without them. */
static void test_some(void **state)
{
    static const int members[] = {0, 4};
    struct scene *scene = *state;
    begin(scene, 0, "host 1", second);
    begin(scene, 4, "host 2", second);
    assert_int_equal(look(scene, 4, second), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_int_equal(look(scene, 0, second), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_int_equal(look(scene, 0, second + OMPTAPE_JOB_CLOCK_SYNC_CALL - 1), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_int_equal(look(scene, 0, second + OMPTAPE_JOB_CLOCK_SYNC_CALL), OMPTAPE_CLOCK_SYNC_AGREED);
    assert_int_equal(look(scene, 4, second + OMPTAPE_JOB_CLOCK_SYNC_CALL), OMPTAPE_CLOCK_SYNC_AGREED);
    assert_members(scene, 4, 2, members);
    /* Too late. */
    begin(scene, 5, "host 3", 4 * second);
    assert_int_equal(look(scene, 5, 4 * second), OMPTAPE_CLOCK_SYNC_ALONE);
    end(scene);
}

static void test_no_call(void **state)
{
    struct scene *scene = *state;
    begin(scene, 3, "host 2", second);
    assert_int_equal(look(scene, 3, second), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_int_equal(look(scene, 3, second + OMPTAPE_JOB_CLOCK_SYNC_CALL), OMPTAPE_CLOCK_SYNC_ALONE);
    end(scene);
}

/* Whoever does not want to wait any more decides for all: rank 0 does not expect it then. */
static void test_no_decision(void **state)
{
    struct scene *scene = *state;
    begin(scene, 3, "host 2", second);
    begin(scene, 0, "host 1", 4 * second);
    assert_int_equal(look(scene, 3, 4 * second), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_int_equal(look(scene, 3, second + OMPTAPE_JOB_CLOCK_SYNC_DECISION), OMPTAPE_CLOCK_SYNC_ALONE);
    assert_int_equal(look(scene, 0, 6 * second), OMPTAPE_CLOCK_SYNC_ALONE);
    end(scene);
}

/* Nor does rank 0 when it was stopped for too long. */
static void test_late_reference(void **state)
{
    struct scene *scene = *state;
    begin(scene, 0, "host 1", second);
    begin(scene, 3, "host 2", second);
    assert_int_equal(look(scene, 3, second), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_int_equal(look(scene, 0, second + OMPTAPE_JOB_CLOCK_SYNC_LATEST), OMPTAPE_CLOCK_SYNC_ALONE);
    assert_int_equal(look(scene, 3, second + OMPTAPE_JOB_CLOCK_SYNC_LATEST), OMPTAPE_CLOCK_SYNC_ALONE);
    end(scene);
}

/* A job that was killed has left its call, and answers to it: they count for nothing. */
static void test_leftovers(void **state)
{
    struct scene *scene = *state;
    static struct scene old;
    for (int i = 0; i < RANKS; i++)
        begin(&old, i, "host 9", second);
    for (int i = 1; i < RANKS; i++)
        assert_int_equal(look(&old, i, second), OMPTAPE_CLOCK_SYNC_ASKED);
    begin(scene, 3, "host 2", 2 * second);
    assert_int_equal(look(scene, 3, 2 * second), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_string_equal(scene->ranks[3].word, old.ranks[0].word);
    begin(scene, 0, "host 1", 3 * second);
    assert_int_equal(look(scene, 0, 3 * second), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_int_equal(look(scene, 3, 3 * second), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_string_equal(scene->ranks[3].word, scene->ranks[0].word);
    assert_int_equal(look(scene, 0, 3 * second + OMPTAPE_JOB_CLOCK_SYNC_CALL), OMPTAPE_CLOCK_SYNC_AGREED);
    static const int members[] = {0, 3};
    assert_members(scene, 0, 2, members);
    assert_int_equal(look(scene, 3, 3 * second + OMPTAPE_JOB_CLOCK_SYNC_CALL), OMPTAPE_CLOCK_SYNC_AGREED);
}

/* What another user has put there is not believed. */
static void test_others(void **state)
{
    struct scene *scene = *state;
    char path[SCRATCH_BYTES + 128];
    if (geteuid() != 0)
        skip();
    begin(scene, 3, "host 2", second);
    snprintf(path, sizeof(path), "%s/" OMPTAPE_JOB_CLOCK_SYNC_FOLDER "/call", base);
    assert_int_equal(symlink("abc", path), 0);
    assert_int_equal(lchown(path, 65534, 65534), 0);
    assert_int_equal(look(scene, 3, second), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_string_equal(scene->ranks[3].word, "");
    begin(scene, 0, "host 1", second);
    assert_int_equal(look(scene, 3, second), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_string_equal(scene->ranks[3].word, scene->ranks[0].word);
    snprintf(path, sizeof(path), "%s/" OMPTAPE_JOB_CLOCK_SYNC_FOLDER "/decision.%s", base,
             scene->ranks[0].word);
    assert_int_equal(symlink("together", path), 0);
    assert_int_equal(lchown(path, 65534, 65534), 0);
    assert_int_equal(look(scene, 3, second), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_int_equal(look(scene, 0, second + OMPTAPE_JOB_CLOCK_SYNC_CALL), OMPTAPE_CLOCK_SYNC_ASKED);
    assert_int_equal(look(scene, 3, second + 2 * OMPTAPE_JOB_CLOCK_SYNC_DECISION), OMPTAPE_CLOCK_SYNC_ALONE);
    assert_int_equal(look(scene, 0, second + 2 * OMPTAPE_JOB_CLOCK_SYNC_DECISION), OMPTAPE_CLOCK_SYNC_ALONE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_base, remove_base)
    const struct CMUnitTest tests[] = {
        TEST(test_all_there),   TEST(test_one_host),       TEST(test_some),      TEST(test_no_call),
        TEST(test_no_decision), TEST(test_late_reference), TEST(test_leftovers), TEST(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
