/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks that the runtime calls if there is a second tool (second.h). Each calls omptape's callback,
 * then the other tool's. Called by the runtime on its threads.
 */
#include "callbacks/second/second.h"
#include "callbacks/second/word_pairs.h"

#include <stdatomic.h>

struct omptape_second_callbacks omptape_second_callbacks;

enum { OURS, THEIRS, TOOLS };

/* Calls the function of one tool. */
#define CALL(of_tool, event, ...)                                                                            \
    do {                                                                                                     \
        ompt_callback_##event##_t function_ =                                                                \
            (ompt_callback_##event##_t)find_function(of_tool, ompt_callback_##event);                        \
        if (function_ != NULL)                                                                               \
            function_(__VA_ARGS__);                                                                          \
    } while (0)
/* Calls omptape's function, then the other tool's. Arguments contain `task.of[tool]`. */
#define CALL_BOTH(event, ...)                                                                                \
    for (int tool = OURS; tool < TOOLS; tool++)                                                              \
    CALL(tool, event, __VA_ARGS__)

/* Names of the callback types for events that share a type. */
typedef ompt_callback_sync_region_t ompt_callback_sync_region_wait_t;
typedef ompt_callback_sync_region_t ompt_callback_reduction_t;
typedef ompt_callback_mutex_acquire_t ompt_callback_lock_init_t;
typedef ompt_callback_mutex_t ompt_callback_lock_destroy_t;
typedef ompt_callback_mutex_t ompt_callback_mutex_acquired_t;
typedef ompt_callback_mutex_t ompt_callback_mutex_released_t;

static ompt_callback_t find_function(int tool, ompt_callbacks_t event)
{
    return tool == OURS ? omptape_second_callbacks.ours[event]
                        : atomic_load_explicit(&omptape_second_callbacks.theirs[event], memory_order_acquire);
}

/* A word of the runtime as each tool sees it. All are NULL if the runtime passes none. */
struct words {
    ompt_data_t *of[TOOLS];
};

static struct words words_of_pair(struct omptape_word_pair *pair)
{
    return pair != NULL ? (struct words){{&pair->ours, &pair->theirs}} : (struct words){{NULL, NULL}};
}

static struct words words_of(ompt_data_t *word)
{
    return words_of_pair(omptape_word_pair_of(word));
}

static struct words begin_words(ompt_data_t *word)
{
    return words_of_pair(omptape_word_pair_begin(word));
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *thread_data)
{
    const struct words thread = begin_words(thread_data);
    CALL_BOTH(thread_begin, type, thread.of[tool]);
}

static void on_thread_end(ompt_data_t *thread_data)
{
    const struct words thread = words_of(thread_data);
    CALL_BOTH(thread_end, thread.of[tool]);
    omptape_word_pair_end(thread_data);
}

static void on_parallel_begin(ompt_data_t *encountering_task, const ompt_frame_t *frame,
                              ompt_data_t *parallel_data, unsigned requested, int flags,
                              const void *codeptr_ra)
{
    const struct words task = words_of(encountering_task);
    const struct words parallel = begin_words(parallel_data);
    CALL_BOTH(parallel_begin, task.of[tool], frame, parallel.of[tool], requested, flags, codeptr_ra);
}

static void on_parallel_end(ompt_data_t *parallel_data, ompt_data_t *encountering_task, int flags,
                            const void *codeptr_ra)
{
    const struct words parallel = words_of(parallel_data);
    const struct words task = words_of(encountering_task);
    CALL_BOTH(parallel_end, parallel.of[tool], task.of[tool], flags, codeptr_ra);
    omptape_word_pair_end(parallel_data);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                             ompt_data_t *task_data, unsigned actual, unsigned index, int flags)
{
    const struct words parallel = words_of(parallel_data);
    const struct words task = endpoint == ompt_scope_end ? words_of(task_data) : begin_words(task_data);
    CALL_BOTH(implicit_task, endpoint, parallel.of[tool], task.of[tool], actual, index, flags);
    if (endpoint != ompt_scope_end)
        return;
    omptape_word_pair_end(task_data);
    /* No event ends the region around the initial task. */
    if (((unsigned)flags & ompt_task_initial) != 0)
        omptape_word_pair_end(parallel_data);
}

static void on_task_create(ompt_data_t *encountering_task, const ompt_frame_t *frame, ompt_data_t *new_task,
                           int flags, int has_dependences, const void *codeptr_ra)
{
    const struct words task = words_of(encountering_task);
    const struct words created = begin_words(new_task);
    CALL_BOTH(task_create, task.of[tool], frame, created.of[tool], flags, has_dependences, codeptr_ra);
}

/* Returns true if a task with this status has ended. LLVM 14's header lacks ompt_taskwait_complete. */
static bool ends_task(ompt_task_status_t status)
{
    enum { TASKWAIT_COMPLETE = 8 };
    return status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_late_fulfill ||
           (unsigned)status == TASKWAIT_COMPLETE;
}

static void on_task_schedule(ompt_data_t *prior_task, ompt_task_status_t status, ompt_data_t *next_task)
{
    const struct words prior = words_of(prior_task);
    const struct words next = words_of(next_task);
    CALL_BOTH(task_schedule, prior.of[tool], status, next.of[tool]);
    if (ends_task(status))
        omptape_word_pair_end(prior_task);
}

static void on_dependences(ompt_data_t *task_data, const ompt_dependence_t *deps, int count)
{
    const struct words task = words_of(task_data);
    CALL_BOTH(dependences, task.of[tool], deps, count);
}

static void on_task_dependence(ompt_data_t *source_task, ompt_data_t *sink_task)
{
    const struct words source = words_of(source_task);
    const struct words sink = words_of(sink_task);
    CALL_BOTH(task_dependence, source.of[tool], sink.of[tool]);
}

static void on_cancel(ompt_data_t *task_data, int flags, const void *codeptr_ra)
{
    const struct words task = words_of(task_data);
    CALL_BOTH(cancel, task.of[tool], flags, codeptr_ra);
}

static void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                    ompt_data_t *task_data, uint64_t count, const void *codeptr_ra)
{
    const struct words parallel = words_of(parallel_data);
    const struct words task = words_of(task_data);
    CALL_BOTH(work, type, endpoint, parallel.of[tool], task.of[tool], count, codeptr_ra);
}

