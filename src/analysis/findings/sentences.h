/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What findings say to a person. Called by findings.c.
 */
#pragma once

#include "src/analysis/state.h"

/* Sets the finding's text and proposal. */
void omptape_finding_say(struct analysis_state *state, struct omptape_finding *finding);

/* Sets the result's verdict on all. */
void omptape_findings_verdict(struct analysis_state *state);
