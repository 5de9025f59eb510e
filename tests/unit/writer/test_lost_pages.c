/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of pages that a mapped file has lost, each in a child process. Run by CTest as unit.lost_pages.
 */
#include "writers/symbols/lost_pages.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* At least a page of any machine. */
enum { BYTES = 65536, ZEROS = 3, OTHER = 4 };

static _Alignas(BYTES) char of_the_program[BYTES];

/* Maps a file, at `place` if it is not NULL, which then becomes empty. */
static volatile char *map_lost(void *place)
{
    const int file = memfd_create("lost", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, BYTES) != 0)
        _exit(OTHER);
    char *mapped =
        mmap(place, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | (place != NULL ? MAP_FIXED : 0), file, 0);
    if (mapped == MAP_FAILED)
        _exit(OTHER);
    mapped[0] = 1;
    if (ftruncate(file, 0) != 0)
        _exit(OTHER);
    return mapped;
}

static void read_lost(void)
{
    omptape_lost_pages_replace(NULL, 0);
    volatile char *lost = map_lost(NULL);
    if (lost[0] != 0)
        _exit(OTHER);
    lost[0] = 1;
    _exit(lost[0] == 1 ? ZEROS : OTHER);
}

static void read_shared(void)
{
    volatile char *lost = map_lost(NULL);
    omptape_lost_pages_replace((const char *)lost, BYTES);
    _exit(lost[0] == 0 ? ZEROS : OTHER);
}

static void read_program(void)
{
    omptape_lost_pages_replace(NULL, 0);
    volatile char *lost = map_lost(of_the_program);
    _exit(lost[0] == 0 ? ZEROS : OTHER);
}

static void be_sent(void)
{
    omptape_lost_pages_replace(NULL, 0);
    (void)kill(getpid(), SIGBUS);
    _exit(OTHER);
}

/* Returns the status with which a child ends that calls the function. */
static int end_of(void (*function)(void))
{
    int status = -1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        function();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void lost_page_is_zeros(void **state)
{
    (void)state;
    const int status = end_of(read_lost);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), ZEROS);
}

static void expect_death(void (*function)(void))
{
    const int status = end_of(function);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGBUS);
}

static void lost_page_of_shared_memory_kills(void **state)
{
    (void)state;
    expect_death(read_shared);
}

static void lost_page_of_the_program_kills(void **state)
{
    (void)state;
    expect_death(read_program);
}

static void sent_signal_kills(void **state)
{
    (void)state;
    expect_death(be_sent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_page_is_zeros),
        cmocka_unit_test(lost_page_of_shared_memory_kills),
        cmocka_unit_test(lost_page_of_the_program_kills),
        cmocka_unit_test(sent_signal_kills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
