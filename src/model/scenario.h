/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Scenarios: conditions to change in a simulation, as a user writes them (docs/whatif.md). A region is named
 * as in reports, with or without blanks around the "@": "for@x.c:40". "@x.c:40" stands for everything there.
 */
#pragma once

#include "src/model/simulate.h"

enum { SCENARIO_ERROR_BYTES = 1024 };

/* Changes `rules`, which has one entry per place of the model, as the text requests. Returns 0, or negative
 * errno with a line in `error`. For -EINVAL it names similar regions of the archive. */
int scenario_apply(const struct model *model, const char *text, struct simulate_rule *rules,
                   char error[SCENARIO_ERROR_BYTES]);

/* Returns rules that change nothing; the caller frees them. Returns NULL if out of memory. */
struct simulate_rule *scenario_rules(const struct model *model);

/* Returns a constant sentence about the prediction's assumption, or NULL if there is none. */
const char *scenario_assumption(const struct model *model, const char *text);
