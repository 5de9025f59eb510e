/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the sums of all passes come to: lists in order, efficiencies, findings, warnings. Called by
 * src/analysis/reduce/sums.c, once, when all have been added.
 */
#ifndef OMPTAPE_ANALYSIS_FINDINGS_RESULTS_H
#define OMPTAPE_ANALYSIS_FINDINGS_RESULTS_H

#include "src/analysis/state.h"

/* 0, or -ENOMEM. */
int omptape_analysis_results(struct analysis_state *state);

#endif