static void on_dispatch(ompt_data_t *parallel_data, ompt_data_t *task_data, ompt_dispatch_t kind,
                        ompt_data_t instance)
{
    const struct words parallel = words_of(parallel_data);
    const struct words task = words_of(task_data);
    CALL_BOTH(dispatch, parallel.of[tool], task.of[tool], kind, instance);
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data, ompt_data_t *task_data,
                      const void *codeptr_ra)
{
    const struct words parallel = words_of(parallel_data);
    const struct words task = words_of(task_data);
    CALL_BOTH(masked, endpoint, parallel.of[tool], task.of[tool], codeptr_ra);
}

#define SYNC_REGION(event)                                                                                   \
    static void on_##event(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,                          \
                           ompt_data_t *parallel_data, ompt_data_t *task_data, const void *codeptr_ra)       \
    {                                                                                                        \
        const struct words parallel = words_of(parallel_data);                                               \
        const struct words task = words_of(task_data);                                                       \
        CALL_BOTH(event, kind, endpoint, parallel.of[tool], task.of[tool], codeptr_ra);                      \
    }
SYNC_REGION(sync_region)
SYNC_REGION(sync_region_wait)
SYNC_REGION(reduction)

static void on_flush(ompt_data_t *thread_data, const void *codeptr_ra)
{
    const struct words thread = words_of(thread_data);
    CALL_BOTH(flush, thread.of[tool], codeptr_ra);
}

