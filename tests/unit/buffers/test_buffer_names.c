/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of who holds a thread's table of names (buffers/names.h). Run by CTest as unit.buffer_names.
 */
#include "buffers/names.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct omptape_names names;
static volatile sig_atomic_t held;
static sigjmp_buf before;

static void hold(int number)
{
    (void)number;
    held = omptape_names_hold(&names);
}

static void jump(int number)
{
    (void)number;
    siglongjmp(before, 1);
}

/* A handler gets the table only if it did not interrupt the holder. */
static void test_handlers(void **state)
{
    (void)state;
    (void)signal(SIGUSR1, hold);
    assert_true(omptape_names_hold(&names));
    (void)raise(SIGUSR1);
    assert_false(held);
    omptape_names_release(&names);
    (void)raise(SIGUSR1);
    assert_true(held);
    omptape_names_release(&names);
}

/* A handler leaves the holder by longjmp: the next one gets the table, and handlers then do not. */
static void test_jumps(void **state)
{
    (void)state;
    (void)signal(SIGUSR1, hold);
    (void)signal(SIGUSR2, jump);
    if (sigsetjmp(before, 1) == 0) {
        assert_true(omptape_names_hold(&names));
        (void)raise(SIGUSR2);
    }
    assert_true(omptape_names_hold(&names));
    (void)raise(SIGUSR1);
    assert_false(held);
    omptape_names_release(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_handlers), cmocka_unit_test(test_jumps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
