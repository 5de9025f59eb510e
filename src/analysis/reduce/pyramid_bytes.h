/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pyramid (pyramid.h) as bytes, and back into another pyramid. These are part of the file of a profile
 * (profile.h), or come from another process that read the events (timelines.h). Where the bins are the same
 * nothing is lost. One thread.
 */
#pragma once

#include "src/analysis/reduce/bytes.h"
#include "src/analysis/reduce/table.h"
#include "src/analysis/timeline/pyramid.h"

/* Of a pyramid that has ended. */
void omptape_pyramid_put(struct omptape_bytes *bytes, const struct omptape_pyramid *pyramid);

/* Adds what is there to the pyramid, whose bins become as long as those at least. Each bin's time stays in
 * it, or in its neighbour where the bins do not begin together. False: it is damaged, or memory ran out. */
bool omptape_pyramid_take(struct omptape_pyramid *pyramid, struct omptape_bytes_rest *rest,
                          const struct omptape_partial_map *map);
