/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks for mutual exclusion: locks, nest locks, critical, atomic, ordered (OpenMP 5.2 sections
 * 19.5.2.14 to 19.5.2.16). The runtime calls them on the thread that waits for, holds or releases the mutex.
 */
#include "buffers/held.h"
#include "buffers/repeats.h"
#include "callbacks/callbacks.h"

static inline uint32_t pack_hint(unsigned hint, unsigned impl)
{
    return (hint & 0xffffffU) | (impl << 24);
}

void omptape_on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                          const void *codeptr_ra)
{
    omptape_put2(omptape_producer_slot, OMPTAPE_LOCK_INIT, (unsigned)kind, pack_hint(hint, impl), wait_id,
                 omptape_address(codeptr_ra));
}

void omptape_on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra)
{
    omptape_put2(omptape_producer_slot, OMPTAPE_LOCK_DESTROY, (unsigned)kind, 0, wait_id,
                 omptape_address(codeptr_ra));
}

void omptape_put_test(struct omptape_slot *slot, ompt_mutex_t kind, uint32_t hint, uint64_t wait_id,
                      uint64_t site)
{
    if (slot == NULL || !omptape_repeats_acquire(slot)) {
        omptape_put2(slot, OMPTAPE_MUTEX_ACQUIRE, (unsigned)kind, hint, wait_id, site);
        return;
    }
    const uint64_t row = wait_id << 16 ^ wait_id >> 48 ^ site; /* of the lock at this call site */
    const uint64_t now = omptape_repeats_continue(slot, OMPTAPE_REPEATS_TESTS, row);
    if (now == 0 || !omptape_repeats_extend(slot, now)) {
        const bool held = omptape_repeats_must_hold(slot);
        omptape_put2(slot, OMPTAPE_MUTEX_ACQUIRE, (unsigned)kind, hint, wait_id, site);
        if (held)
            omptape_held_put(slot, OMPTAPE_MUTEX_TESTS, (unsigned)kind, 0, 1, row);
        omptape_repeats_count(slot, OMPTAPE_REPEATS_TESTS, row, held);
    }
    omptape_repeats_release(slot);
}

void omptape_on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                              const void *codeptr_ra)
{
    if (kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock)
        omptape_put_test(omptape_producer_slot, kind, pack_hint(hint, impl), wait_id,
                         omptape_address(codeptr_ra));
    else
        omptape_put2(omptape_producer_slot, OMPTAPE_MUTEX_ACQUIRE, (unsigned)kind, pack_hint(hint, impl),
                     wait_id, omptape_address(codeptr_ra));
}

void omptape_on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra)
{
    omptape_put2(omptape_producer_slot, OMPTAPE_MUTEX_ACQUIRED, (unsigned)kind, 0, wait_id,
                 omptape_address(codeptr_ra));
}

void omptape_on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra)
{
    omptape_put2(omptape_producer_slot, OMPTAPE_MUTEX_RELEASED, (unsigned)kind, 0, wait_id,
                 omptape_address(codeptr_ra));
}

void omptape_on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr_ra)
{
    omptape_put2(omptape_producer_slot, OMPTAPE_NEST_LOCK, omptape_pack_endpoint(0, (unsigned)endpoint), 0,
                 wait_id, omptape_address(codeptr_ra));
}
