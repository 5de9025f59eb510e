/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of the dating that make corrections (clocks.h). Pure arithmetic, any thread.
 */
#ifndef OMPTAPE_UNIFY_CLOCKS_CORRECTIONS_H
#define OMPTAPE_UNIFY_CLOCKS_CORRECTIONS_H

#include "src/unify/clocks/dating.h"

/* Rounded towards 0, and never near what 64 bits cannot hold: damaged archives may say anything of their
 * clocks. */
int64_t omptape_unify_to_whole(long double number);

/* Of two moments; negative if the second is earlier. */
long double omptape_unify_difference(uint64_t from, uint64_t to);

/* The time that all domains have in common, when `ticks` is that of the domain `number`: ns since 1970. */
long double omptape_unify_wall_at(const struct omptape_unify_dating *dating, uint32_t number,
                                  long double ticks, const struct omptape_unify_offsets *offsets);

/* Makes the corrections of all domains, so that no time is negative. 0 or -ENOMEM. */
int omptape_unify_correct(struct omptape_unify_dating *dating, const struct omptape_unify_offsets *offsets);

/* The time that a reader makes of `ticks`, and back. */
uint64_t omptape_unify_corrected(const struct omptape_unify_corrections *corrections, uint64_t ticks);
uint64_t omptape_unify_uncorrected(const struct omptape_unify_corrections *corrections, uint64_t time);

#endif
