/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is to be different, as a user writes it. docs/whatif.md lists the scenarios. A region is named as
 * reports name it, with or without blanks around the "@": "for@x.c:40". "@x.c:40" is all that is there.
 */
#pragma once

#include "src/model/simulate.h"

enum { SCENARIO_ERROR_BYTES = 1024 };

/* Changes `rules`, one for each of the model's places, as the text says. 0; or -EINVAL with one line in
 * `error`, which names what the archive has in place of what it does not have. */
int scenario_apply(const struct model *model, const char *text, struct simulate_rule *rules,
                   char error[SCENARIO_ERROR_BYTES]);

/* The rules of the unchanged run; NULL: no memory. */
struct simulate_rule *scenario_rules(const struct model *model);

/* A sentence about what the prediction rests on; NULL: nothing that must be said. A constant. */
const char *scenario_assumption(const struct model *model, const char *text);
