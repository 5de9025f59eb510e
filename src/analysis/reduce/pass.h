/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One pass over the events of some processes: begun, fed with events, ended. What it has summed up then can
 * be written (partial.h), and is added to other passes' before anything is made of it (run.c). Who has events
 * from elsewhere than an archive's files feeds them just so.
 *
 * No memory is a matter of the pass: omptape_pass_end says so, at the latest. One thread.
 */
#pragma once

#include "src/analysis/reduce/plan.h"

struct analysis_location;
struct analysis_region;
struct analysis_state;

/* Of `count` processes of the plan, which has to live as long, from the first on. NULL: no memory. */
struct analysis_state *omptape_pass_begin(const struct analysis_plan *plan, uint32_t first, uint32_t count);

/* These options are looked at from now on, in place of the plan's; they have to live as long as the pass.
 * NULL: none. Before the first event. */
void omptape_pass_heed(struct analysis_state *pass, const struct omptape_analysis_options *options);

/* One event of theirs, in the order of time; a omptape_reader_visitor. False: no more are wanted. */
bool omptape_pass_event(void *pass, const struct omptape_event *event);

/* For who remembers what events refer to: a location and a region whose events may be given to the functions
 * for each kind (src/analysis/location.h, and below) in place of that, if they say nothing beside. Valid as
 * long as the pass. NULL: give events whole; of a location until it has had one at least. */
struct analysis_location *omptape_pass_location(struct analysis_state *pass, uint64_t id);
struct analysis_region *omptape_pass_region(struct analysis_state *pass, uint64_t id);
/* An event of a team, a task or a lock, by its first reference and values. False: it is none of these. */
bool omptape_pass_words(struct analysis_state *pass, struct analysis_location *location, uint64_t time,
                        enum omptape_event_kind kind, uint64_t ref, const uint64_t *value);
/* False: no more are wanted. */
bool omptape_pass_goes_on(const struct analysis_state *pass);

/* All events were there: what is open ends. False: memory ran out. */
bool omptape_pass_end(struct analysis_state *pass);

void omptape_pass_free(struct analysis_state *pass);
