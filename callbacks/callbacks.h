/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The OMPT host callbacks (OpenMP 5.2 section 19.5), one file for each family. Each callback reads the clock
 * and appends one record to the chunk of the calling thread; include/omptape/record.h defines the record. The
 * runtime calls them on its threads; src/tool/start.c registers them.
 */
#pragma once

#include <omptape/ompt.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Functions and flags that the callbacks use. Each pointer may be NULL. src/tool/ sets them before it
 * registers the first callback, unless a field's comment says otherwise. */
struct omptape_entry_points {
    ompt_get_place_num_t get_place_num;
    /* Called once at the first parallel region, when the runtime knows its places. */
    void (*at_first_parallel)(void);
    /* Called on the runtime's first thread when that thread ends. */
    void (*at_first_thread_end)(void);
    /* True once the runtime has accepted the EMI variant of a target callback. Only the EMI variant is
     * recorded then, even if the runtime also calls the older variant. */
    bool emi_target;
    bool emi_data_op;
    bool emi_submit;
    bool emi_map;
    /* Ends the session. Called for omp_control_tool_end. */
    void (*end_session)(void);
    /* Handles omp_control_tool's commands from OMPTAPE_USER_COMMAND_BEGIN on. False for unknown ones. */
    bool (*name_by_control)(uint64_t command, uint64_t modifier, const void *argument);
    /* Pause, resume and flush the tracing of devices. For omp_control_tool's commands. */
    void (*pause_devices)(bool pause);
    void (*flush_devices)(void);
    /* `anchor_due` points to the time (host ticks) when the device clocks must be read next; it is UINT64_MAX
     * without devices. `record_anchors` reads them if that time has come. At the end of target operations. */
    const _Atomic uint64_t *anchor_due;
    void (*record_anchors)(void);
    /* Called before and after the host makes a device perform an operation. Activities of CUDA in between are
     * related to the operation's identity. NULL while there is no CUDA device; any thread may set them. */
    void (*_Atomic push_operation)(uint64_t operation);
    void (*_Atomic pop_operation)(void);
};
extern struct omptape_entry_points omptape_entry_points;

/* Returns the callback function for event `number` (ompt_callbacks_t), or NULL if this folder has none. */
ompt_callback_t omptape_callback(unsigned number);

/* Returns how many worker threads of the runtime exist. Any thread. */
int omptape_workers(void);
/* Resets the count of workers in a forked child, which has no workers. */
void omptape_workers_forget(void);

/* The callback functions of all families, listed in callbacks/table.c. */
void omptape_on_thread_begin(ompt_thread_t type, ompt_data_t *thread_data);
void omptape_on_thread_end(ompt_data_t *thread_data);

void omptape_on_parallel_begin(ompt_data_t *encountering_task, const ompt_frame_t *frame,
                               ompt_data_t *parallel_data, unsigned requested, int flags,
                               const void *codeptr_ra);
void omptape_on_parallel_end(ompt_data_t *parallel_data, ompt_data_t *encountering_task, int flags,
                             const void *codeptr_ra);
void omptape_on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                              ompt_data_t *task_data, unsigned actual, unsigned index, int flags);

void omptape_on_task_create(ompt_data_t *encountering_task, const ompt_frame_t *frame, ompt_data_t *new_task,
                            int flags, int has_dependences, const void *codeptr_ra);
void omptape_on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next);
void omptape_on_dependences(ompt_data_t *task_data, const ompt_dependence_t *deps, int count);
void omptape_on_task_dependence(ompt_data_t *source, ompt_data_t *sink);
void omptape_on_cancel(ompt_data_t *task_data, int flags, const void *codeptr_ra);

void omptape_on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                     ompt_data_t *task_data, uint64_t count, const void *codeptr_ra);
void omptape_on_dispatch(ompt_data_t *parallel_data, ompt_data_t *task_data, ompt_dispatch_t kind,
                         ompt_data_t instance);
void omptape_on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data, ompt_data_t *task_data,
                       const void *codeptr_ra);

void omptape_on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                            ompt_data_t *parallel_data, ompt_data_t *task_data, const void *codeptr_ra);
void omptape_on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                 ompt_data_t *parallel_data, ompt_data_t *task_data, const void *codeptr_ra);
void omptape_on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                          ompt_data_t *task_data, const void *codeptr_ra);
void omptape_on_flush(ompt_data_t *thread_data, const void *codeptr_ra);

void omptape_on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                          const void *codeptr_ra);
void omptape_on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra);
/* Records that the thread tests a lock. No record follows if it does not get the lock; tests that fail one
 * after another are merged into rows (buffers/repeats.h). The slot may be NULL. */
struct omptape_slot;
void omptape_put_test(struct omptape_slot *slot, ompt_mutex_t kind, uint32_t hint, uint64_t wait_id,
                      uint64_t site);
void omptape_on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                              const void *codeptr_ra);
void omptape_on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra);
void omptape_on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra);
void omptape_on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr_ra);

void omptape_on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
                       ompt_data_t *task_data, ompt_id_t target_id, const void *codeptr_ra);
void omptape_on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
                           ompt_data_t *task_data, ompt_data_t *target_task_data, ompt_data_t *target_data,
                           const void *codeptr_ra);
void omptape_on_target_data_op(ompt_id_t target_id, ompt_id_t host_op_id, ompt_target_data_op_t optype,
                               void *src_addr, int src_device, void *dest_addr, int dest_device, size_t bytes,
                               const void *codeptr_ra);
void omptape_on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task_data,
                                   ompt_data_t *target_data, ompt_id_t *host_op_id,
                                   ompt_target_data_op_t optype, void *src_addr, int src_device,
                                   void *dest_addr, int dest_device, size_t bytes, const void *codeptr_ra);
void omptape_on_target_submit(ompt_id_t target_id, ompt_id_t host_op_id, unsigned requested_teams);
void omptape_on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_data,
                                  ompt_id_t *host_op_id, unsigned requested_teams);
void omptape_on_target_map(ompt_id_t target_id, unsigned count, void **host_addr, void **device_addr,
                           size_t *bytes, unsigned *flags, const void *codeptr_ra);
void omptape_on_target_map_emi(ompt_data_t *target_data, unsigned count, void **host_addr, void **device_addr,
                               size_t *bytes, unsigned *flags, const void *codeptr_ra);

int omptape_on_control_tool(uint64_t command, uint64_t modifier, void *arg, const void *codeptr_ra);
void omptape_on_error(ompt_severity_t severity, const char *message, size_t length, const void *codeptr_ra);

static inline uint64_t omptape_address(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}
/* Returns the identity in `data`, or 0 if `data` is NULL. Runtimes pass NULL if there is no such object. */
static inline uint64_t omptape_data_id(const ompt_data_t *data)
{
    return data != NULL ? data->value : 0;
}
