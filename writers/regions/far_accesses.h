/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops whose accesses are far apart in memory, as along the columns of a matrix that is stored by rows. Or
 * they are scattered, as through an index in random order. Most of each cache line that such a loop fetches
 * is not used. Used by the thread that adds samples.
 */
#pragma once

#include "src/core/store.h"
#include "writers/symbols/sampled_code.h"

#include <stdbool.h>
#include <stdint.h>

enum { OMPTAPE_ADDRESS_PAIRS = 4 };

/* Addresses that one thread's samples of a loop accessed in one array; initialised with zeros. */
struct omptape_address_range {
    uint64_t low, high;
    uint64_t most_left; /* Iterations that one of the samples had before it. */
    /* The last addresses, and those of the index from which each was computed. */
    uint64_t targets[OMPTAPE_ADDRESS_PAIRS];
    uint64_t indices[OMPTAPE_ADDRESS_PAIRS];
    uint32_t pairs;
    /* Numbers of compared pairs: of all, and of those where the later index has the earlier target. */
    uint32_t compared;
    uint32_t disordered;
};

enum omptape_access_pattern { OMPTAPE_ACCESS_NEAR, OMPTAPE_ACCESS_FAR, OMPTAPE_ACCESS_SCATTERED };

/* Notes what the sampled instruction accesses, in `ranges`, which holds a struct omptape_address_range of
 * each array. The thread's samples must have seen addresses that are too far apart for the caches of one
 * processor. FAR: the loop around it goes on by 64 bytes or more each time, and uses at most a quarter of
 * each line. Of a loop of few iterations, as in a tile, the rest of these lines may be used while they are in
 * the cache. SCATTERED: its addresses come from an index whose order is not theirs, and it uses at most half
 * of each line. */
enum omptape_access_pattern omptape_far_accesses_note(struct omptape_pairs *ranges,
                                                      struct omptape_arena *arena,
                                                      const struct omptape_sampled_code *code,
                                                      const struct omptape_stack_copy *copy);
