/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows: equal events from one call site, millions of times in a second, each without new information. These
 * are unsuccessful polls of MPI (mpi/polls.c), flushes (sync.c), failed tests of a lock (mutex.c) and turns
 * in doacross loops (task.c). A long uninterrupted row is recorded as one event with a count. The end of its
 * last event is held back (buffers/held.h), and each further event updates it, unless another record came in
 * between. The first events of each row and thread are recorded individually. Called on the recording thread.
 */
#pragma once

#include "buffers/slot.h"

#include <stdbool.h>

/* The kinds of rows, in addition to the numbers of MPI's functions (src/mpi/functions.h). */
enum { OMPTAPE_REPEATS_FLUSHES = UINT16_MAX + 1, OMPTAPE_REPEATS_TURNS, OMPTAPE_REPEATS_TESTS };

/* Called before an event. Returns the time (ticks) if the event continues a long row with a held-back end,
 * else 0. Ends the current row if the event does not belong to it. */
uint64_t omptape_repeats_continue(struct omptape_slot *slot, uint32_t kind, uint64_t site);

/* Counts the event and sets the row's end to `now`. Ends the row if another record came: false. */
bool omptape_repeats_extend(struct omptape_slot *slot, uint64_t now);

/* The same for a turn in a doacross loop. If the turn ends a wait for another iteration, the time since the
 * last turn counts as waiting. The shortest such time of the row is subtracted. */
bool omptape_repeats_extend_turn(struct omptape_slot *slot, uint64_t now, bool is_wait);

/* Begins and ends the recording of an event that may belong to a row. The first function returns false in a
 * signal handler that interrupted such a recording: the handler's events are recorded one by one. */
static inline bool omptape_repeats_acquire(struct omptape_slot *slot)
{
    if (slot->repeats.recording != 0)
        return false;
    slot->repeats.recording = 1;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}
static inline void omptape_repeats_release(struct omptape_slot *slot)
{
    atomic_signal_fence(memory_order_seq_cst);
    slot->repeats.recording = 0;
}

/* Ends the current row. */
static inline void omptape_repeats_end(struct omptape_slot *slot)
{
    slot->repeats.count = 0;
}

/* Returns true if the next event must be recorded as the first with a held-back end. */
bool omptape_repeats_must_hold(const struct omptape_slot *slot);

/* Counts a recorded event. `held` means that it is the first of the merged ones. */
void omptape_repeats_count(struct omptape_slot *slot, uint32_t kind, uint64_t site, bool held);
