/* SPDX-License-Identifier: BSD-3-Clause
 *
 * At what a thread worked in a spell, the time between two readings of its scheduler statistics, and what of
 * that it had no processor. Such time is booked as computing or serial first. At the reading it is moved to
 * blocked or runnable: in the thread's parts, in those of the regions, and in the serial parts.
 */
#ifndef OMPTAPE_ANALYSIS_LEDGER_H
#define OMPTAPE_ANALYSIS_LEDGER_H

#include "src/analysis/location.h"

/* No place yet in this spell, or no room. */
void omptape_ledger_open(struct analysis_state *state, struct analysis_location *location,
                         const struct analysis_account *account, uint64_t spent);

static inline uint32_t omptape_ledger_index(struct analysis_region *region, unsigned bucket)
{
    return 2 * omptape_analysis_known(region)->number + bucket;
}

/* The thread spent so much of its time so, within what is looked at. */
static inline void omptape_ledger_note(struct analysis_state *state, struct analysis_location *location,
                                       const struct analysis_account *account, uint64_t spent)
{
    _Static_assert(OMPTAPE_BUCKET_COMPUTING == 0 && OMPTAPE_BUCKET_SERIAL == 1, "an index is made of them");
    if (account->manner.bucket > OMPTAPE_BUCKET_SERIAL)
        return;
    const uint32_t index = omptape_ledger_index(account->region, account->manner.bucket);
    struct analysis_ledger *ledger = &location->ledger;
    if (index < ledger->room && ledger->places[index].time > 0)
        ledger->places[index].time += spent;
    else
        omptape_ledger_open(state, location, account, spent);
}

/* The thread acquires a lock that it asked for at this place, or releases it. */
void omptape_ledger_acquire(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            const void *lock, struct analysis_lock_site *site);
void omptape_ledger_release(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            const void *lock);

/* A serial part is over. */
void omptape_ledger_end_serial(struct analysis_state *state, struct analysis_location *location,
                               struct analysis_serial *serial);

/* A spell is over: so much of its work, in ticks, was without a processor. */
struct analysis_spell_end {
    uint64_t begin;
    uint64_t end;
    double blocked;
    double runnable;
};
void omptape_ledger_close(struct analysis_state *state, struct analysis_location *location,
                          const struct analysis_spell_end *end);

/* spells.c: the kernel told how long the thread, whose time is booked until now, had run and waited for a
 * processor, in all. */
void omptape_analysis_sched(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            uint64_t running_ns, uint64_t queued_ns);

/* The metric's further members, after that: system time and page faults since they were read before. */
void omptape_ledger_details(struct analysis_state *state, struct analysis_location *location,
                            const struct omptape_event *event);

/* The share (0 to 1) of its time in the region that the thread was blocked so far. */
double omptape_ledger_blocked_share(const struct analysis_location *location, struct analysis_region *region);

void omptape_ledger_free(struct analysis_location *location);

#endif