#define MUTEX_ACQUIRE(event)                                                                                 \
    static void on_##event(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,          \
                           const void *codeptr_ra)                                                           \
    {                                                                                                        \
        CALL_BOTH(event, kind, hint, impl, wait_id, codeptr_ra);                                             \
    }
MUTEX_ACQUIRE(lock_init)
MUTEX_ACQUIRE(mutex_acquire)

#define MUTEX(event)                                                                                         \
    static void on_##event(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra)                \
    {                                                                                                        \
        CALL_BOTH(event, kind, wait_id, codeptr_ra);                                                         \
    }
MUTEX(lock_destroy)
MUTEX(mutex_acquired)
MUTEX(mutex_released)

static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr_ra)
{
    CALL_BOTH(nest_lock, endpoint, wait_id, codeptr_ra);
}

/* The program receives the answer of the tool that knew the command; 1: "ignored" (OpenMP 5.2, 18.14). */
static int on_control_tool(uint64_t command, uint64_t modifier, void *arg, const void *codeptr_ra)
{
    enum { IGNORED = 1 };
    int answers[TOOLS];
    for (int tool = OURS; tool < TOOLS; tool++) {
        ompt_callback_control_tool_t function =
            (ompt_callback_control_tool_t)find_function(tool, ompt_callback_control_tool);
        answers[tool] = function != NULL ? function(command, modifier, arg, codeptr_ra) : IGNORED;
    }
    return answers[THEIRS] != IGNORED ? answers[THEIRS] : answers[OURS];
}

static void on_error(ompt_severity_t severity, const char *message, size_t length, const void *codeptr_ra)
{
    CALL_BOTH(error, severity, message, length, codeptr_ra);
}

/* Target constructs and operations. A runtime that reports them by the EMI callbacks does not call the older
 * ones. A tool that only registers the older ones is then called from here. */

static bool has_emi(ompt_callbacks_t emi)
{
    return omptape_second_callbacks.answers[emi] >= ompt_set_sometimes;
}

/* Returns an identity that omptape has not made: omptape's own begin with the number of a thread's slot. */
static uint64_t make_id(void)
{
    static _Atomic uint64_t last = UINT64_C(0xfffffff000000000);
    return atomic_fetch_add(&last, 1);
}

static ompt_data_t *begin_id(ompt_id_t *id)
{
    if (*id == 0)
        *id = make_id();
    return omptape_word_add(*id);
}

/* Returns the other tool's word of a target construct, `none` if it has none, or NULL without a construct. */
static ompt_data_t *find_target(const ompt_data_t *target_data, ompt_data_t *none)
{
    ompt_data_t *word = target_data != NULL ? omptape_word_find(target_data->value) : NULL;
    return word != NULL || target_data == NULL ? word : none;
}

static void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
                          ompt_data_t *task_data, ompt_data_t *target_task_data, ompt_data_t *target_data,
                          const void *codeptr_ra)
{
    const struct words task = words_of(task_data);
    const struct words target_task = words_of(target_task_data);
    const bool ends = endpoint == ompt_scope_end;
    ompt_data_t none = ompt_data_none;
    if (target_data != NULL && !ends)
        target_data->value = 0;
    CALL(OURS, target_emi, kind, endpoint, device_num, task.of[OURS], target_task.of[OURS], target_data,
         codeptr_ra);
    ompt_data_t *theirs =
        target_data != NULL && !ends ? begin_id(&target_data->value) : find_target(target_data, &none);
    const uint64_t id = target_data != NULL ? target_data->value : 0;
    if (find_function(THEIRS, ompt_callback_target_emi) != NULL)
        CALL(THEIRS, target_emi, kind, endpoint, device_num, task.of[THEIRS], target_task.of[THEIRS], theirs,
             codeptr_ra);
    else
        CALL(THEIRS, target, kind, endpoint, device_num, task.of[THEIRS], id, codeptr_ra);
    if (ends)
        omptape_word_remove(id);
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
                      ompt_data_t *task_data, ompt_id_t target_id, const void *codeptr_ra)
{
    const struct words task = words_of(task_data);
    CALL(OURS, target, kind, endpoint, device_num, task.of[OURS], target_id, codeptr_ra);
    if (!has_emi(ompt_callback_target_emi))
        CALL(THEIRS, target, kind, endpoint, device_num, task.of[THEIRS], target_id, codeptr_ra);
}

