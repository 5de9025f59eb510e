/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Serialises a pyramid (pyramid.h) and adds it to another pyramid. Used for a profile's file (profile.h) and
 * for results of other processes (timelines.h). If both have the same bins, the result is exact. One thread.
 */
#pragma once

#include "src/analysis/reduce/byte_coding.h"
#include "src/analysis/reduce/table.h"
#include "src/analysis/timeline/pyramid.h"

/* Serialises an ended pyramid. */
void omptape_pyramid_put(struct omptape_bytes *bytes, const struct omptape_pyramid *pyramid);

/* Adds serialised data to the pyramid, whose bins become at least as long as those of the data. The time
 * of a bin stays in its bin, or moves to the neighbour if the bins' begins differ. Returns false if the
 * data is damaged or memory is exhausted. */
bool omptape_pyramid_take(struct omptape_pyramid *pyramid, struct omptape_bytes_rest *rest,
                          const struct omptape_partial_map *map);
