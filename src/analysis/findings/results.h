/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the sums of all passes come to: lists in order, efficiencies, findings, warnings. Called by
 * src/analysis/reduce/sums.c, once, when all have been added.
 */
#pragma once

#include "src/analysis/state.h"

/* 0, or -ENOMEM. */
int omptape_analysis_results(struct analysis_state *state);
