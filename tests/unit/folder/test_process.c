/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signs of life of other processes: of one that works, one that sleeps and wakes, and one that is stopped.
 */
#include "src/job/process.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NAP_US = 1000, MAX_POLLS = 10000 };

static pid_t start_child(void (*work)(void))
{
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(3);
    }
    assert_true(child > 0);
    return child;
}

static void end_child(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void work_on(void)
{
    for (volatile unsigned i = 0;; i++) {
    }
}

static void nap_on(void)
{
    for (;;)
        usleep(NAP_US);
}

static void stop_itself(void)
{
    (void)raise(SIGSTOP);
}

static void do_nothing(void)
{
}

/* Waits for a change. */
static bool is_active(pid_t child)
{
    uint64_t first = 0;
    for (int i = 0; i < MAX_POLLS; i++) {
        const uint64_t activity = omptape_process_activity(child);
        first = first != 0 ? first : activity;
        if (activity != first)
            return true;
        usleep(NAP_US);
    }
    return false;
}

/* The last switch of a process that stops may be counted a moment later. */
static bool is_still(pid_t child)
{
    enum { SAME_LOOKS = 20 };
    uint64_t last = 0;
    for (int i = 0, same = 0; i < MAX_POLLS; i++) {
        const uint64_t activity = omptape_process_activity(child);
        same = activity == last ? same + 1 : 0;
        last = activity;
        if (same == SAME_LOOKS)
            return true;
        usleep(NAP_US);
    }
    return false;
}

static void test_activity(void **state)
{
    (void)state;
    void (*const works[])(void) = {work_on, nap_on};
    for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
        const pid_t child = start_child(works[i]);
        assert_true(is_active(child));
        assert_int_equal(kill(child, SIGSTOP), 0);
        int status;
        assert_int_equal(waitpid(child, &status, WUNTRACED), child);
        assert_true(is_still(child));
        assert_true(omptape_process_activity(child) > 0);
        assert_int_equal(kill(child, SIGCONT), 0);
        assert_true(is_active(child));
        end_child(child);
        assert_int_equal(omptape_process_activity(child), 0);
    }
}

/* Time that passed between two looks counts for two seconds at most: who looks may have been stopped, too. */
static void test_silence(void **state)
{
    (void)state;
    struct omptape_process_silence silence = {.activity = 0};
    int looks = 0;
    for (; looks < 20 && !omptape_process_is_silent(&silence, 7); looks++)
        silence.looked -= 1000;
    assert_int_equal(looks, 6);
    assert_false(omptape_process_is_silent(&silence, 8));
    silence.looked -= 1000;
    assert_false(omptape_process_is_silent(&silence, 0));
    silence.looked -= 1000;
    assert_false(omptape_process_is_silent(&silence, 0));
}

static void test_await(void **state)
{
    (void)state;
    int status = 0;
    pid_t child = start_child(do_nothing);
    assert_int_equal(omptape_process_await(child, &status), 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_int_equal(omptape_process_await(child, &status), -ECHILD);
    child = start_child(stop_itself);
    assert_int_equal(omptape_process_await(child, &status), -ETIMEDOUT);
    end_child(child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_activity),
        cmocka_unit_test(test_silence),
        cmocka_unit_test(test_await),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
