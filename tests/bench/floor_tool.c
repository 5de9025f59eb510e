/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The floor that omptape is measured against: an OMPT tool that registers the same callbacks as omptape and
 * does the least that a tracer can do in each: nothing at all (FLOOR_RECORDS 0) or a clock reading and a
 * record of 32 bytes in a ring of the thread's own. Preloaded by tests/bench/run.py; called by the runtime on
 * its threads.
 */
#include "tests/bench/floor_ring.h"

#include <omptape/ompt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static inline uint64_t word(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *thread_data)
{
    floor_begin_thread();
    put(ompt_callback_thread_begin, (unsigned)type, 0, word(thread_data), 0);
}

static void on_thread_end(ompt_data_t *thread_data)
{
    put(ompt_callback_thread_end, 0, 0, word(thread_data), 0);
    floor_end_thread();
}

static void on_parallel_begin(ompt_data_t *encountering_task, const ompt_frame_t *frame,
                              ompt_data_t *parallel_data, unsigned requested, int flags,
                              const void *codeptr_ra)
{
    (void)encountering_task;
    (void)frame;
    put(ompt_callback_parallel_begin, (unsigned)flags, requested, word(codeptr_ra), word(parallel_data));
}

static void on_parallel_end(ompt_data_t *parallel_data, ompt_data_t *encountering_task, int flags,
                            const void *codeptr_ra)
{
    (void)encountering_task;
    put(ompt_callback_parallel_end, (unsigned)flags, 0, word(codeptr_ra), word(parallel_data));
}

static void on_task_create(ompt_data_t *encountering_task, const ompt_frame_t *frame, ompt_data_t *new_task,
                           int flags, int has_dependences, const void *codeptr_ra)
{
    (void)encountering_task;
    (void)frame;
    put(ompt_callback_task_create, (unsigned)has_dependences, (unsigned)flags, word(codeptr_ra),
        word(new_task));
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    put(ompt_callback_task_schedule, (unsigned)status, 0, word(prior), word(next));
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                             ompt_data_t *task_data, unsigned actual, unsigned index, int flags)
{
    (void)flags;
    put(ompt_callback_implicit_task, (unsigned)endpoint | (actual << 2), index, word(parallel_data),
        word(task_data));
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
                      ompt_data_t *task_data, ompt_id_t target_id, const void *codeptr_ra)
{
    (void)task_data;
    put(ompt_callback_target, (unsigned)kind | ((unsigned)endpoint << 8), (unsigned)device_num, target_id,
        word(codeptr_ra));
}

static void on_target_data_op(ompt_id_t target_id, ompt_id_t host_op_id, ompt_target_data_op_t optype,
                              void *src_addr, int src_device, void *dest_addr, int dest_device, size_t bytes,
                              const void *codeptr_ra)
{
    (void)host_op_id;
    (void)src_addr;
    (void)src_device;
    (void)dest_addr;
    (void)codeptr_ra;
    put(ompt_callback_target_data_op, (unsigned)optype, (unsigned)dest_device, target_id, bytes);
}

static void on_target_submit(ompt_id_t target_id, ompt_id_t host_op_id, unsigned requested_teams)
{
    put(ompt_callback_target_submit, 0, requested_teams, target_id, host_op_id);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *arg, const void *codeptr_ra)
{
    (void)arg;
    put(ompt_callback_control_tool, (unsigned)command, (unsigned)modifier, word(codeptr_ra), 0);
    return 0;
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                ompt_data_t *parallel_data, ompt_data_t *task_data, const void *codeptr_ra)
{
    (void)task_data;
    put(ompt_callback_sync_region_wait, (unsigned)kind | ((unsigned)endpoint << 8), 0, word(codeptr_ra),
        word(parallel_data));
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                           ompt_data_t *parallel_data, ompt_data_t *task_data, const void *codeptr_ra)
{
    (void)task_data;
    put(ompt_callback_sync_region, (unsigned)kind | ((unsigned)endpoint << 8), 0, word(codeptr_ra),
        word(parallel_data));
}

static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                         ompt_data_t *task_data, const void *codeptr_ra)
{
    (void)task_data;
    put(ompt_callback_reduction, (unsigned)kind | ((unsigned)endpoint << 8), 0, word(codeptr_ra),
        word(parallel_data));
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                             const void *codeptr_ra)
{
    put(ompt_callback_mutex_acquire, (unsigned)kind | (impl << 8), hint, wait_id, word(codeptr_ra));
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra)
{
    put(ompt_callback_mutex_acquired, (unsigned)kind, 0, wait_id, word(codeptr_ra));
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra)
{
    put(ompt_callback_mutex_released, (unsigned)kind, 0, wait_id, word(codeptr_ra));
}

static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr_ra)
{
    put(ompt_callback_nest_lock, (unsigned)endpoint, 0, wait_id, word(codeptr_ra));
}

