/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the ticks of each process to the times of the unified archive. Processes that read the same counter
 * (same host, same kind of clock, same boot) are one domain and keep their ticks; the times of other domains
 * are shifted and stretched by what messages have shown of their clocks (samples.h), or else by way of their
 * wall clocks. Pure arithmetic, any thread.
 */
#ifndef OMPTAPE_UNIFY_CLOCKS_CLOCKS_H
#define OMPTAPE_UNIFY_CLOCKS_CLOCKS_H

#include "src/unify/clocks/corrections.h"
#include "src/unify/clocks/dating.h"

#include <stddef.h>

/* Dates `count` processes; the finest counter is the reference. 0 or -ENOMEM. Free with
 * omptape_unify_dating_free. */
int omptape_unify_date(struct omptape_unify_dating *dating, struct omptape_unify_clock *const *clocks,
                       uint32_t count, const struct omptape_unify_offsets *offsets);
void omptape_unify_dating_free(struct omptape_unify_dating *dating);

/* A line for the user if there are measured offsets, but none for some hosts besides the first process's:
 * their names may be mistyped in the file. Else empty. */
void omptape_unify_find_unmeasured(const struct omptape_unify_dating *dating,
                                   const struct omptape_unify_offsets *offsets, char *line, size_t bytes);

#endif
