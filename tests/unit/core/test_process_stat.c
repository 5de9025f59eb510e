/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what is read in /proc/PID/stat. Run by CTest as unit.process_stat.
 */
#include "src/core/process_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t now_in_ticks(void)
{
    struct timespec boot;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
    return (uint64_t)boot.tv_sec * hz + (uint64_t)boot.tv_nsec * hz / 1000000000;
}

/* A child that is dead, and not waited for. */
static pid_t make_zombie(int code)
{
    siginfo_t information;
    pid_t child = fork();
    if (child == 0)
        _exit(code);
    assert_int_equal(waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT), 0);
    return child;
}

static void test_own(void **state)
{
    (void)state;
    if (getenv("OMPTAPE_TEST_EMULATED") != NULL)
        skip(); /* the emulator makes up a process's own file */
    struct omptape_process_stat stat;
    assert_int_equal(omptape_process_stat_of((int32_t)getpid(), &stat), 0);
    assert_int_equal(stat.state, 'R');
    assert_int_equal(stat.parent, getppid());
    assert_in_range(stat.start, 1, now_in_ticks());
    assert_false(omptape_process_is_dead(&stat));
}

static void test_child_begins_later(void **state)
{
    (void)state;
    struct omptape_process_stat stat;
    uint64_t before = now_in_ticks();
    pid_t child = make_zombie(7);
    assert_int_equal(omptape_process_stat_of((int32_t)child, &stat), 0);
    assert_true(omptape_process_is_dead(&stat));
    assert_int_equal(stat.parent, getpid());
    assert_in_range(stat.start, before, now_in_ticks());
    assert_true(WIFEXITED(stat.exit_code));
    assert_int_equal(WEXITSTATUS(stat.exit_code), 7);
    waitpid(child, NULL, 0);
}

static void test_any_name(void **state)
{
    (void)state;
    if (getenv("OMPTAPE_TEST_EMULATED") != NULL)
        skip(); /* the emulator makes up a process's own file */
    static const char *const names[] = {") Z 1 2 3", "a)", "(", " ", "", "x\ny", ")))))))))))))))"};
    struct omptape_process_stat stat;
    char saved[16];
    prctl(PR_GET_NAME, saved);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        prctl(PR_SET_NAME, names[i]);
        assert_int_equal(omptape_process_stat_of((int32_t)getpid(), &stat), 0);
        assert_int_equal(stat.state, 'R');
        assert_int_equal(stat.parent, getppid());
    }
    prctl(PR_SET_NAME, saved);
}

static void test_gone(void **state)
{
    (void)state;
    struct omptape_process_stat stat;
    char path[32];
    pid_t child = make_zombie(0);
    snprintf(path, sizeof(path), "/proc/%d", (int)child);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(folder >= 0);
    assert_int_equal(omptape_process_stat(folder, "stat", &stat), 0);
    waitpid(child, NULL, 0);
    assert_int_equal(omptape_process_stat(folder, "stat", &stat), -ESRCH);
    assert_int_equal(omptape_process_stat_of((int32_t)child, &stat), -ENOENT);
    assert_int_equal(stat.state, 0);
    close(folder);
}

/* Returns the number of the process's calls of read(2) so far, or -1 if the kernel does not count them. */
static long count_reads(void)
{
    char text[512] = "";
    const int file = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
    const char *at = file >= 0 && read(file, text, sizeof(text) - 1) > 0 ? strstr(text, "syscr: ") : NULL;
    if (file >= 0)
        close(file);
    return at != NULL ? strtol(at + strlen("syscr: "), NULL, 10) : -1;
}

/* The writer reads a file of each thread ten times a second: one call is enough. */
static void test_one_read(void **state)
{
    (void)state;
    struct omptape_process_stat stat;
    const long before = count_reads();
    if (before < 0 || getenv("OMPTAPE_TEST_EMULATED") != NULL)
        skip();
    assert_int_equal(omptape_process_stat_of((int32_t)getpid(), &stat), 0);
    assert_int_equal(count_reads() - before, 2); /* of the first count itself, and of the file */
}

static void test_other_files(void **state)
{
    (void)state;
    struct omptape_process_stat stat;
    assert_int_equal(omptape_process_stat(AT_FDCWD, "/proc/self/cmdline", &stat), -EINVAL);
    assert_int_equal(omptape_process_stat(AT_FDCWD, "/dev/null", &stat), -ESRCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own),      cmocka_unit_test(test_child_begins_later),
        cmocka_unit_test(test_any_name), cmocka_unit_test(test_gone),
        cmocka_unit_test(test_one_read), cmocka_unit_test(test_other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
