/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks for mutual exclusion: locks, nest locks, critical, atomic, ordered (OpenMP 5.2 sections
 * 19.5.2.14 to 19.5.2.16). The runtime calls them on the thread that waits for, holds or releases the mutex.
 */
#include "buffers/producer.h"
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

void omptape_on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                              const void *codeptr_ra)
{
    omptape_put2(omptape_producer_slot, OMPTAPE_MUTEX_ACQUIRE, (unsigned)kind, pack_hint(hint, impl), wait_id,
                 omptape_address(codeptr_ra));
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
