/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of omptape_analysis_run (analysis.h), for callers that divide them among processes. The sums of
 * all processes are kept in a pass (pass.h) that gets no events. One thread.
 */
#pragma once

#include "src/analysis/reduce/pass.h"

/* Begins the sums of all processes of the plan. Returns NULL if out of memory. The caller frees them with
 * omptape_analysis_sums_free. */
struct analysis_state *omptape_analysis_sums_begin(const struct analysis_plan *plan);
void omptape_analysis_sums_free(struct analysis_state *sums);

/* Analyses the plan's process with this index and adds it. Returns 0, or a negative errno with one line in
 * `error`; -ENOMEM sets no line. */
int omptape_analysis_add_process(struct analysis_state *sums, uint32_t index, char *error,
                                 size_t error_bytes);

/* Adds a partial result of another process (partial.h). Returns as omptape_analysis_add_process. The sums
 * are unusable after an error. */
int omptape_analysis_add_partial(struct analysis_state *sums, const void *bytes, size_t count,
                                 uint64_t identity, char *error, size_t error_bytes);

/* Computes the results of all that was added, and fills the options' pyramid. The caller then frees the
 * sums. Returns 0, or a negative errno with one line in `error`. The caller frees *analysis in both cases. */
int omptape_analysis_conclude(struct omptape_analysis **analysis, struct analysis_state *sums, char *error,
                              size_t error_bytes);

/* jobs.c: divides the processes of an archive among child processes on this machine. The children inherit the
 * opened reader, so definitions are read once. The result is identical to a run in one process. */

/* Analyses these processes of the plan and adds them to the sums. With `jobs` > 1 this many children do
 * so; each takes the largest remaining process. The caller's process repeats the work of killed children.
 * Returns 0, or a negative errno with one line in `error`. */
int omptape_analysis_add_processes(struct analysis_state *sums, const uint32_t *processes, uint32_t count,
                                   unsigned jobs, char *error, size_t error_bytes);
