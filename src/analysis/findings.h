/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What findings.c and sentences.c share. Not for the analysis' users.
 */
#ifndef OMPTAPE_ANALYSIS_FINDINGS_H
#define OMPTAPE_ANALYSIS_FINDINGS_H

#include "src/analysis/state.h"

struct analysis_findings {
    struct analysis_state *state;
    struct omptape_finding *list;
    uint32_t count;
    uint32_t room;
    bool oversubscribed;
};

bool omptape_findings_tasks_are_fine(const struct analysis_state *state,
                                     const struct analysis_task_site *site);

/* sentences.c: text and proposal of a finding; the verdict on all. */
void omptape_finding_say(struct analysis_state *state, struct omptape_finding *finding);
void omptape_findings_verdict(struct analysis_state *state);

#endif
