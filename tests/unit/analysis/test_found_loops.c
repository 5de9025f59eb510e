/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the sums of loops that are found (src/analysis/detected_loops.c): in each iteration two
 * processes meet in collective operations, and one of them comes late to the first one. Run by CTest as
 * unit.found_loops.
 */
#include "tests/unit/analysis/analysis_fixture.h"
#include "tests/unit/analysis/mpi_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* us: from one meeting to the next, from one's begin to the other's, and in the call. */
enum { ITERATIONS = 8, ITERATION = 1100, LATE = 400, MEET = 200 };
/* Further operations of an iteration. With MANY the states at the first begins are no longer kept when the
 * loop is found. */
enum { FEW = 2, MANY = 70, FURTHER = 40 };

static void define(OTF2_GlobalDefWriter *writer)
{
    enum { STRINGS = MAKE_STRINGS + FUNCTIONS + 2, NAME_BYTES = 32 };
    mpi_fixture_define(writer);
    for (uint32_t i = 0; i < MANY; i++) {
        char name[NAME_BYTES];
        (void)snprintf(name, sizeof(name), "MPI_Bcast @b.c:%u", i + 1);
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, STRINGS + i, name));
        make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, FURTHER + i, STRINGS + i, STRINGS + i, 0,
                                                      OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_MPI,
                                                      OTF2_REGION_FLAG_NONE, 0, 0, 0));
    }
}

static void add_operation(unsigned location, unsigned region, uint64_t begin, uint64_t end)
{
    analysis_fixture_add(location, begin, "enter %u", region);
    analysis_fixture_add(location, end, "collective 0 " COMM " " NO_ROOT " 0 0");
    analysis_fixture_add(location, end, "leave %u", region);
}

static void add_process(unsigned location, uint64_t late, unsigned further)
{
    uint64_t now = 1;
    analysis_fixture_add(location, now, "enter 0");
    for (unsigned i = 0; i < ITERATIONS; i++, now += ITERATION) {
        const uint64_t end = now + LATE + MEET;
        add_operation(location, COLLECTIVE, now + late, end);
        for (unsigned call = 0; call < further; call++)
            add_operation(location, FURTHER + call, end + call, end + call);
    }
    analysis_fixture_add(location, now, "leave 0");
}

static void expect_factor(double wanted, double found)
{
    const double accuracy = 0.02;
    if (fabs(wanted - found) > accuracy)
        fail_msg("%g is not %g", found, wanted);
}

static void expect_factors(unsigned further)
{
    const double whole = ITERATION;
    const double outside = ITERATION - MEET;
    const double mean = ITERATION - MEET - LATE / 2;
    uint64_t parts = 0;
    add_process(0, 0, further);
    add_process(2, LATE, further);
    analysis_fixture_make_added((struct make_plan){.more = define, .two_processes = true});
    assert_int_equal(1, analysis_fixture->phase_count);
    const struct analysis_phase *loop = analysis_fixture->phases[0];
    const double *factors = loop->efficiency.factors;
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        parts += loop->parts[bucket];
    expect_factor(1, (double)parts / (double)loop->wall);
    expect_factor(outside / whole, factors[ANALYSIS_COMMUNICATION]);
    expect_factor(mean / outside, factors[ANALYSIS_MPI_LOAD_BALANCE]);
    expect_factor(1, factors[ANALYSIS_LOAD_BALANCE]);
    analysis_fixture_close();
}

/* The process that comes early waits because the other one has more to do. */
static void who_waits_has_less_to_do(void **state)
{
    (void)state;
    expect_factors(FEW);
}

/* The first iterations are supposed to be as the later ones. */
static void states_not_kept_are_as_later(void **state)
{
    (void)state;
    expect_factors(MANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_waits_has_less_to_do, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(states_not_kept_are_as_later, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
