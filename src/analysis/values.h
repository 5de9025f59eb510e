/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that the program names, as a residual: metrics of one member whose source is the user. A pass
 * belongs to one thread.
 */
#pragma once

#include "src/analysis/state.h"

/* A metric's event of a thread, which may be such a value. */
void omptape_values_event(struct analysis_state *state, const struct omptape_event *event);

/* The values of the name with this id, which are made if they are not there. NULL: there is no such name, or
 * memory ran out. */
struct analysis_value *omptape_values_at(struct analysis_state *state, uint64_t name);

/* The number that one of the value's fields stands for. */
double omptape_values_number(uint64_t ordered);
