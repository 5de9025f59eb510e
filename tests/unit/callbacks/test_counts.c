/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the numbers of communicators, windows and files: equal numbers mean one object. Run by CTest
 * as unit.counts.
 */
#include "callbacks/mpi/counts.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { KEY = 4711, OTHER = 4713 };

static struct omptape_mpi_counts counts;

static int begin(void **state)
{
    (void)state;
    counts = (struct omptape_mpi_counts){.list = NULL};
    return omptape_mpi_counts_alloc(&counts) ? 0 : -1;
}

/* One more with this key, which gets a number of its own if it needs one. */
static struct omptape_mpi_number_use make(uint64_t key, uint32_t own, uint32_t *number)
{
    const struct omptape_mpi_number_use turn = omptape_mpi_counts_add_object(&counts, key, number);
    if (*number == UINT32_MAX) {
        *number = own;
        omptape_mpi_counts_set_number(&counts, turn, own);
    }
    return turn;
}

static void test_in_turn(void **state)
{
    uint32_t number;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        const struct omptape_mpi_number_use turn = make(KEY, i, &number);
        assert_int_equal(number, i % OMPTAPE_MPI_REUSE_DISTANCE);
        assert_int_equal(turn.first, i % OMPTAPE_MPI_REUSE_DISTANCE);
        omptape_mpi_counts_remove_user(&counts, turn);
    }
    (void)make(OTHER, 5000, &number);
    assert_int_equal(number, 5000);
}

/* One that is there has a number for itself, and so has what comes after it. */
static void test_held(void **state)
{
    uint32_t number;
    (void)state;
    const struct omptape_mpi_number_use held = make(KEY, 0, &number);
    for (uint32_t i = 1; i < 100; i++) {
        const struct omptape_mpi_number_use turn = make(KEY, i, &number);
        const uint32_t which = i % OMPTAPE_MPI_REUSE_DISTANCE;
        assert_int_equal(number, which == 0 ? OMPTAPE_MPI_REUSE_DISTANCE : which);
        omptape_mpi_counts_remove_user(&counts, turn);
    }
    /* It is not remembered any more. */
    omptape_mpi_counts_remove_user(&counts, held);
    for (uint32_t i = 100; i < 200; i++) {
        const struct omptape_mpi_number_use turn = make(KEY, i, &number);
        assert_int_not_equal(number, 0);
        omptape_mpi_counts_remove_user(&counts, turn);
    }
}

/* A communicator that is freed before the window on it. */
static void test_two_users(void **state)
{
    uint32_t number;
    (void)state;
    const struct omptape_mpi_number_use first = make(KEY, 0, &number);
    omptape_mpi_counts_add_user(&counts, first);
    omptape_mpi_counts_remove_user(&counts, first);
    for (uint32_t i = 1; i < OMPTAPE_MPI_REUSE_DISTANCE; i++)
        omptape_mpi_counts_remove_user(&counts, make(KEY, i, &number));
    (void)make(KEY, 77, &number);
    assert_int_equal(number, 77);
}

static void *release(void *turn)
{
    omptape_mpi_counts_remove_user(&counts, *(struct omptape_mpi_number_use *)turn);
    return NULL;
}

/* Another thread may have freed it earlier here than in another process. */
static void test_freed_by_another(void **state)
{
    uint32_t number;
    pthread_t thread;
    (void)state;
    struct omptape_mpi_number_use first = make(KEY, 0, &number);
    assert_int_equal(pthread_create(&thread, NULL, release, &first), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (uint32_t i = 1; i < OMPTAPE_MPI_REUSE_DISTANCE; i++)
        omptape_mpi_counts_remove_user(&counts, make(KEY, i, &number));
    (void)make(KEY, 77, &number);
    assert_int_equal(number, 77);
}

/* What was not recorded is recorded when its turn comes again: all processes give it the same identity. */
static void test_not_recorded(void **state)
{
    uint32_t number;
    (void)state;
    for (uint32_t i = 0; i < OMPTAPE_MPI_REUSE_DISTANCE; i++)
        omptape_mpi_counts_remove_user(&counts, omptape_mpi_counts_add_object(&counts, KEY, &number));
    const struct omptape_mpi_number_use again = omptape_mpi_counts_add_object(&counts, KEY, &number);
    assert_int_equal(number, UINT32_MAX);
    assert_int_equal(again.first, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_in_turn, begin),
        cmocka_unit_test_setup(test_held, begin),
        cmocka_unit_test_setup(test_two_users, begin),
        cmocka_unit_test_setup(test_freed_by_another, begin),
        cmocka_unit_test_setup(test_not_recorded, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
