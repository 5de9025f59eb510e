/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that the program records under a name, such as a residual: metrics with one member whose source is
 * the user. A pass belongs to one thread.
 */
#pragma once

#include "src/analysis/state.h"

/* Handles a metric event of a thread; does nothing if it is no value of the user. */
void omptape_values_event(struct analysis_state *state, const struct omptape_event *event);

/* Returns the values of the name with this id, and creates them if necessary. Returns NULL if there is no
 * such name or memory is exhausted. */
struct analysis_value *omptape_values_at(struct analysis_state *state, uint64_t name);

/* Converts a field of struct analysis_value that holds a number; NaN if there is none. */
double omptape_values_number(uint64_t ordered);
