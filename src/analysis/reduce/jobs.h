/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shares the processes of an archive among processes of this machine. They read with what the caller has
 * opened, so definitions are read once. The result is that of one process, to the bit. One thread.
 */
#pragma once

#include "src/analysis/reduce/sums.h"

/* Reads these processes of the plan, and adds them to the sums. With `jobs` above 1 as many children of this
 * process do that, each the largest that is left; what one had that was killed is done here. 0, or a negative
 * errno with one line in `error`. */
int omptape_analysis_add_processes(struct analysis_state *sums, const uint32_t *processes, uint32_t count,
                                   unsigned jobs, char *error, size_t error_bytes);
