/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the longest chain of tasks: the time that the tasks would need with any number of threads. A task
 * begins no earlier than its creation. It follows earlier tasks of its team that share an address in their
 * dependences, unless both only read. Creation follows barriers, taskwaits and taskgroups of
 * implicit tasks. Those of explicit tasks are ignored: work after a taskwait counts from the begin of its
 * task. The result is therefore a lower bound. Called by tasks.c.
 */
#pragma once

#include "src/analysis/state.h"
#include "src/analysis/team.h"

/* Registers a created task with its name (tasks.h). `length` is the length of the chain until the
 * creation. */
void omptape_chain_create(struct analysis_state *state, struct analysis_location *location,
                          const struct analysis_team *team, uint64_t name, uint64_t length);
/* Adds a dependence ("inout 0x7ffc") to the task that the location created last. */
void omptape_chain_depend(struct analysis_state *state, const struct analysis_location *location,
                          const char *dependence);
/* Returns the length of the chain until the task's begin; 0 if the task is unknown. Called when a thread
 * switches to the task. */
uint64_t omptape_chain_begin(struct analysis_state *state, const struct analysis_team *team, uint64_t name);
/* Removes the completed task. `length` is the length of the chain until its end. */
void omptape_chain_complete(struct analysis_state *state, const struct analysis_team *team, uint64_t name,
                            uint64_t length);
