/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages whose reader goes away: no signal ends the program. Run by CTest as unit.message.
 */
#include "src/core/message.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

enum { PIPE_BYTES = 1 << 16, LINE_BYTES = 4 * PIPE_BYTES };

static const char line[LINE_BYTES];

static void *write_line(void *end)
{
    static const char written[] = "written";
    return omptape_message_write(*(int *)end, line, sizeof(line)) ? (void *)(uintptr_t)written : NULL;
}

static void no_signal_remains(void)
{
    sigset_t pending;
    assert_int_equal(sigpending(&pending), 0);
    assert_int_equal(sigismember(&pending, SIGPIPE), 0);
}

static void a_pipe_without_a_reader_does_not_end_the_program(void **state)
{
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_false(omptape_message_write(ends[1], line, 1));
    assert_int_equal(errno, EPIPE);
    no_signal_remains();
    close(ends[1]);
}

static void nor_does_one_whose_reader_leaves_within_a_line(void **state)
{
    pthread_t thread;
    int ends[2];
    int waiting = 0;
    void *written = NULL;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_true(fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES) > 0);
    const int bytes = fcntl(ends[1], F_GETPIPE_SZ);
    assert_true(bytes < LINE_BYTES);
    assert_int_equal(pthread_create(&thread, NULL, write_line, &ends[1]), 0);
    while (ioctl(ends[0], FIONREAD, &waiting) == 0 && waiting < bytes)
        sched_yield();
    close(ends[0]);
    assert_int_equal(pthread_join(thread, &written), 0);
    assert_null(written);
    no_signal_remains();
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_without_a_reader_does_not_end_the_program),
        cmocka_unit_test(nor_does_one_whose_reader_leaves_within_a_line),
    };
    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
