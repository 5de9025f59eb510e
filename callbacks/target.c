/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the host does for devices: target constructs, data operations, kernel submission, mapping (OpenMP 5.2
 * sections 19.5.2.25 to 19.5.2.28). Called by the runtime on the host thread that does it, a hidden helper
 * thread for nowait.
 */
#include "buffers/producer.h"
#include "callbacks/callbacks.h"

/* If they are due. Kept out of the callbacks, which would save registers for it. */
static __attribute__((noinline)) void take_anchors(void)
{
    omptape_entry_points.take_anchors();
}

/* At the end of an operation, of which a record of `words` was just written: its time is near enough. If it
 * was dropped something else is read there, and the clock decides. */
static inline void check_anchors(const struct omptape_slot *slot, ptrdiff_t words, unsigned endpoint)
{
    uint64_t due = atomic_load_explicit(omptape_entry_points.anchor_due, memory_order_relaxed);
    if (__builtin_expect(due != UINT64_MAX, 0) && endpoint != ompt_scope_begin && slot != NULL &&
        slot->cursor[-words] >= due)
        take_anchors();
}

/* What is left out is harmless: a pop without a push pops nothing. */
static inline void relate(unsigned endpoint, uint64_t operation)
{
    if (endpoint == ompt_scope_begin) {
        void (*push)(uint64_t) =
            atomic_load_explicit(&omptape_entry_points.push_operation, memory_order_relaxed);
        if (__builtin_expect(push != NULL, 0))
            push(operation);
    } else if (endpoint == ompt_scope_end) {
        void (*pop)(void) = atomic_load_explicit(&omptape_entry_points.pop_operation, memory_order_relaxed);
        if (__builtin_expect(pop != NULL, 0))
            pop();
    }
}

static uint32_t pack_devices(int source, int destination)
{
    return ((uint32_t)source & 0xffffU) | ((uint32_t)destination << 16);
}

static void put_target(ompt_target_t kind, unsigned endpoint, int device, uint64_t id, uint64_t task,
                       const void *codeptr_ra)
{
    omptape_put3(omptape_producer_slot, OMPTAPE_TARGET, omptape_pack_endpoint((unsigned)kind, endpoint),
                 (uint32_t)device, id, omptape_address(codeptr_ra), task);
    check_anchors(omptape_producer_slot, 5, endpoint);
}

void omptape_on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
                       ompt_data_t *task_data, ompt_id_t target_id, const void *codeptr_ra)
{
    if (!omptape_entry_points.emi_target)
        put_target(kind, (unsigned)endpoint, device_num, target_id, omptape_data_id(task_data), codeptr_ra);
}

void omptape_on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
                           ompt_data_t *task_data, ompt_data_t *target_task_data, ompt_data_t *target_data,
                           const void *codeptr_ra)
{
    uint64_t task = omptape_data_id(target_task_data);
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_TARGET);
    if (slot == NULL)
        return;
    if (endpoint == ompt_scope_begin && target_data != NULL)
        target_data->value = omptape_producer_id(slot);
    put_target(kind, (unsigned)endpoint, device_num, omptape_data_id(target_data),
               task != 0 ? task : omptape_data_id(task_data), codeptr_ra);
}

static void put_data_op(struct omptape_slot *slot, ompt_target_data_op_t optype, unsigned endpoint,
                        uint64_t operation, uint64_t target, const void *src_addr, int src_device,
                        const void *dest_addr, int dest_device, size_t bytes, const void *codeptr_ra)
{
    enum { WORDS = OMPTAPE_RECORD_HEADER_WORDS + 6 };
    struct omptape_record *record;
    if (slot == NULL || (record = omptape_producer_reserve(slot, WORDS, OMPTAPE_TARGET_DATA_OP,
                                                           omptape_pack_endpoint((unsigned)optype, endpoint),
                                                           pack_devices(src_device, dest_device))) == NULL)
        return;
    record->p[0] = operation;
    record->p[1] = target;
    record->p[2] = bytes;
    record->p[3] = omptape_address(src_addr);
    record->p[4] = omptape_address(dest_addr);
    record->p[5] = omptape_address(codeptr_ra);
    omptape_producer_commit(slot, WORDS);
    check_anchors(slot, WORDS, endpoint);
}

