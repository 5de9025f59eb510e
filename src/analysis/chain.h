/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the longest chain of tasks: the time that the tasks would need with any number of threads. A task
 * begins no earlier than its creation. It follows earlier tasks of its team that share an address in their
 * dependences, unless both only read or both are of a set (inoutset).
 *
 * Creation follows all earlier tasks of the team after a barrier. After a taskwait or taskgroup of an
 * implicit task it follows the tasks that this implicit task created. A taskgroup, or a taskwait with
 * dependences, is taken to wait for all of these. Waits of explicit tasks are ignored: work after them counts
 * from the begin of the task. If several teams use an address at the same time, only the dependences of the
 * newest one count. Apart from waits for some tasks, the result is therefore a lower bound.
 */
#pragma once

#include "src/analysis/state.h"
#include "src/analysis/tasks.h"
#include "src/analysis/team.h"

/* Registers a created task with its name (tasks.h), and the chain until the creation. `creator`: the member
 * whose implicit task creates it; NULL: an explicit task does. */
void omptape_chain_create(struct analysis_state *state, struct analysis_location *location,
                          const struct analysis_team *team, uint64_t name, struct analysis_chain chain,
                          struct analysis_member *creator);
/* Adds a dependence ("inout 0x7ffc") to the task that the location created last. */
void omptape_chain_depend(struct analysis_state *state, const struct analysis_location *location,
                          const char *dependence);
/* Returns the chain until the task's begin, and sets its creator; 0 and NULL if the task is unknown. Called
 * when a thread switches to the task. */
struct analysis_chain omptape_chain_begin(struct analysis_state *state, const struct analysis_team *team,
                                          uint64_t name, struct analysis_member **creator);
/* Removes the completed task. `length` is the length of the chain until its end. */
void omptape_chain_complete(struct analysis_state *state, const struct analysis_team *team, uint64_t name,
                            uint64_t length);
