/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows: what a program does from one place again and again, millions of times in a second, where each says no
 * more than the one before: calls of MPI that ask in vain (mpi/polls.c), flushes
 * (sync.c), turns in doacross loops (task.c). A long row, one
 * right after the other, is recorded as one, with how many they were: the end of the last one is held back
 * (buffers/held.h), and the next one puts it off, unless something else came in between. The first of each
 * row, and the first of a thread, are recorded one by one: there is room for those of a short run. On the
 * thread itself.
 */
#ifndef OMPTAPE_BUFFERS_REPEATS_H
#define OMPTAPE_BUFFERS_REPEATS_H

#include "buffers/slot.h"

#include <stdbool.h>

/* What there are rows of, beside functions of MPI by their numbers (src/mpi/functions.h). */
enum { OMPTAPE_REPEATS_FLUSHES = UINT16_MAX + 1, OMPTAPE_REPEATS_TURNS };

/* Before one: the time in ticks if it is the next one of a long row whose end is held back, else 0. If it is
 * none of the row, that is over. */
uint64_t omptape_repeats_go_on(struct omptape_slot *slot, uint32_t what, uint64_t site);

/* It was: the row ends at this time. False: something came meanwhile, and the row is over. */
bool omptape_repeats_renew(struct omptape_slot *slot, uint64_t now);

/* The same of a turn in a doacross loop. If it is the end of a wait for another iteration, the time since the
 * turn before counts as waiting, as far as it is longer than the shortest such time of the row. */
bool omptape_repeats_renew_turn(struct omptape_slot *slot, uint64_t now, bool is_wait);

/* Whatever it was a row of, it is over. */
static inline void omptape_repeats_end(struct omptape_slot *slot)
{
    slot->repeats.count = 0;
}

/* Is the next one, which is to be recorded, the first whose end is held back? */
bool omptape_repeats_are_to_be_held(const struct omptape_slot *slot);

/* One was recorded, by itself or, `held`, as the first of those that are one. */
void omptape_repeats_count(struct omptape_slot *slot, uint32_t what, uint64_t site, bool held);

#endif