void omptape_on_target_data_op(ompt_id_t target_id, ompt_id_t host_op_id, ompt_target_data_op_t optype,
                               void *src_addr, int src_device, void *dest_addr, int dest_device, size_t bytes,
                               const void *codeptr_ra)
{
    if (!omptape_entry_points.emi_data_op)
        put_data_op(omptape_producer_get(OMPTAPE_TARGET_DATA_OP), optype, 0, host_op_id, target_id, src_addr,
                    src_device, dest_addr, dest_device, bytes, codeptr_ra);
}

void omptape_on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task_data,
                                   ompt_data_t *target_data, ompt_id_t *host_op_id,
                                   ompt_target_data_op_t optype, void *src_addr, int src_device,
                                   void *dest_addr, int dest_device, size_t bytes, const void *codeptr_ra)
{
    (void)target_task_data;
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_TARGET_DATA_OP);
    if (slot == NULL)
        return;
    /* At every begin: the runtime does not clear the word between operations. */
    if (endpoint != ompt_scope_end && host_op_id != NULL)
        *host_op_id = omptape_producer_id(slot);
    put_data_op(slot, optype, (unsigned)endpoint, host_op_id != NULL ? *host_op_id : 0,
                omptape_data_id(target_data), src_addr, src_device, dest_addr, dest_device, bytes,
                codeptr_ra);
    relate((unsigned)endpoint, host_op_id != NULL ? *host_op_id : 0);
}

void omptape_on_target_submit(ompt_id_t target_id, ompt_id_t host_op_id, unsigned requested_teams)
{
    if (!omptape_entry_points.emi_submit)
        omptape_put2(omptape_producer_slot, OMPTAPE_TARGET_SUBMIT, omptape_pack_endpoint(0, 0),
                     requested_teams, host_op_id, target_id);
    check_anchors(omptape_producer_slot, 4, 0);
}

void omptape_on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_data,
                                  ompt_id_t *host_op_id, unsigned requested_teams)
{
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_TARGET_SUBMIT);
    if (slot == NULL)
        return;
    if (endpoint != ompt_scope_end && host_op_id != NULL)
        *host_op_id = omptape_producer_id(slot);
    omptape_put2(slot, OMPTAPE_TARGET_SUBMIT, omptape_pack_endpoint(0, (unsigned)endpoint), requested_teams,
                 host_op_id != NULL ? *host_op_id : 0, omptape_data_id(target_data));
    check_anchors(slot, 4, (unsigned)endpoint);
    relate((unsigned)endpoint, host_op_id != NULL ? *host_op_id : 0);
}

static void put_map(uint64_t target, unsigned count, void *const *host_addr, void *const *device_addr,
                    const size_t *bytes, const unsigned *flags, const void *codeptr_ra)
{
    enum { WORDS = OMPTAPE_RECORD_HEADER_WORDS + 5 };
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_TARGET_MAP);
    if (slot == NULL)
        return;
    for (unsigned i = 0; i < count; i++) {
        struct omptape_record *record =
            omptape_producer_reserve(slot, WORDS, OMPTAPE_TARGET_MAP, 0, flags[i]);
        if (record == NULL)
            return;
        record->p[0] = target;
        record->p[1] = omptape_address(host_addr[i]);
        record->p[2] = omptape_address(device_addr[i]);
        record->p[3] = bytes[i];
        record->p[4] = omptape_address(codeptr_ra);
        omptape_producer_commit(slot, WORDS);
    }
}

void omptape_on_target_map(ompt_id_t target_id, unsigned count, void **host_addr, void **device_addr,
                           size_t *bytes, unsigned *flags, const void *codeptr_ra)
{
    if (!omptape_entry_points.emi_map)
        put_map(target_id, count, host_addr, device_addr, bytes, flags, codeptr_ra);
}

void omptape_on_target_map_emi(ompt_data_t *target_data, unsigned count, void **host_addr, void **device_addr,
                               size_t *bytes, unsigned *flags, const void *codeptr_ra)
{
    put_map(omptape_data_id(target_data), count, host_addr, device_addr, bytes, flags, codeptr_ra);
}
