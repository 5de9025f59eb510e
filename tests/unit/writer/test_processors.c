/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what is said of too few processors. Run by CTest as unit.processors.
 */
#include "tests/unit/translate/translate_script.h"
#include "writers/processors.h"
#include "writers/state/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t second = 1000000000;

/* A thread that lived from `begin` to `end` seconds; where it might run, and how much of that it ran and
 * waited. */
static void add_thread(const char *binding, double begin, double end, double ran, double waited)
{
    unsigned thread = translate_thread(10);
    translate_pass();
    struct omptape_location *location = translate.writer.locations[thread];
    location->binding = binding != NULL ? strdup(binding) : NULL;
    location->begin = (uint64_t)(begin * 1e9);
    location->stack.booked = location->begin;
    const struct omptape_sched_reading reading = {.time = (uint64_t)(end * 1e9),
                                                  .sums = {(uint64_t)(ran * 1e9), (uint64_t)(waited * 1e9)}};
    if (ran > 0)
        omptape_sched_add(&translate.writer, location, &reading);
    location->last = (uint64_t)(end * 1e9);
}

static void add_threads(unsigned count, const char *binding, double ran, double waited)
{
    for (unsigned i = 0; i < count; i++)
        add_thread(binding, 0, 10, ran, waited);
}

/* `expected`: what the sentence begins with; NULL: there is none. */
static void expect_of(const struct omptape_rivals *rivals, const char *expected)
{
    char text[256] = "";
    bool wrong = omptape_processors_describe(&translate.writer, second, rivals, text, sizeof(text));
    if (expected == NULL)
        assert_string_equal(text, "");
    else
        assert_memory_equal(text, expected, strlen(expected));
    assert_int_equal(wrong, expected != NULL);
}

static void expect(const char *expected)
{
    expect_of(NULL, expected);
}

static void launch_by(const char *launcher)
{
    strcpy(translate.settings.job.launcher, launcher);
}

static void test_one_core_for_a_rank(void **state)
{
    (void)state;
    launch_by("Open MPI");
    add_threads(4, "5000", 2.5, 7.5);
    expect(
        "all 4 threads were bound to processor 5000 and waited 75 % of their time for it: mpirun binds each "
        "rank to one core; --bind-to none or --map-by slot:PE=4");
    launch_by("Hydra");
    expect(
        "all 4 threads were bound to processor 5000 and waited 75 % of their time for it: mpiexec -bind-to "
        "none");
    launch_by("Slurm");
    expect("all 4 threads were bound to processor 5000 and waited 75 % of their time for it: srun "
           "--cpus-per-task=4");
    launch_by("");
    expect(
        "all 4 threads were bound to processor 5000 and waited 75 % of their time for it: OMP_NUM_THREADS=1");
}

/* The runtime has more processors than its threads were put on. */
static void test_bound_by_the_user(void **state)
{
    struct omptape_shm *shm = translate.session.shm;
    (void)state;
    strcpy(shm->info, "runtime.version=x\nprocs=64\n");
    atomic_store(&shm->info_bytes, (uint32_t)strlen(shm->info));
    add_thread("3", 0, 10, 5, 5);
    add_thread("3", 0, 10, 5, 5);
    add_thread("4", 0, 10, 10, 0);
    expect("2 of 3 threads were bound to processor 3 and waited 33 % of their time for it: OMP_PLACES");
}

static void test_more_threads_than_processors(void **state)
{
    (void)state;
    launch_by("Slurm");
    add_threads(4, "0-1", 5, 5);
    expect("4 threads shared 2 processors and waited 50 % of their time for one: ");
}

/* Each ran for a second of ten, so both processors did for two: the rest of the time others had them. */
static void test_too_many_beside_others(void **state)
{
    (void)state;
    add_threads(4, "0-1", 1, 9);
    expect("4 threads shared 2 processors and waited 90 % of their time for one, mostly while other programs "
           "had "
           "them: OMP_NUM_THREADS=2");
}

