/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One pass over the events of some processes: begun, fed with events, ended. What it has summed up then can
 * be written (partial.h), and is added to other passes' before anything is made of it (run.c). Who has events
 * from elsewhere than an archive's files feeds them just so.
 *
 * No memory is a matter of the pass: omptape_pass_end says so, at the latest. One thread.
 */
#ifndef OMPTAPE_ANALYSIS_PARTS_PASS_H
#define OMPTAPE_ANALYSIS_PARTS_PASS_H

#include "src/analysis/parts/plan.h"

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

/* The same of what is commonest, in few words, for who remembers what events refer to: valid as long as the
 * pass; NULL: it is not defined. False: nothing has been done, since this event has to be given whole, like a
 * location's first one. */
struct analysis_location *omptape_pass_location(struct analysis_state *pass, uint64_t id);
struct analysis_region *omptape_pass_region(struct analysis_state *pass, uint64_t id);
/* OMPTAPE_EVENT_ENTER or _LEAVE, without attributes. */
bool omptape_pass_visit(struct analysis_state *pass, struct analysis_location *location, uint64_t time,
                        enum omptape_event_kind kind, struct analysis_region *region);
/* OMPTAPE_EVENT_TASK_... and _LOCK_...; `name`: src/analysis/tasks.h, locks.h. */
bool omptape_pass_named(struct analysis_state *pass, struct analysis_location *location, uint64_t time,
                        enum omptape_event_kind kind, uint64_t name);
/* False: no more are wanted. */
bool omptape_pass_goes_on(const struct analysis_state *pass);

/* All events were there: what is open ends. False: memory ran out. */
bool omptape_pass_end(struct analysis_state *pass);

void omptape_pass_free(struct analysis_state *pass);

#endif
