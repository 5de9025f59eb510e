/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Clocks that were compared while the program ran (include/omptape/clock_sync.h): which domain's times follow
 * which other's, and how. Part of the dating (clocks.h). Pure arithmetic, any thread.
 *
 * A domain's ticks become its hub's by a line through the moments at which both were read. Outside of these
 * it goes on with the measured slope, if the moments are far enough apart to tell it, else with the rates
 * that both counters have by their wall clocks.
 */
#ifndef OMPTAPE_UNIFY_CLOCKS_SAMPLES_H
#define OMPTAPE_UNIFY_CLOCKS_SAMPLES_H

#include "src/unify/clocks/dating.h"

/* Reads a process's properties (include/omptape/properties.h), which may hold anything; the host's name stays
 * where it is. */
void omptape_unify_comparison_read(struct omptape_unify_comparison *comparison, const char *samples,
                                   const char *reference);

/* Gives the domains their samples, once the clocks have their domains and these their rates. Domains for
 * which the user has measured offsets get none. 0 or -ENOMEM. */
int omptape_unify_samples_join(struct omptape_unify_dating *dating, struct omptape_unify_clock *const *clocks,
                               uint32_t count, const struct omptape_unify_offsets *offsets);

/* What `ticks` are by the hub's clock, and back. */
long double omptape_unify_to_hub(const struct omptape_unify_samples *samples, long double ticks);
long double omptape_unify_from_hub(const struct omptape_unify_samples *samples, long double ticks);

#endif
