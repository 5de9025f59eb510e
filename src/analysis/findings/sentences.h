/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the findings' sentences and the verdict. Called by findings.c.
 */
#pragma once

#include "src/analysis/state.h"

/* Sets the finding's text and proposal. */
void omptape_finding_describe(struct analysis_state *state, struct omptape_finding *finding);

/* Sets the result's overall verdict. */
void omptape_findings_verdict(struct analysis_state *state);
