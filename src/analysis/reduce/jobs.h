/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Divides the processes of an archive among child processes on this machine. The children inherit the opened
 * reader, so definitions are read once. The result is identical to a run in one process. One thread.
 */
#pragma once

#include "src/analysis/reduce/sums.h"

/* Analyses these processes of the plan and adds them to the sums. With `jobs` > 1 this many children do
 * so; each takes the largest remaining process. The caller's process repeats the work of killed children.
 * Returns 0, or a negative errno with one line in `error`. */
int omptape_analysis_add_processes(struct analysis_state *sums, const uint32_t *processes, uint32_t count,
                                   unsigned jobs, char *error, size_t error_bytes);
