/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests to writers: a process that has the number of a writer that has ended is left alone.
 */
#include "src/job/writer_call.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omptape/requests.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PROGRAM = 7, NAP_US = 1000, LONGEST_S = 120 };

/* Starts a process that is no writer, or has the name and the signals of one and says so by a byte. It ends
 * with this one, as after an assertion that failed: CTest waits for all that have its pipe. */
static pid_t start_process(bool is_writer, int *ready)
{
    char byte = 0;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        char number[16];
        (void)snprintf(number, sizeof(number), "%d", PROGRAM);
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)alarm(LONGEST_S);
        (void)execl("/proc/self/exe", is_writer ? "writer" : "other", number, (char *)NULL);
        _exit(1);
    }
    assert_true(child > 0);
    (void)close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    *ready = ends[0];
    return child;
}

/* What such a process does: it takes one request and ends, or waits to be killed. */
static int act(const char *name)
{
    sigset_t set;
    siginfo_t information;
    static const struct timespec now = {.tv_sec = 0};
    sigemptyset(&set);
    if (name[0] == 'w') {
        sigaddset(&set, OMPTAPE_TOP_SIGNAL);
        (void)prctl(PR_SET_NAME, "omptape-writer");
    }
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    if (write(STDOUT_FILENO, "x", 1) != 1)
        return 1;
    if (name[0] != 'w')
        for (;;)
            (void)pause();
    /* As the writer does. While a process waits for a signal, the kernel does not show it as blocked. */
    while (sigtimedwait(&set, &information, &now) < 0)
        (void)usleep(NAP_US);
    return information.si_code == SI_QUEUE && information.si_pid == getppid() &&
                   information.si_uid == getuid()
               ? information.si_value.sival_int
               : 0;
}

/* Calls a process and expects this error; the process is none the worse for it. */
static void expect_refused(const struct omptape_writer_found *found, int error)
{
    struct omptape_writer_call call;
    int status;
    assert_int_equal(omptape_writer_call(&call, found, OMPTAPE_TOP_SIGNAL), error);
    omptape_writer_call_end(&call);
    assert_int_equal(kill(found->writer, SIGKILL), 0);
    assert_int_equal(waitpid(found->writer, &status, 0), found->writer);
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void expect_taken(const struct omptape_writer_found *found)
{
    struct omptape_writer_call call;
    int status;
    assert_int_equal(omptape_writer_call(&call, found, OMPTAPE_TOP_SIGNAL), 0);
    assert_int_equal(waitpid(found->writer, &status, 0), found->writer);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), call.other);
    omptape_writer_call_end(&call);
}

static void test_other_process(void **state)
{
    (void)state;
    int ready;
    const struct omptape_writer_found found = {start_process(false, &ready), PROGRAM};
    expect_refused(&found, -ESRCH);
    (void)close(ready);
}

static void test_other_writer(void **state)
{
    (void)state;
    struct omptape_writer_call call;
    int ready;
    struct omptape_writer_found found = {start_process(true, &ready), PROGRAM + 1};
    assert_int_equal(omptape_writer_call(&call, &found, OMPTAPE_TOP_SIGNAL), -ESRCH);
    omptape_writer_call_end(&call);
    found.program = PROGRAM;
    expect_taken(&found);
    (void)close(ready);
}

#ifdef SYS_pidfd_open
/* From now on a system call has this error. False: the kernel has no filters. */
static bool forbid(unsigned number, unsigned error)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof(rules) / sizeof(rules[0]), .filter = rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#endif

/* The signal goes by the number where the calls are forbidden, and not at all after other errors. */
static void test_filters(void **state)
{
    (void)state;
#ifdef SYS_pidfd_open
    int ready;
    if (!forbid(SYS_pidfd_send_signal, EPERM))
        skip();
    const struct omptape_writer_found first = {start_process(true, &ready), PROGRAM};
    expect_taken(&first);
    (void)close(ready);
    const struct omptape_writer_found second = {start_process(true, &ready), PROGRAM};
    assert_true(forbid(SYS_pidfd_open, EMFILE));
    expect_refused(&second, -EMFILE);
    (void)close(ready);
#else
    skip();
#endif
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_process), cmocka_unit_test(test_other_writer),
        cmocka_unit_test(test_filters), /* the last one: the filters stay */
    };
    return argc > 1 ? act(argv[0]) : cmocka_run_group_tests(tests, NULL, NULL);
}
