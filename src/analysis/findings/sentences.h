/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the findings' sentences and the verdict. Called by findings.c.
 */
#pragma once

#include "src/analysis/state.h"

/* Sets the finding's text and proposal. */
void omptape_finding_describe(struct analysis_state *state, struct omptape_finding *finding);

/* Returns what stands before the kind's name within a sentence, with a space: "a "; "" if nothing does. */
const char *omptape_finding_article(enum omptape_finding_kind kind);

/* verdict.c: sets the result's overall verdict. */
void omptape_findings_verdict(struct analysis_state *state);