/* Idle workers, helpers that do little, and threads that were in no team take nobody's processor. */
static void test_idle_threads(void **state)
{
    (void)state;
    add_threads(2, "0-1", 9, 0.8);
    add_threads(8, "0-1", 0.1, 0.1);
    add_threads(3, NULL, 9, 1);
    expect(NULL);
    add_thread("2", 0, 10, 0.1, 0); /* but may run there */
    assert_int_equal(omptape_processors_count(&translate.writer), 3);
}

/* Ten pairs, one after the other. */
static void test_threads_that_come_and_go(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        add_thread("0-1", i, i + 1, 0.9, 0.08);
        add_thread("0-1", i, i + 1, 0.9, 0.08);
    }
    expect(NULL);
}

static void test_others_on_the_machine(void **state)
{
    (void)state;
    add_threads(2, "0-3", 6, 4);
    expect("the threads waited 40 % of their time for a processor: other threads or programs ran there");
    launch_by("Open MPI");
    expect("the threads waited 40 % of their time for a processor: other ranks or programs ran there");
}

/* Only of what was measured is said that it ran there. */
static void test_who_was_there(void **state)
{
    (void)state;
    struct omptape_rivals rivals = {.threads = 3, .thread = "statistics (4711)", .programs = 2.5};
    add_threads(2, "0-3", 6, 4);
    expect_of(&rivals,
              "the threads waited 40 % of their time for a processor: other threads of the program ran "
              "there for 3 s, most of all statistics (4711)");
    rivals.programs = 3.5;
    expect_of(&rivals, "the threads waited 40 % of their time for a processor: other programs ran there");
    rivals.hypervisor = 4;
    expect_of(&rivals,
              "the threads waited 40 % of their time for a processor: the hypervisor gave them to other "
              "machines for 4 s");
    rivals.quota = 8;
    rivals.processors = 1.5;
    expect_of(&rivals, "the threads waited 40 % of their time for a processor: the limit of its cgroup, 1.5 "
                       "processors, stopped threads for 8 s (OMP_NUM_THREADS=1");
}

/* The program binds its threads after their first region: `binding` is of before. */
static void test_bound_by_the_program(void **state)
{
    (void)state;
    add_threads(2, "0-1", 5, 5);
    for (unsigned i = 0; i < 2; i++)
        translate.writer.locations[i]->allowed = strdup("0");
    expect("all 2 threads were bound to processor 0 and waited 50 % of their time for it: something put them "
           "there after their first region");
}

/* Two threads in turn on one processor are no trouble, nor is a run that nobody noticed. */
static void test_nothing_wrong(void **state)
{
    (void)state;
    add_threads(2, "0", 5, 0.1);
    expect(NULL);
}

static void test_short_run(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        add_thread("0-1", 0, 0.05, 0.02, 0.02);
    expect(NULL);
}

/* The kernel does not tell: what is known is where they were bound. */
static void test_without_times(void **state)
{
    (void)state;
    add_threads(2, "7", 0, 0);
    expect("all 2 threads were bound to processor 7: OMP_NUM_THREADS=1");
}

static void test_without_times_or_bindings(void **state)
{
    (void)state;
    add_threads(8, "0-1", 0, 0);
    expect(NULL);
}

static int finish(void **state)
{
    translate_finish_only(20 * second);
    return translate_close(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, translate_open, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_one_core_for_a_rank),
        TEST(test_bound_by_the_user),
        TEST(test_more_threads_than_processors),
        TEST(test_too_many_beside_others),
        TEST(test_idle_threads),
        TEST(test_threads_that_come_and_go),
        TEST(test_others_on_the_machine),
        TEST(test_who_was_there),
        TEST(test_bound_by_the_program),
        TEST(test_nothing_wrong),
        TEST(test_short_run),
        TEST(test_without_times),
        TEST(test_without_times_or_bindings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
