/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what is read of cgroups, processors and threads, by doubles of the kernel's files. Run by
 * CTest as unit.quota.
 */
#include "src/core/limits.h"
#include "src/core/quota.h"
#include "tests/unit/scratch.h"
#include "writers/observe/thread_files.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_BYTES = 512 };

static struct {
    char root[SCRATCH_BYTES];
    char mounts[PATH_BYTES];
    int process;
} here;

static int open_scratch(void **state)
{
    (void)state;
    if (scratch_make(here.root) != 0)
        return -1;
    here.process = open(here.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(here.mounts, sizeof(here.mounts), "%s/mountinfo", here.root);
    return here.process < 0 ? -1 : 0;
}

static int close_scratch(void **state)
{
    (void)state;
    close(here.process);
    return scratch_remove(here.root);
}

/* Below the root; its folders are made. */
static void put_file(const char *name, const char *text)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%s/%s", here.root, name);
    for (char *slash = path + strlen(here.root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* `root` is what of the hierarchy is mounted. */
static void mount_at(const char *root, const char *point, const char *type, const char *options)
{
    char text[4 * PATH_BYTES];
    snprintf(text, sizeof(text),
             "22 1 0:20 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
             "23 22 0:21 / /proc rw - proc proc rw\n"
             "30 22 0:28 %s %s/%s rw,nosuid shared:4 master:5 - %s none %s\n",
             root, here.root, point, type, options);
    put_file("mountinfo", text);
}

static struct omptape_quota read_quota(void)
{
    struct omptape_quota quota;
    omptape_quota_read(&quota, here.process, here.mounts);
    return quota;
}

static void expect_group(const struct omptape_quota *quota, const char *name)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%s/%s", here.root, name);
    assert_true(quota->limited);
    assert_string_equal(quota->group, path);
}

/* The tightest of all above counts, not the nearest. */
static void test_ancestors(void **state)
{
    (void)state;
    mount_at("/", "cg", "cgroup2", "rw");
    put_file("cgroup", "0::/a/b/c\n");
    put_file("cg/cpu.stat", "usage_usec 1\n");
    put_file("cg/a/cpu.max", "150000 100000\n");
    put_file("cg/a/cpu.stat", "usage_usec 77\nnr_periods 10\nnr_throttled 4\nthrottled_usec 250000\n");
    put_file("cg/a/b/cpu.max", "40000 20000\n");
    put_file("cg/a/b/c/cpu.max", "max 100000\n");
    const struct omptape_quota quota = read_quota();
    expect_group(&quota, "cg/a");
    assert_int_equal(quota.quota_ns, 150000000);
    assert_int_equal(quota.period_ns, 100000000);
    assert_int_equal(quota.now.periods, 10);
    assert_int_equal(quota.now.throttled, 4);
    assert_int_equal(quota.now.ns, 250000000);
}

static void test_unlimited(void **state)
{
    (void)state;
    mount_at("/", "cg", "cgroup2", "rw");
    put_file("cgroup", "0::/a\n");
    put_file("cg/a/cpu.max", "max 100000\n");
    const struct omptape_quota quota = read_quota();
    assert_true(quota.found);
    assert_false(quota.limited);
}

/* Version 1 has the controller among others, with the throttled time in ns, beside a version 2 without it. */
static void test_version_1(void **state)
{
    (void)state;
    mount_at("/", "cg", "cgroup", "rw,cpuacct,cpu");
    put_file("cgroup", "9:cpuset:/elsewhere\n4:cpuacct,cpu:/job:7/step 0\n0::/other\n");
    put_file("cg/job:7/cpu.cfs_quota_us", "-1\n");
    put_file("cg/job:7/cpu.cfs_period_us", "100000\n");
    put_file("cg/job:7/step 0/cpu.cfs_quota_us", "50000\n");
    put_file("cg/job:7/step 0/cpu.cfs_period_us", "100000\n");
    put_file("cg/job:7/step 0/cpu.stat", "nr_periods 3\nnr_throttled 2\nthrottled_time 123456789\n");
    const struct omptape_quota quota = read_quota();
    expect_group(&quota, "cg/job:7/step 0");
    assert_int_equal(quota.now.ns, 123456789);
}

/* The tightest limit of memory counts, in either version. */
static void test_memory(void **state)
{
    (void)state;
    mount_at("/", "cg", "cgroup2", "rw");
    put_file("cgroup", "0::/a/b\n");
    put_file("cg/a/b/memory.max", "max\n");
    assert_true(omptape_memory_limit(here.process, here.mounts) == UINT64_MAX);
    put_file("cg/a/memory.max", "268435456\n");
    assert_int_equal(omptape_memory_limit(here.process, here.mounts), 268435456);
    mount_at("/", "cg", "cgroup", "rw,memory");
    put_file("cgroup", "4:memory:/job\n3:cpu:/a\n");
    put_file("cg/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(omptape_memory_limit(here.process, here.mounts) == UINT64_MAX);
    put_file("cg/job/memory.limit_in_bytes", "134217728\n");
    assert_int_equal(omptape_memory_limit(here.process, here.mounts), 134217728);
}

/* A container sees a part of the hierarchy, and its paths have the part above, or nothing of it. */
static void test_container(void **state)
{
    (void)state;
    mount_at("/docker/f00", "cg\\040it", "cgroup2", "rw");
    put_file("cgroup", "0::/docker/f00/in\n");
    put_file("cg it/cpu.max", "200000 100000\n");
    put_file("cg it/in/cpu.max", "300000 100000\n");
    struct omptape_quota quota = read_quota();
    expect_group(&quota, "cg it");
    put_file("cgroup", "0::/../other\n");
    quota = read_quota();
    expect_group(&quota, "cg it");
}

/* Nothing of this may do harm, and nothing is said. */
static void test_damage(void **state)
{
    static const char *const mounts[] = {"", "\n\n", "x - cgroup2\n", "1 2 3 / - cgroup2 x y\n",
                                         "1 2 3 / /nowhere rw - cgroup2 none rw\n"};
    static const char *const groups[] = {"", "0", "0:", "0::", ":::\n", "4:cpu\n", "0::/../../..\n"};
    (void)state;
    for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++)
        for (size_t j = 0; j < sizeof(groups) / sizeof(groups[0]); j++) {
            put_file("mountinfo", mounts[i]);
            put_file("cgroup", groups[j]);
            assert_false(read_quota().limited);
        }
    static const char *const limits[] = {
        "", "\n", "0 0\n", "-5 100000\n", "100000\n", "x y\n", "99999999999999999999 0\n"};
    mount_at("/", "cg", "cgroup2", "rw");
    put_file("cgroup", "0::/\n");
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        put_file("cg/cpu.max", limits[i]);
        assert_false(read_quota().limited);
    }
}

static void test_no_files(void **state)
{
    (void)state;
    assert_false(read_quota().found);
}

static void test_processors(void **state)
{
    char path[PATH_BYTES];
    const struct omptape_processor_set set = {.words = {1 << 1 | 1 << 10}, .count = 1};
    const uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
    struct omptape_processor_times times;
    (void)state;
    put_file("stat", "cpu  900 900 900 900 900 900 900 900 900 900\n"
                     "cpu0 90 90 90 90 90 90 90 90 90 90\n"
                     "cpu1 1 2 3 40 50 4 5 6 0 0\n"
                     "cpu10 10 0 0 0\n"
                     "cpu70 9 9 9 9 9 9 9 9 9 9\n"
                     "intr 7 0\ncpu1 1 1 1 1\n");
    snprintf(path, sizeof(path), "%s/stat", here.root);
    assert_true(omptape_machine_times(path, &set, &times));
    assert_int_equal(times.busy, 25 * tick_ns);
    assert_int_equal(times.nice, 2 * tick_ns);
    assert_int_equal(times.stolen, 6 * tick_ns);
    assert_int_equal(times.all, 121 * tick_ns);
    put_file("stat", "cpu\ncpu1\n");
    assert_false(omptape_machine_times(path, &set, &times));
    assert_false(omptape_machine_times("/nowhere/stat", &set, &times));
    put_file("vmstat",
             "nr_free_pages 5\nnuma_pte_updates 7\nnuma_hint_faults 4711\nnuma_hint_faults_local 3\n");
    snprintf(path, sizeof(path), "%s/vmstat", here.root);
    assert_int_equal(omptape_machine_numa_faults(path), 4711);
    assert_int_equal(omptape_machine_numa_faults("/nowhere/vmstat"), 0);
}

/* The name may hold anything; what is missing is 0. */
static void test_thread(void **state)
{
    struct omptape_sched_reading reading = {.time = 1};
    struct omptape_thread_details details;
    const uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
    struct omptape_thread_files files;
    (void)state;
    omptape_thread_files_init(&files, here.process);
    put_file("7/schedstat", "5000 70 9\n");
    put_file("7/stat", "7 (a) b) R 1 1 1 0 -1 64 11 0 13 0 5 4 0 0 20 0 1 0 99\n");
    put_file("7/status",
             "Name:\ta) b\\\\n\nUmask:\t0022\nVmHWM:\t    1234 kB\nnonvoluntary_ctxt_switches:\t8\n"
             "voluntary_ctxt_switches:\t21\n");
    assert_int_equal(omptape_thread_files_times(&files, 7, &reading), 0);
    assert_int_equal(omptape_thread_files_details(here.process, 7, &reading, &details), 0);
    const uint64_t expected[] = {5000, 70, 4 * tick_ns, 11, 13, 21, 8};
    assert_memory_equal(reading.sums, expected, sizeof(expected));
    assert_int_equal(details.state, 'R');
    assert_int_equal(details.peak_memory, 1234 * 1024);
    assert_int_equal(omptape_thread_files_state(here.process, 7), 'R');
    assert_int_equal(omptape_thread_files_state(here.process, 8), 0);
    assert_string_equal(details.name, "a) b\\\\n");
    assert_int_equal(reading.detailed, 5000);
    put_file("8/schedstat", "0 0 0\n");
    assert_true(omptape_thread_files_times(&files, 8, &reading) < 0);
    assert_true(omptape_thread_files_details(here.process, 8, &reading, &details) < 0);
    assert_memory_equal(reading.sums, expected, sizeof(expected));
    omptape_thread_files_close(&files);
    uint32_t *tids = NULL;
    assert_int_equal(omptape_thread_files_list(here.process, &tids), 2);
    assert_int_equal(tids[0], 7);
    assert_int_equal(tids[1], 8);
    free(tids);
    assert_true(omptape_thread_files_list(-1, &tids) < 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_scratch, close_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ancestors), TEST(test_unlimited),  TEST(test_version_1),
        TEST(test_memory),    TEST(test_container),  TEST(test_damage),
        TEST(test_no_files),  TEST(test_processors), TEST(test_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
