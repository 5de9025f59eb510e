/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of omptape_analysis_run (analysis.h), for callers that divide them among processes. The sums of
 * all processes begin as a pass (pass.h) that gets no events. One thread.
 */
#pragma once

#include "src/analysis/reduce/pass.h"

/* Of all that the plan has. NULL: no memory. To be freed by omptape_analysis_sums_free. */
struct analysis_state *omptape_analysis_sums_begin(const struct analysis_plan *plan);
void omptape_analysis_sums_free(struct analysis_state *sums);

/* Reads the plan's process with this number, and adds it. 0, or a negative errno with one line in `error`,
 * but for -ENOMEM. */
int omptape_analysis_add_process(struct analysis_state *sums, uint32_t index, char *error,
                                 size_t error_bytes);

/* Reads all of them in one order of time. Likewise. */
int omptape_analysis_add_together(struct analysis_state *sums, char *error, size_t error_bytes);

/* Adds what others have summed up (partial.h). Likewise; the sums are of no use then. */
int omptape_analysis_add_partial(struct analysis_state *sums, const void *bytes, size_t count,
                                 uint64_t identity, char *error, size_t error_bytes);

/* What all that was added means; and the pyramid that the options name is filled. The sums are then to be
 * freed. 0, or a negative errno with one line in `error`; *analysis is to be freed in either case. */
int omptape_analysis_conclude(struct omptape_analysis **analysis, struct analysis_state *sums, char *error,
                              size_t error_bytes);
