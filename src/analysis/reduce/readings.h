/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The readings of the kernel for processes with several initial threads, read before all events
 * (src/analysis/serial.h). A reading follows the time that it describes, so the analysis has to know it in
 * advance.
 */
#pragma once

#include <stdint.h>

struct analysis_state;

/* Reads the initial threads among these locations, which are those of the pass, by a reader of its own. Where
 * that fails, the pass goes on as if no process had several. 0 or -ENOMEM. */
int omptape_readings_read(struct analysis_state *pass, const uint64_t *locations, uint32_t count);
void omptape_readings_free(struct analysis_state *pass);
