/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests to writers: a process that has the number of a writer that has ended is left alone.
 */
#include "src/job/writer_call.h"

#include <errno.h>
#include <fcntl.h>
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

/* Starts an "other" process, which is no writer, or a "writer", which has the name and the signals of one, or
 * one that becomes a writer "late", when SIGUSR1 comes. It says by a byte that it is ready. It ends with this
 * one, as after an assertion that failed: CTest waits for all that have its pipe. */
static pid_t start_process(const char *name, int *ready)
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
        (void)execl("/proc/self/exe", name, number, (char *)NULL);
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
    if (name[0] == 'l') {
        sigaddset(&set, SIGUSR1);
        (void)sigprocmask(SIG_BLOCK, &set, NULL);
        if (write(STDOUT_FILENO, "x", 1) != 1 || sigwaitinfo(&set, &information) < 0)
            return 1;
    }
    if (name[0] != 'o') {
        sigaddset(&set, OMPTAPE_TOP_SIGNAL);
        (void)prctl(PR_SET_NAME, "omptape-writer");
    }
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    if (write(STDOUT_FILENO, "x", 1) != 1)
        return 1;
    if (name[0] == 'o')
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
    const struct omptape_writer_found found = {start_process("other", &ready), PROGRAM};
    expect_refused(&found, -ESRCH);
    (void)close(ready);
}

static void test_other_writer(void **state)
{
    (void)state;
    struct omptape_writer_call call;
    int ready;
    struct omptape_writer_found found = {start_process("writer", &ready), PROGRAM + 1};
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
    const struct omptape_writer_found first = {start_process("writer", &ready), PROGRAM};
    expect_taken(&first);
    (void)close(ready);
    const struct omptape_writer_found second = {start_process("writer", &ready), PROGRAM};
    assert_true(forbid(SYS_pidfd_open, EMFILE));
    expect_refused(&second, -EMFILE);
    (void)close(ready);
#else
    skip();
#endif
}

/* Returns true if a search finds the process. */
static bool finds(struct omptape_writer_search *search, pid_t process)
{
    struct omptape_writer_found found;
    bool is_found = false;
    omptape_writer_search_begin(search);
    while (omptape_writer_search_next(search, OMPTAPE_TOP_SIGNAL, &found))
        is_found = is_found || found.writer == process;
    omptape_writer_search_end(search);
    return is_found;
}

static void become_writer(pid_t process, int ready)
{
    char byte = 0;
    assert_int_equal(kill(process, SIGUSR1), 0);
    assert_int_equal(read(ready, &byte, 1), 1);
}

/* Keeps the kernel from another inode for the process, as it may have where memory is short. */
static int keep_inode(pid_t process)
{
    char path[32];
    (void)snprintf(path, sizeof(path), "/proc/%d", (int)process);
    const int kept = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(kept >= 0);
    return kept;
}

/* A process that two searches have seen is not looked at again; later ones are. */
static void test_search(void **state)
{
    struct omptape_writer_search search = {.proc = NULL};
    int ready[3];
    (void)state;
    const pid_t second = start_process("late", &ready[0]);
    const pid_t third = start_process("late", &ready[1]);
    const int kept = keep_inode(third);
    assert_false(finds(&search, second));
    become_writer(second, ready[0]);
    assert_true(finds(&search, second));
    become_writer(third, ready[1]);
    assert_false(finds(&search, third));
    assert_true(finds(&search, second));
    const pid_t fresh = start_process("writer", &ready[2]);
    assert_true(finds(&search, fresh));
    omptape_writer_search_free(&search);
    (void)close(kept);
    const pid_t all[] = {second, third, fresh};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kill(all[i], SIGKILL), 0);
        assert_int_equal(waitpid(all[i], NULL, 0), all[i]);
        (void)close(ready[i]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_process), cmocka_unit_test(test_other_writer),
        cmocka_unit_test(test_search), cmocka_unit_test(test_filters), /* the last one: the filters stay */
    };
    return argc > 1 ? act(argv[0]) : cmocka_run_group_tests(tests, NULL, NULL);
}