static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                         const void *codeptr_ra)
{
    put(ompt_callback_lock_init, (unsigned)kind | (impl << 8), hint, wait_id, word(codeptr_ra));
}

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra)
{
    put(ompt_callback_lock_destroy, (unsigned)kind, 0, wait_id, word(codeptr_ra));
}

static void on_dependences(ompt_data_t *task_data, const ompt_dependence_t *deps, int count)
{
    put(ompt_callback_dependences, 0, (unsigned)count, word(task_data), word(deps));
}

static void on_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
    put(ompt_callback_task_dependence, 0, 0, word(source), word(sink));
}

static void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                    ompt_data_t *task_data, uint64_t count, const void *codeptr_ra)
{
    (void)parallel_data;
    (void)task_data;
    put(ompt_callback_work, (unsigned)type | ((unsigned)endpoint << 8), 0, count, word(codeptr_ra));
}

static void on_dispatch(ompt_data_t *parallel_data, ompt_data_t *task_data, ompt_dispatch_t kind,
                        ompt_data_t instance)
{
    (void)task_data;
    put(ompt_callback_dispatch, (unsigned)kind, 0, instance.value, word(parallel_data));
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data, ompt_data_t *task_data,
                      const void *codeptr_ra)
{
    (void)task_data;
    put(ompt_callback_masked, (unsigned)endpoint, 0, word(codeptr_ra), word(parallel_data));
}

static void on_target_map(ompt_id_t target_id, unsigned count, void **host_addr, void **device_addr,
                          size_t *bytes, unsigned *flags, const void *codeptr_ra)
{
    (void)host_addr;
    (void)device_addr;
    (void)bytes;
    (void)flags;
    put(ompt_callback_target_map, 0, count, target_id, word(codeptr_ra));
}

static void on_flush(ompt_data_t *thread_data, const void *codeptr_ra)
{
    put(ompt_callback_flush, 0, 0, word(thread_data), word(codeptr_ra));
}

static void on_cancel(ompt_data_t *task_data, int flags, const void *codeptr_ra)
{
    put(ompt_callback_cancel, 0, (unsigned)flags, word(task_data), word(codeptr_ra));
}

static void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
                          ompt_data_t *task_data, ompt_data_t *target_task_data, ompt_data_t *target_data,
                          const void *codeptr_ra)
{
    (void)task_data;
    (void)target_task_data;
    put(ompt_callback_target_emi, (unsigned)kind | ((unsigned)endpoint << 8), (unsigned)device_num,
        word(target_data), word(codeptr_ra));
}

static void on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task_data,
                                  ompt_data_t *target_data, ompt_id_t *host_op_id,
                                  ompt_target_data_op_t optype, void *src_addr, int src_device,
                                  void *dest_addr, int dest_device, size_t bytes, const void *codeptr_ra)
{
    (void)target_task_data;
    (void)host_op_id;
    (void)src_addr;
    (void)src_device;
    (void)dest_addr;
    (void)codeptr_ra;
    put(ompt_callback_target_data_op_emi, (unsigned)optype | ((unsigned)endpoint << 8), (unsigned)dest_device,
        word(target_data), bytes);
}

static void on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_data,
                                 ompt_id_t *host_op_id, unsigned requested_teams)
{
    put(ompt_callback_target_submit_emi, (unsigned)endpoint, requested_teams, word(target_data),
        word(host_op_id));
}

static void on_target_map_emi(ompt_data_t *target_data, unsigned count, void **host_addr, void **device_addr,
                              size_t *bytes, unsigned *flags, const void *codeptr_ra)
{
    (void)host_addr;
    (void)device_addr;
    (void)bytes;
    (void)flags;
    put(ompt_callback_target_map_emi, 0, count, word(target_data), word(codeptr_ra));
}

static void on_device_initialize(int device_num, const char *type, ompt_device_t *device,
                                 ompt_function_lookup_t lookup, const char *documentation)
{
    (void)device;
    (void)lookup;
    put(ompt_callback_device_initialize, 0, (unsigned)device_num, word(type), word(documentation));
}

static void on_device_finalize(int device_num)
{
    put(ompt_callback_device_finalize, 0, (unsigned)device_num, 0, 0);
}

static void on_device_load(int device_num, const char *filename, int64_t offset_in_file, void *vma_in_file,
                           size_t bytes, void *host_addr, void *device_addr, uint64_t module_id)
{
    (void)filename;
    (void)offset_in_file;
    (void)vma_in_file;
    (void)bytes;
    (void)host_addr;
    put(ompt_callback_device_load, 0, (unsigned)device_num, module_id, word(device_addr));
}

static void on_device_unload(int device_num, uint64_t module_id)
{
    put(ompt_callback_device_unload, 0, (unsigned)device_num, module_id, 0);
}

