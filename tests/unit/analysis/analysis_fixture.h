/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the analysis says of an archive that is made for a test by tests/unit/make_archive.h, in the folder of
 * tests/unit/check_harness.h. One thread.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "tests/unit/check_harness.h"

/* Of the last archive that was analysed. */
extern struct omptape_analysis *analysis_fixture;

/* What is analysed of the archives that are made from now on; 0 and 0: all. */
extern uint64_t analysis_fixture_from;
extern uint64_t analysis_fixture_to;

/* Makes an archive and analyses it; fails if it cannot. */
void analysis_fixture_make(const struct make_plan *plan);
void analysis_fixture_close(void);

/* Adds an event at `us` to those of the next archive: "enter 1", as in make_plan.events. */
void analysis_fixture_add(unsigned location, uint64_t us, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Makes an archive of these events and the plan's definitions, and analyses it. */
void analysis_fixture_make_added(struct make_plan plan);

/* The sums of the findings of this kind: gain, waited, count; all 0: there is none. */
struct omptape_finding analysis_fixture_sum(enum omptape_finding_kind kind);
