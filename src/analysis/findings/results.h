/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the results from the sums of all passes: sorted lists, efficiencies, findings and warnings. Called
 * once by src/analysis/reduce/sums.c, after all sums were added.
 */
#pragma once

#include "src/analysis/state.h"

/* Returns 0 or -ENOMEM. */
int omptape_analysis_results(struct analysis_state *state);
