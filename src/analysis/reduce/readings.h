/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the scheduler readings of processes with several initial threads before all events
 * (src/analysis/serial.h). A reading follows the time that it describes, so it must be known in advance.
 */
#pragma once

#include <stdint.h>

struct analysis_state;

/* Reads the initial threads among these locations of the pass with a reader of its own. If that fails, the
 * pass treats no process as having several. Returns 0 or -ENOMEM. */
int omptape_readings_read(struct analysis_state *pass, const uint64_t *locations, uint32_t count);
void omptape_readings_free(struct analysis_state *pass);
