/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks for work-sharing: loops, sections, single, workshare, distribute, taskloop, scope, their
 * chunks, and masked (OpenMP 5.2 sections 19.5.2.5, 19.5.2.6, 19.5.2.12). The runtime calls them on each
 * thread that takes part.
 */
#include "buffers/producer.h"
#include "callbacks/callbacks.h"

void omptape_on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                     ompt_data_t *task_data, uint64_t count, const void *codeptr_ra)
{
    (void)parallel_data;
    (void)task_data;
    struct omptape_slot *slot = omptape_producer_slot;
    unsigned a = omptape_pack_endpoint((unsigned)type, (unsigned)endpoint);
    if (endpoint == ompt_scope_end)
        omptape_put(slot, OMPTAPE_WORK, a, 0);
    else
        omptape_put2(slot, OMPTAPE_WORK, a, 0, count, omptape_address(codeptr_ra));
}

static bool is_chunk(ompt_dispatch_t kind)
{
    return (int)kind >= OMPTAPE_DISPATCH_WS_LOOP_CHUNK && (int)kind <= OMPTAPE_DISPATCH_DISTRIBUTE_CHUNK;
}

void omptape_on_dispatch(ompt_data_t *parallel_data, ompt_data_t *task_data, ompt_dispatch_t kind,
                         ompt_data_t instance)
{
    (void)parallel_data;
    (void)task_data;
    struct omptape_slot *slot = omptape_producer_slot;
    if (is_chunk(kind) && instance.ptr != NULL) {
        const struct omptape_dispatch_chunk *chunk = instance.ptr;
        omptape_put2(slot, OMPTAPE_DISPATCH, (unsigned)kind, 0, chunk->start, chunk->iterations);
    } else {
        omptape_put2(slot, OMPTAPE_DISPATCH, (unsigned)kind, 0, instance.value, 0);
    }
}

void omptape_on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data, ompt_data_t *task_data,
                       const void *codeptr_ra)
{
    (void)parallel_data;
    (void)task_data;
    omptape_put1(omptape_producer_slot, OMPTAPE_MASKED, omptape_pack_endpoint(0, (unsigned)endpoint), 0,
                 omptape_address(codeptr_ra));
}