static const struct {
    ompt_callbacks_t number;
    ompt_callback_t function;
    const char *name;
} table[] = {
    {ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin, "thread_begin"},
    {ompt_callback_thread_end, (ompt_callback_t)on_thread_end, "thread_end"},
    {ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin, "parallel_begin"},
    {ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end, "parallel_end"},
    {ompt_callback_task_create, (ompt_callback_t)on_task_create, "task_create"},
    {ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule, "task_schedule"},
    {ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task, "implicit_task"},
    {ompt_callback_target, (ompt_callback_t)on_target, "target"},
    {ompt_callback_target_data_op, (ompt_callback_t)on_target_data_op, "target_data_op"},
    {ompt_callback_target_submit, (ompt_callback_t)on_target_submit, "target_submit"},
    {ompt_callback_control_tool, (ompt_callback_t)on_control_tool, "control_tool"},
    {ompt_callback_device_initialize, (ompt_callback_t)on_device_initialize, "device_initialize"},
    {ompt_callback_device_finalize, (ompt_callback_t)on_device_finalize, "device_finalize"},
    {ompt_callback_device_load, (ompt_callback_t)on_device_load, "device_load"},
    {ompt_callback_device_unload, (ompt_callback_t)on_device_unload, "device_unload"},
    {ompt_callback_sync_region_wait, (ompt_callback_t)on_sync_region_wait, "sync_region_wait"},
    {ompt_callback_mutex_released, (ompt_callback_t)on_mutex_released, "mutex_released"},
    {ompt_callback_dependences, (ompt_callback_t)on_dependences, "dependences"},
    {ompt_callback_task_dependence, (ompt_callback_t)on_task_dependence, "task_dependence"},
    {ompt_callback_work, (ompt_callback_t)on_work, "work"},
    {ompt_callback_masked, (ompt_callback_t)on_masked, "masked"},
    {ompt_callback_target_map, (ompt_callback_t)on_target_map, "target_map"},
    {ompt_callback_sync_region, (ompt_callback_t)on_sync_region, "sync_region"},
    {ompt_callback_lock_init, (ompt_callback_t)on_lock_init, "lock_init"},
    {ompt_callback_lock_destroy, (ompt_callback_t)on_lock_destroy, "lock_destroy"},
    {ompt_callback_mutex_acquire, (ompt_callback_t)on_mutex_acquire, "mutex_acquire"},
    {ompt_callback_mutex_acquired, (ompt_callback_t)on_mutex_acquired, "mutex_acquired"},
    {ompt_callback_nest_lock, (ompt_callback_t)on_nest_lock, "nest_lock"},
    {ompt_callback_flush, (ompt_callback_t)on_flush, "flush"},
    {ompt_callback_cancel, (ompt_callback_t)on_cancel, "cancel"},
    {ompt_callback_reduction, (ompt_callback_t)on_reduction, "reduction"},
    {ompt_callback_dispatch, (ompt_callback_t)on_dispatch, "dispatch"},
    {ompt_callback_target_emi, (ompt_callback_t)on_target_emi, "target_emi"},
    {ompt_callback_target_data_op_emi, (ompt_callback_t)on_target_data_op_emi, "target_data_op_emi"},
    {ompt_callback_target_submit_emi, (ompt_callback_t)on_target_submit_emi, "target_submit_emi"},
    {ompt_callback_target_map_emi, (ompt_callback_t)on_target_map_emi, "target_map_emi"},
};
enum { CALLBACKS = sizeof(table) / sizeof(table[0]) };
static const char *registered[CALLBACKS];

/* Only what was counted anyway, and only if somebody asked. */
static void report(void)
{
    const char *path = getenv("OMPTAPE_FLOOR_REPORT");
    uint64_t all = 0;
    uint64_t own = 0;
    FILE *file = path != NULL ? fopen(path, "we") : NULL;
    if (file == NULL)
        return;
    omptape_floor_count(&all, &own);
    fprintf(file, "records=%d\ncounter=%d\nthreads=%u\nevents=%llu\n", RECORDS, COUNTER, floor_threads(),
            (unsigned long long)all);
    for (size_t i = 0; i < CALLBACKS; i++)
        if (registered[i] != NULL)
            fprintf(file, "callback.%s=%s\n", table[i].name, registered[i]);
    fclose(file);
}

static bool counter_is_trusted(void)
{
    return omptape_clock_choose() != OMPTAPE_CLOCK_MONOTONIC_RAW;
}

static int initialize(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data)
{
    (void)initial_device_num;
    (void)tool_data;
    ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    /* omptape would not use the counter here, so this is not its floor: run.py takes the other one. */
    if (set_callback == NULL || (RECORDS && COUNTER && !counter_is_trusted()))
        return 0;
    for (size_t i = 0; i < CALLBACKS; i++)
        registered[i] = set_callback(table[i].number, table[i].function) >= ompt_set_sometimes ? "yes" : "no";
    return 1;
}

static void finalize(ompt_data_t *tool_data)
{
    (void)tool_data;
    report();
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version,
                                                                                 const char *runtime_version)
{
    static ompt_start_tool_result_t result = {.initialize = initialize, .finalize = finalize};
    (void)omp_version;
    (void)runtime_version;
    return &result;
}
