/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The longest chain of tasks: how long they would take with any number of threads. A task begins no earlier
 * than its creation. Nor does it begin before the end of earlier tasks that have one of the same addresses in
 * their dependences. Taskwaits are left out: what comes behind one counts from its task's begin. Called by
 * tasks.c, with a lower bound as result.
 */
#pragma once

#include "src/analysis/state.h"
#include "src/analysis/team.h"

/* A task was created, of this name (tasks.h): `length` is that of the chain up to there. */
void omptape_chain_create(struct analysis_state *state, struct analysis_location *location,
                          const struct analysis_team *team, uint64_t name, uint64_t length);
/* A dependence of the task that the location created last; "inout 0x7ffc". */
void omptape_chain_depend(struct analysis_state *state, const struct analysis_location *location,
                          const char *dependence);
/* The chain up to the task's begin: it is switched to. 0 if nothing is known of it. */
uint64_t omptape_chain_begin(struct analysis_state *state, const struct analysis_team *team, uint64_t name);
/* The task is complete; `length` is that of the chain to its end. */
void omptape_chain_complete(struct analysis_state *state, const struct analysis_team *team, uint64_t name,
                            uint64_t length);
