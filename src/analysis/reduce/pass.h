/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pass over the events of some processes: begin, one call per event, end. The sums can then be serialised
 * (partial.h) and added to the sums of other passes, before results are computed (sums.c). Callers with
 * another source of events than an archive's files use the same functions.
 *
 * If memory is exhausted, omptape_pass_event returns false; omptape_pass_end reports it at the latest.
 * Callers set omptape_out_of_memory (src/core/memory.h) to false before the first event. One thread.
 */
#pragma once

#include "src/analysis/reduce/plan.h"

struct analysis_location;
struct analysis_region;
struct analysis_state;

/* Begins a pass over `count` processes of the plan from index `first` on. The plan must outlive the pass.
 * Returns NULL if out of memory. */
struct analysis_state *omptape_pass_begin(const struct analysis_plan *plan, uint32_t first, uint32_t count);

/* Replaces the plan's options by these, which must outlive the pass; NULL: none. Before the first event. */
void omptape_pass_set_options(struct analysis_state *pass, const struct omptape_analysis_options *options);

/* Handles an event of these processes, in the order of time; an omptape_reader_visitor. False if no more are
 * wanted. */
bool omptape_pass_event(void *pass, const struct omptape_event *event);

/* For callers that cache locations and regions. Events of the returned location and region that have no
 * attributes may go directly to the function of their kind (src/analysis/location.h, and below). Results
 * are valid as long as the pass. Return NULL if the caller must use omptape_pass_event; a location needs
 * at least one event before. */
struct analysis_location *omptape_pass_location(struct analysis_state *pass, uint64_t id);
struct analysis_region *omptape_pass_region(struct analysis_state *pass, uint64_t id);
/* Handles a team's, task's or lock's event by its first reference and values. False for other kinds. */
bool omptape_pass_construct_event(struct analysis_state *pass, struct analysis_location *location,
                                  uint64_t time, enum omptape_event_kind kind, uint64_t ref,
                                  const uint64_t *value);
/* Returns false if no more events are wanted. */
bool omptape_pass_wants_events(const struct analysis_state *pass);

/* Ends all open regions after the last event. Returns false if out of memory. */
bool omptape_pass_end(struct analysis_state *pass);

void omptape_pass_free(struct analysis_state *pass);
