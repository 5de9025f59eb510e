/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks for target constructs, data operations, kernel submission and mapping on the host (OpenMP 5.2
 * sections 19.5.2.25 to 19.5.2.28). The runtime calls them on the host thread that performs these, for nowait
 * on a hidden helper thread.
 */
#include "buffers/producer.h"
#include "callbacks/callbacks.h"
#include "callbacks/module.h"
#include "device/device.h"

/* Reads the device clocks if they are due, because device and host have just synchronised, and ends the CUDA
 * correlation. Not inlined: the callbacks would save registers for it. */
static __attribute__((noinline)) void after_end(void)
{
    void (*pop)(void) = atomic_load_explicit(&omptape_entry_points.pop_operation, memory_order_relaxed);
    if (atomic_load_explicit(omptape_entry_points.anchor_due, memory_order_relaxed) != UINT64_MAX)
        omptape_entry_points.record_anchors();
    if (pop != NULL)
        pop();
}

/* Returns true if after_end() has work after a record of time `time`. It does not read the clock again. */
static inline bool has_work_after(uint64_t time)
{
    return __builtin_expect(
        time >= atomic_load_explicit(omptape_entry_points.anchor_due, memory_order_relaxed) ||
            atomic_load_explicit(&omptape_entry_points.pop_operation, memory_order_relaxed) != NULL,
        0);
}

/* Begins the CUDA correlation of the operation, if CUDA is used. A later pop without a push has no effect. */
static inline void relate_operation(uint64_t operation)
{
    void (*push)(uint64_t) = atomic_load_explicit(&omptape_entry_points.push_operation, memory_order_relaxed);
    if (__builtin_expect(push != NULL, 0))
        push(operation);
}

/* Does what follows a record that was written by the slow path. */
static void finish_slowly(unsigned endpoint, uint64_t operation)
{
    if (endpoint == ompt_scope_begin)
        relate_operation(operation);
    else
        after_end();
}

static uint32_t pack_devices(int source, int destination)
{
    return ((uint32_t)source & 0xffffU) | ((uint32_t)destination << 16);
}

/* Records the end of a construct, operation or submission by its identity. `more`: a word for `words` 4. */
static inline __attribute__((always_inline)) void
put_end(size_t words, enum omptape_kind kind, unsigned value, uint32_t b, uint64_t id, uint64_t more)
{
    unsigned a = omptape_pack_endpoint(value, ompt_scope_end);
    struct omptape_slot *slot = omptape_producer_slot;
    uint64_t *place = omptape_producer_fast_reserve(slot, words);
    if (place == NULL) {
        omptape_producer_put_slow(slot, omptape_record_header(kind, words, a, b), id, more, 0);
        after_end();
        return;
    }
    place[1] = omptape_record_header(kind, words, a, b);
    place[2] = id;
    if (words > 3)
        place[3] = more;
    omptape_producer_fast_commit(slot, place, words);
    if (has_work_after(place[0]))
        after_end();
}

static void put_target(ompt_target_t kind, unsigned endpoint, int device, uint64_t id, uint64_t task,
                       const void *codeptr_ra)
{
    omptape_put3(omptape_producer_slot, OMPTAPE_TARGET, omptape_pack_endpoint((unsigned)kind, endpoint),
                 (uint32_t)device, id, omptape_address(codeptr_ra), task);
}

void omptape_on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
                       ompt_data_t *task_data, ompt_id_t target_id, const void *codeptr_ra)
{
    if (omptape_entry_points.emi_target)
        return;
    put_target(kind, (unsigned)endpoint, device_num, target_id, omptape_data_id(task_data), codeptr_ra);
    if (endpoint != ompt_scope_begin)
        after_end();
}

void omptape_on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
                           ompt_data_t *task_data, ompt_data_t *target_task_data, ompt_data_t *target_data,
                           const void *codeptr_ra)
{
    if (endpoint == ompt_scope_end) {
        put_end(3, OMPTAPE_TARGET, (unsigned)kind, (uint32_t)device_num, omptape_data_id(target_data), 0);
        return;
    }
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_TARGET);
    if (slot == NULL)
        return;
    uint64_t task = omptape_data_id(target_task_data);
    if (target_data != NULL)
        target_data->value = omptape_producer_id(slot);
    put_target(kind, (unsigned)endpoint, device_num, omptape_data_id(target_data),
               task != 0 ? task : omptape_data_id(task_data), codeptr_ra);
}

enum { DATA_OP_WORDS = OMPTAPE_RECORD_HEADER_WORDS + 6 };

static inline void fill_data_op(uint64_t *payload, uint64_t operation, uint64_t target, const void *src_addr,
                                const void *dest_addr, size_t bytes, const void *codeptr_ra)
{
    payload[0] = operation;
    payload[1] = target;
    payload[2] = bytes;
    payload[3] = omptape_address(src_addr);
    payload[4] = omptape_address(dest_addr);
    payload[5] = omptape_address(codeptr_ra);
}

