/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops whose accesses are far apart in memory, as along the columns of a matrix that is stored by rows. Most
 * of each cache line that such a loop fetches is not used. Used by the thread that adds samples.
 */
#pragma once

#include "writers/symbols/sampled_code.h"

#include <stdbool.h>
#include <stdint.h>

/* Addresses that one thread's samples of an instruction accessed; initialised with zeros. */
struct omptape_address_range {
    uint64_t low, high;
};

/* Notes what the sampled instruction accesses, by the sample's registers (registers.h). Returns true if the
 * loop around it goes on by 64 bytes or more each time, and uses at most a quarter of each line. The thread's
 * samples so far must also have seen addresses that are too far apart for the caches of one processor. */
bool omptape_far_accesses_note(struct omptape_address_range *range, const struct omptape_sampled_code *code,
                               const uint64_t *registers);