/* Returns the other tool's word of an operation, or NULL if it has no identity. At the begin, omptape's
 * callback has just stored the identity. */
static ompt_data_t *find_operation(ompt_scope_endpoint_t endpoint, ompt_id_t *host_op_id, ompt_data_t *none)
{
    if (host_op_id == NULL)
        return NULL;
    if (endpoint != ompt_scope_end)
        return begin_id(host_op_id);
    ompt_data_t *word = omptape_word_find(*host_op_id);
    return word != NULL ? word : none;
}

static void on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task_data,
                                  ompt_data_t *target_data, ompt_id_t *host_op_id,
                                  ompt_target_data_op_t optype, void *src_addr, int src_device,
                                  void *dest_addr, int dest_device, size_t bytes, const void *codeptr_ra)
{
    const struct words task = words_of(target_task_data);
    ompt_data_t no_target = ompt_data_none;
    ompt_data_t no_operation = ompt_data_none;
    if (host_op_id != NULL && endpoint != ompt_scope_end)
        *host_op_id = 0;
    CALL(OURS, target_data_op_emi, endpoint, task.of[OURS], target_data, host_op_id, optype, src_addr,
         src_device, dest_addr, dest_device, bytes, codeptr_ra);
    ompt_data_t *operation = find_operation(endpoint, host_op_id, &no_operation);
    const uint64_t id = host_op_id != NULL ? *host_op_id : 0;
    if (find_function(THEIRS, ompt_callback_target_data_op_emi) != NULL)
        CALL(THEIRS, target_data_op_emi, endpoint, task.of[THEIRS], find_target(target_data, &no_target),
             operation != NULL ? &operation->value : NULL, optype, src_addr, src_device, dest_addr,
             dest_device, bytes, codeptr_ra);
    else if (endpoint != ompt_scope_end)
        CALL(THEIRS, target_data_op, target_data != NULL ? target_data->value : 0, id, optype, src_addr,
             src_device, dest_addr, dest_device, bytes, codeptr_ra);
    if (endpoint != ompt_scope_begin)
        omptape_word_remove(id);
}

static void on_target_data_op(ompt_id_t target_id, ompt_id_t host_op_id, ompt_target_data_op_t optype,
                              void *src_addr, int src_device, void *dest_addr, int dest_device, size_t bytes,
                              const void *codeptr_ra)
{
    CALL(OURS, target_data_op, target_id, host_op_id, optype, src_addr, src_device, dest_addr, dest_device,
         bytes, codeptr_ra);
    if (!has_emi(ompt_callback_target_data_op_emi))
        CALL(THEIRS, target_data_op, target_id, host_op_id, optype, src_addr, src_device, dest_addr,
             dest_device, bytes, codeptr_ra);
}

static void on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_data,
                                 ompt_id_t *host_op_id, unsigned requested_teams)
{
    ompt_data_t no_target = ompt_data_none;
    ompt_data_t no_operation = ompt_data_none;
    if (host_op_id != NULL && endpoint != ompt_scope_end)
        *host_op_id = 0;
    CALL(OURS, target_submit_emi, endpoint, target_data, host_op_id, requested_teams);
    ompt_data_t *operation = find_operation(endpoint, host_op_id, &no_operation);
    const uint64_t id = host_op_id != NULL ? *host_op_id : 0;
    if (find_function(THEIRS, ompt_callback_target_submit_emi) != NULL)
        CALL(THEIRS, target_submit_emi, endpoint, find_target(target_data, &no_target),
             operation != NULL ? &operation->value : NULL, requested_teams);
    else if (endpoint != ompt_scope_end)
        CALL(THEIRS, target_submit, target_data != NULL ? target_data->value : 0, id, requested_teams);
    if (endpoint != ompt_scope_begin)
        omptape_word_remove(id);
}

