/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts the processors that this process may use: its affinity mask, limited by the CPU quotas of its
 * cgroups (containers, batch systems). Called by the command, on any thread.
 */
#pragma once

/* Returns the number of usable processors, at least 1. Fractional quotas are rounded up. */
unsigned omptape_processors(void);
