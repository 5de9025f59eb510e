/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks for synchronisation: barriers, taskwait, taskgroup, the waiting inside them, reductions,
 * flush (OpenMP 5.2 sections 19.5.2.13, 19.5.2.17). The runtime calls them on each thread that takes part.
 */
#include "buffers/held.h"
#include "buffers/producer.h"
#include "buffers/repeats.h"
#include "callbacks/callbacks.h"

static inline void put_sync(enum omptape_kind record, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                            const void *codeptr_ra)
{
    struct omptape_slot *slot = omptape_producer_slot;
    unsigned a = omptape_pack_endpoint((unsigned)kind, (unsigned)endpoint);
    if (endpoint == ompt_scope_end)
        omptape_put(slot, record, a, 0);
    else
        omptape_put1(slot, record, a, 0, omptape_address(codeptr_ra));
}

void omptape_on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                            ompt_data_t *parallel_data, ompt_data_t *task_data, const void *codeptr_ra)
{
    (void)parallel_data;
    (void)task_data;
    put_sync(OMPTAPE_SYNC_REGION, kind, endpoint, codeptr_ra);
}

void omptape_on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                 ompt_data_t *parallel_data, ompt_data_t *task_data, const void *codeptr_ra)
{
    (void)parallel_data;
    (void)task_data;
    put_sync(OMPTAPE_SYNC_WAIT, kind, endpoint, codeptr_ra);
}

void omptape_on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                          ompt_data_t *task_data, const void *codeptr_ra)
{
    (void)parallel_data;
    (void)task_data;
    put_sync(OMPTAPE_REDUCTION, kind, endpoint, codeptr_ra);
}

static void flush_in_row(struct omptape_slot *slot, uint64_t site)
{
    const uint64_t now = omptape_repeats_continue(slot, OMPTAPE_REPEATS_FLUSHES, site);
    if (now != 0 && omptape_repeats_extend(slot, now))
        return;
    const bool held = omptape_repeats_must_hold(slot);
    if (held) {
        omptape_put1(slot, OMPTAPE_FLUSHES, omptape_pack_endpoint(0, ompt_scope_begin), 0, site);
        omptape_held_put(slot, OMPTAPE_FLUSHES, omptape_pack_endpoint(0, ompt_scope_end), 0, 1, site);
    } else {
        omptape_put1(slot, OMPTAPE_FLUSH, 0, 0, site);
    }
    omptape_repeats_count(slot, OMPTAPE_REPEATS_FLUSHES, site, held);
}

void omptape_on_flush(ompt_data_t *thread_data, const void *codeptr_ra)
{
    struct omptape_slot *slot = omptape_producer_slot;
    const uint64_t site = omptape_address(codeptr_ra);
    (void)thread_data;
    /* Flushes without a call site are recorded one by one, because they may come from several places. So are
     * flushes of a signal handler that interrupted this function. */
    if (slot == NULL || site == 0 || !omptape_repeats_acquire(slot)) {
        omptape_put1(slot, OMPTAPE_FLUSH, 0, 0, site);
        return;
    }
    flush_in_row(slot, site);
    omptape_repeats_release(slot);
}