static void put_data_op(struct omptape_slot *slot, ompt_target_data_op_t optype, unsigned endpoint,
                        uint64_t operation, uint64_t target, const void *src_addr, int src_device,
                        const void *dest_addr, int dest_device, size_t bytes, const void *codeptr_ra)
{
    struct omptape_record *record;
    if (slot == NULL || (record = omptape_producer_reserve(slot, DATA_OP_WORDS, OMPTAPE_TARGET_DATA_OP,
                                                           omptape_pack_endpoint((unsigned)optype, endpoint),
                                                           pack_devices(src_device, dest_device))) == NULL)
        return;
    fill_data_op(record->p, operation, target, src_addr, dest_addr, bytes, codeptr_ra);
    omptape_producer_commit(slot, record);
}

void omptape_on_target_data_op(ompt_id_t target_id, ompt_id_t host_op_id, ompt_target_data_op_t optype,
                               void *src_addr, int src_device, void *dest_addr, int dest_device, size_t bytes,
                               const void *codeptr_ra)
{
    if (omptape_entry_points.emi_data_op)
        return;
    put_data_op(omptape_producer_get(OMPTAPE_TARGET_DATA_OP), optype, 0, host_op_id, target_id, src_addr,
                src_device, dest_addr, dest_device, bytes, codeptr_ra);
    after_end();
}

/* Records the begin of a data operation slowly, with the callback's parameters: a jump reaches it. */
static __attribute__((noinline)) void
begin_data_op_slowly(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task_data, ompt_data_t *target_data,
                     ompt_id_t *host_op_id, ompt_target_data_op_t optype, void *src_addr, int src_device,
                     void *dest_addr, int dest_device, size_t bytes, const void *codeptr_ra)
{
    (void)target_task_data;
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_TARGET_DATA_OP);
    if (slot == NULL)
        return;
    uint64_t operation = host_op_id != NULL ? *host_op_id = omptape_producer_id(slot) : 0;
    put_data_op(slot, optype, (unsigned)endpoint, operation, omptape_data_id(target_data), src_addr,
                src_device, dest_addr, dest_device, bytes, codeptr_ra);
    finish_slowly((unsigned)endpoint, operation);
}

void omptape_on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task_data,
                                   ompt_data_t *target_data, ompt_id_t *host_op_id,
                                   ompt_target_data_op_t optype, void *src_addr, int src_device,
                                   void *dest_addr, int dest_device, size_t bytes, const void *codeptr_ra)
{
    if (endpoint == ompt_scope_end) {
        put_end(4, OMPTAPE_TARGET_DATA_OP, (unsigned)optype, pack_devices(src_device, dest_device),
                host_op_id != NULL ? *host_op_id : 0, omptape_address(dest_addr));
        return;
    }
    struct omptape_slot *slot = omptape_producer_slot;
    uint64_t *place = endpoint == ompt_scope_begin && host_op_id != NULL
                          ? omptape_producer_fast_reserve(slot, DATA_OP_WORDS)
                          : NULL;
    if (place == NULL) {
        begin_data_op_slowly(endpoint, target_task_data, target_data, host_op_id, optype, src_addr,
                             src_device, dest_addr, dest_device, bytes, codeptr_ra);
        return;
    }
    /* Each begin stores a new identity: the runtime does not clear the word between operations. */
    uint64_t operation = omptape_producer_fast_id(slot);
    *host_op_id = operation;
    place[1] = omptape_record_header(OMPTAPE_TARGET_DATA_OP, DATA_OP_WORDS,
                                     omptape_pack_endpoint((unsigned)optype, ompt_scope_begin),
                                     pack_devices(src_device, dest_device));
    fill_data_op(place + OMPTAPE_RECORD_HEADER_WORDS, operation, omptape_data_id(target_data), src_addr,
                 dest_addr, bytes, codeptr_ra);
    omptape_producer_fast_commit(slot, place, DATA_OP_WORDS);
    relate_operation(operation);
}

/* Records new modules when new device images have been loaded. Images for the host as a device are libraries,
 * which are unloaded before the program ends. */
static void note_images(struct omptape_slot *slot)
{
    static atomic_uint noted;
    unsigned images = atomic_load_explicit(&omptape_device_images, memory_order_relaxed);
    if (slot != NULL && atomic_load_explicit(&noted, memory_order_relaxed) != images) {
        atomic_store_explicit(&noted, images, memory_order_relaxed);
        omptape_module_record_new(slot);
    }
}

void omptape_on_target_submit(ompt_id_t target_id, ompt_id_t host_op_id, unsigned requested_teams)
{
    if (omptape_entry_points.emi_submit)
        return;
    omptape_put2(omptape_producer_slot, OMPTAPE_TARGET_SUBMIT, omptape_pack_endpoint(0, 0), requested_teams,
                 host_op_id, target_id);
    after_end();
}

void omptape_on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_data,
                                  ompt_id_t *host_op_id, unsigned requested_teams)
{
    if (endpoint == ompt_scope_end) {
        put_end(3, OMPTAPE_TARGET_SUBMIT, 0, requested_teams, host_op_id != NULL ? *host_op_id : 0, 0);
        return;
    }
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_TARGET_SUBMIT);
    if (slot == NULL)
        return;
    note_images(slot);
    uint64_t operation = host_op_id != NULL ? *host_op_id = omptape_producer_id(slot) : 0;
    omptape_put2(slot, OMPTAPE_TARGET_SUBMIT, omptape_pack_endpoint(0, (unsigned)endpoint), requested_teams,
                 operation, omptape_data_id(target_data));
    finish_slowly((unsigned)endpoint, operation);
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
        omptape_producer_commit(slot, record);
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