static void on_target_submit(ompt_id_t target_id, ompt_id_t host_op_id, unsigned requested_teams)
{
    CALL(OURS, target_submit, target_id, host_op_id, requested_teams);
    if (!has_emi(ompt_callback_target_submit_emi))
        CALL(THEIRS, target_submit, target_id, host_op_id, requested_teams);
}

static void on_target_map_emi(ompt_data_t *target_data, unsigned count, void **host_addr, void **device_addr,
                              size_t *bytes, unsigned *flags, const void *codeptr_ra)
{
    ompt_data_t none = ompt_data_none;
    CALL(OURS, target_map_emi, target_data, count, host_addr, device_addr, bytes, flags, codeptr_ra);
    if (find_function(THEIRS, ompt_callback_target_map_emi) != NULL)
        CALL(THEIRS, target_map_emi, find_target(target_data, &none), count, host_addr, device_addr, bytes,
             flags, codeptr_ra);
    else
        CALL(THEIRS, target_map, target_data != NULL ? target_data->value : 0, count, host_addr, device_addr,
             bytes, flags, codeptr_ra);
}

static void on_target_map(ompt_id_t target_id, unsigned count, void **host_addr, void **device_addr,
                          size_t *bytes, unsigned *flags, const void *codeptr_ra)
{
    CALL(OURS, target_map, target_id, count, host_addr, device_addr, bytes, flags, codeptr_ra);
    if (!has_emi(ompt_callback_target_map_emi))
        CALL(THEIRS, target_map, target_id, count, host_addr, device_addr, bytes, flags, codeptr_ra);
}

static void on_device_initialize(int device_num, const char *type, ompt_device_t *device,
                                 ompt_function_lookup_t lookup, const char *documentation)
{
    CALL(OURS, device_initialize, device_num, type, device, lookup, documentation);
    CALL(THEIRS, device_initialize, device_num, type, device,
         omptape_second_device(device_num, device, lookup), documentation);
}

static void on_device_finalize(int device_num)
{
    CALL_BOTH(device_finalize, device_num);
}

static void on_device_load(int device_num, const char *filename, int64_t offset_in_file, void *vma_in_file,
                           size_t bytes, void *host_addr, void *device_addr, uint64_t module_id)
{
    CALL_BOTH(device_load, device_num, filename, offset_in_file, vma_in_file, bytes, host_addr, device_addr,
              module_id);
}

static void on_device_unload(int device_num, uint64_t module_id)
{
    CALL_BOTH(device_unload, device_num, module_id);
}

static const ompt_callback_t table[] = {
#define ROW(event) [ompt_callback_##event] = (ompt_callback_t)on_##event,
    ROW(thread_begin) ROW(thread_end) ROW(parallel_begin) ROW(parallel_end) ROW(task_create)
        ROW(task_schedule) ROW(implicit_task) ROW(target) ROW(target_data_op) ROW(target_submit)
            ROW(control_tool) ROW(device_initialize) ROW(device_finalize) ROW(device_load) ROW(device_unload)
                ROW(sync_region_wait) ROW(mutex_released) ROW(dependences) ROW(task_dependence) ROW(work)
                    ROW(masked) ROW(target_map) ROW(sync_region) ROW(lock_init) ROW(lock_destroy)
                        ROW(mutex_acquire) ROW(mutex_acquired) ROW(nest_lock) ROW(flush) ROW(cancel)
                            ROW(reduction) ROW(dispatch) ROW(target_emi) ROW(target_data_op_emi)
                                ROW(target_submit_emi) ROW(target_map_emi) ROW(error)};

ompt_callback_t omptape_second_call(unsigned event)
{
    return event < sizeof(table) / sizeof(table[0]) ? table[event] : NULL;
}
