/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A second opinion for the tests: counts every OMPT callback by kind, in a shared file that outlives the
 * process. Preloaded in front of libomptape.so it hands each callback on to it, so that both see the same
 * run; preloaded alone it just counts. Called by the runtime on the program's threads.
 */
#include "count_names.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "omptape/ompt.h"

enum { CALLBACKS = 64 };

static _Atomic uint64_t *counters;
static ompt_start_tool_result_t *inner;
static ompt_function_lookup_t runtime_lookup;
static ompt_set_callback_t runtime_set_callback;
static ompt_callback_t inner_callbacks[CALLBACKS];
static int started;

static void count(enum count_family family, int value)
{
    if (counters != NULL) {
        atomic_fetch_add_explicit(&counters[count_index(family, value)], 1, memory_order_relaxed);
    }
}

/* A scope counts once, by its begin; the callback of its end counts as such. */
static void count_scope(ompt_scope_endpoint_t endpoint, enum count_family family, int value)
{
    if (endpoint == ompt_scope_begin) {
        count(family, value);
    } else {
        count(COUNT_SCOPE_END, 0);
    }
}

/* One file a process: the folder of OMPTAPE_COUNT_DIR, named by the pid. */
static void map_counters(void)
{
    const char *folder = getenv("OMPTAPE_COUNT_DIR");
    char path[4096];
    void *memory;
    int fd;

    counters = NULL;
    if (folder == NULL ||
        snprintf(path, sizeof(path), "%s/count.%d", folder, (int)getpid()) >= (int)sizeof(path)) {
        return;
    }
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) {
        return;
    }
    if (ftruncate(fd, COUNT_SLOTS * sizeof(uint64_t)) == 0) {
        memory = mmap(NULL, COUNT_SLOTS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (memory != MAP_FAILED) {
            counters = memory;
        }
    }
    close(fd);
}

/* Registered before the runtime's own handler, which already calls back in the child. */
static void after_fork(void)
{
    if (started) {
        map_counters();
    }
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, after_fork);
}

/* The counts of a callback follow the call of the inner tool: a killed program has then committed at least
 * what was counted, and at most one record a thread more. */

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
    if (inner_callbacks[ompt_callback_thread_begin] != NULL) {
        ((ompt_callback_thread_begin_t)inner_callbacks[ompt_callback_thread_begin])(type, data);
    }
    count(COUNT_THREAD_BEGIN, (int)type);
}

static void on_thread_end(ompt_data_t *data)
{
    if (inner_callbacks[ompt_callback_thread_end] != NULL) {
        ((ompt_callback_thread_end_t)inner_callbacks[ompt_callback_thread_end])(data);
    }
    count(COUNT_THREAD_END, 0);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                              unsigned requested, int flags, const void *site)
{
    if (inner_callbacks[ompt_callback_parallel_begin] != NULL) {
        ((ompt_callback_parallel_begin_t)inner_callbacks[ompt_callback_parallel_begin])(
            task, frame, parallel, requested, flags, site);
    }
    count(COUNT_PARALLEL_BEGIN, (flags & ompt_parallel_league) != 0);
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *site)
{
    if (inner_callbacks[ompt_callback_parallel_end] != NULL) {
        ((ompt_callback_parallel_end_t)inner_callbacks[ompt_callback_parallel_end])(parallel, task, flags,
                                                                                    site);
    }
    count(COUNT_PARALLEL_END, (flags & ompt_parallel_league) != 0);
}

/* 0: the initial task or an implicit one, 1: explicit and deferred, 2: undeferred, 3: merged, 4: the pseudo
 * task of a taskwait with dependences, 5: a target task. */
static int task_class(int flags)
{
    if ((flags & (int)ompt_task_taskwait) != 0) {
        return 4;
    }
    if ((flags & (int)ompt_task_target) != 0) {
        return 5;
    }
    if ((flags & (int)ompt_task_explicit) == 0) {
        return 0;
    }
    if ((flags & (int)ompt_task_merged) != 0) {
        return 3;
    }
    return (flags & (int)ompt_task_undeferred) != 0 ? 2 : 1;
}

static void on_task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *new_task, int flags,
                           int has_dependences, const void *site)
{
    if (inner_callbacks[ompt_callback_task_create] != NULL) {
        ((ompt_callback_task_create_t)inner_callbacks[ompt_callback_task_create])(
            task, frame, new_task, flags, has_dependences, site);
    }
    count(COUNT_TASK_CREATE, task_class(flags));
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    if (inner_callbacks[ompt_callback_task_schedule] != NULL) {
        ((ompt_callback_task_schedule_t)inner_callbacks[ompt_callback_task_schedule])(prior, status, next);
    }
    count(COUNT_TASK_SCHEDULE, (int)status);
}

/* 0: implicit, 1: initial (of a thread or a league). */
static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                             unsigned actual, unsigned index, int flags)
{
    int initial = (flags & (int)ompt_task_initial) != 0;

    if (inner_callbacks[ompt_callback_implicit_task] != NULL) {
        ((ompt_callback_implicit_task_t)inner_callbacks[ompt_callback_implicit_task])(
            endpoint, parallel, task, actual, index, flags);
    }
    count(endpoint == ompt_scope_begin ? COUNT_IMPLICIT_BEGIN : COUNT_IMPLICIT_END, initial);
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                           ompt_data_t *task, const void *site)
{
    if (inner_callbacks[ompt_callback_sync_region] != NULL) {
        ((ompt_callback_sync_region_t)inner_callbacks[ompt_callback_sync_region])(kind, endpoint, parallel,
                                                                                  task, site);
    }
    count_scope(endpoint, COUNT_SYNC_BEGIN, (int)kind);
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                ompt_data_t *parallel, ompt_data_t *task, const void *site)
{
    if (inner_callbacks[ompt_callback_sync_region_wait] != NULL) {
        ((ompt_callback_sync_region_t)inner_callbacks[ompt_callback_sync_region_wait])(kind, endpoint,
                                                                                       parallel, task, site);
    }
    count_scope(endpoint, COUNT_SYNC_WAIT, (int)kind);
}

static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                         ompt_data_t *task, const void *site)
{
    if (inner_callbacks[ompt_callback_reduction] != NULL) {
        ((ompt_callback_sync_region_t)inner_callbacks[ompt_callback_reduction])(kind, endpoint, parallel,
                                                                                task, site);
    }
    count_scope(endpoint, COUNT_REDUCTION, (int)kind);
}

static void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, uint64_t iterations, const void *site)
{
    if (inner_callbacks[ompt_callback_work] != NULL) {
        ((ompt_callback_work_t)inner_callbacks[ompt_callback_work])(type, endpoint, parallel, task,
                                                                    iterations, site);
    }
    count_scope(endpoint, COUNT_WORK, (int)type);
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                      const void *site)
{
    if (inner_callbacks[ompt_callback_masked] != NULL) {
        ((ompt_callback_masked_t)inner_callbacks[ompt_callback_masked])(endpoint, parallel, task, site);
    }
    count_scope(endpoint, COUNT_MASKED, 0);
}

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
    if (inner_callbacks[ompt_callback_dispatch] != NULL) {
        ((ompt_callback_dispatch_t)inner_callbacks[ompt_callback_dispatch])(parallel, task, kind, instance);
    }
    count(COUNT_DISPATCH, (int)kind);
}

static void forward_acquire(ompt_callbacks_t event, ompt_mutex_t kind, unsigned hint, unsigned impl,
                            ompt_wait_id_t id, const void *site)
{
    if (inner_callbacks[event] != NULL) {
        ((ompt_callback_mutex_acquire_t)inner_callbacks[event])(kind, hint, impl, id, site);
    }
}

static void forward_mutex(ompt_callbacks_t event, ompt_mutex_t kind, ompt_wait_id_t id, const void *site)
{
    if (inner_callbacks[event] != NULL) {
        ((ompt_callback_mutex_t)inner_callbacks[event])(kind, id, site);
    }
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id,
                             const void *site)
{
    forward_acquire(ompt_callback_mutex_acquire, kind, hint, impl, id, site);
    count(COUNT_MUTEX_ACQUIRE, (int)kind);
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *site)
{
    forward_mutex(ompt_callback_mutex_acquired, kind, id, site);
    count(COUNT_MUTEX_ACQUIRED, (int)kind);
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *site)
{
    forward_mutex(ompt_callback_mutex_released, kind, id, site);
    count(COUNT_MUTEX_RELEASED, (int)kind);
}

static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id, const void *site)
{
    forward_acquire(ompt_callback_lock_init, kind, hint, impl, id, site);
    count(COUNT_LOCK_INIT, (int)kind);
}

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void *site)
{
    forward_mutex(ompt_callback_lock_destroy, kind, id, site);
    count(COUNT_LOCK_DESTROY, (int)kind);
}

static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t id, const void *site)
{
    if (inner_callbacks[ompt_callback_nest_lock] != NULL) {
        ((ompt_callback_nest_lock_t)inner_callbacks[ompt_callback_nest_lock])(endpoint, id, site);
    }
    count(COUNT_NEST_LOCK, (int)endpoint);
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int number)
{
    if (inner_callbacks[ompt_callback_dependences] != NULL) {
        ((ompt_callback_dependences_t)inner_callbacks[ompt_callback_dependences])(task, dependences, number);
    }
    count(COUNT_DEPENDENCES, 0);
    for (int i = 0; i < number; i++) {
        count(COUNT_DEPENDENCE_ITEM, (int)dependences[i].dependence_type);
    }
}

static void on_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
    if (inner_callbacks[ompt_callback_task_dependence] != NULL) {
        ((ompt_callback_task_dependence_t)inner_callbacks[ompt_callback_task_dependence])(source, sink);
    }
    count(COUNT_TASK_DEPENDENCE, 0);
}

static void on_flush(ompt_data_t *thread, const void *site)
{
    if (inner_callbacks[ompt_callback_flush] != NULL) {
        ((ompt_callback_flush_t)inner_callbacks[ompt_callback_flush])(thread, site);
    }
    count(COUNT_FLUSH, 0);
}

static void on_cancel(ompt_data_t *task, int flags, const void *site)
{
    if (inner_callbacks[ompt_callback_cancel] != NULL) {
        ((ompt_callback_cancel_t)inner_callbacks[ompt_callback_cancel])(task, flags, site);
    }
    count(COUNT_CANCEL, 0);
}

static void on_error(ompt_severity_t severity, const char *message, size_t length, const void *site)
{
    if (inner_callbacks[ompt_callback_error] != NULL) {
        ((ompt_callback_error_t)inner_callbacks[ompt_callback_error])(severity, message, length, site);
    }
    count(COUNT_ERROR, (int)severity);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *site)
{
    int rc = 0;

    if (inner_callbacks[ompt_callback_control_tool] != NULL) {
        rc = ((ompt_callback_control_tool_t)inner_callbacks[ompt_callback_control_tool])(command, modifier,
                                                                                         argument, site);
    }
    count(COUNT_CONTROL_TOOL, 0);
    return rc;
}

static void on_device_initialize(int device, const char *type, ompt_device_t *handle,
                                 ompt_function_lookup_t lookup, const char *documentation)
{
    if (inner_callbacks[ompt_callback_device_initialize] != NULL) {
        ((ompt_callback_device_initialize_t)inner_callbacks[ompt_callback_device_initialize])(
            device, type, handle, lookup, documentation);
    }
    count(COUNT_DEVICE_INITIALIZE, 0);
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                      ompt_data_t *target_task, ompt_data_t *target, const void *site)
{
    if (inner_callbacks[ompt_callback_target_emi] != NULL) {
        ((ompt_callback_target_emi_t)inner_callbacks[ompt_callback_target_emi])(kind, endpoint, device, task,
                                                                                target_task, target, site);
    }
    count_scope(endpoint, COUNT_TARGET, (int)kind);
}

static void on_data_op(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *target,
                       ompt_id_t *operation, ompt_target_data_op_t kind, void *from, int from_device,
                       void *to, int to_device, size_t bytes, const void *site)
{
    if (inner_callbacks[ompt_callback_target_data_op_emi] != NULL) {
        ((ompt_callback_target_data_op_emi_t)inner_callbacks[ompt_callback_target_data_op_emi])(
            endpoint, target_task, target, operation, kind, from, from_device, to, to_device, bytes, site);
    }
    count_scope(endpoint, COUNT_DATA_OP, (int)kind);
}

static void on_submit(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *operation,
                      unsigned teams)
{
    if (inner_callbacks[ompt_callback_target_submit_emi] != NULL) {
        ((ompt_callback_target_submit_emi_t)inner_callbacks[ompt_callback_target_submit_emi])(
            endpoint, target, operation, teams);
    }
    count_scope(endpoint, COUNT_SUBMIT, 0);
}

static const struct {
    ompt_callbacks_t event;
    ompt_callback_t callback;
} wrappers[] = {
    {ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin},
    {ompt_callback_thread_end, (ompt_callback_t)on_thread_end},
    {ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin},
    {ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end},
    {ompt_callback_task_create, (ompt_callback_t)on_task_create},
    {ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule},
    {ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task},
    {ompt_callback_sync_region, (ompt_callback_t)on_sync_region},
    {ompt_callback_sync_region_wait, (ompt_callback_t)on_sync_region_wait},
    {ompt_callback_reduction, (ompt_callback_t)on_reduction},
    {ompt_callback_work, (ompt_callback_t)on_work},
    {ompt_callback_masked, (ompt_callback_t)on_masked},
    {ompt_callback_dispatch, (ompt_callback_t)on_dispatch},
    {ompt_callback_mutex_acquire, (ompt_callback_t)on_mutex_acquire},
    {ompt_callback_mutex_acquired, (ompt_callback_t)on_mutex_acquired},
    {ompt_callback_mutex_released, (ompt_callback_t)on_mutex_released},
    {ompt_callback_lock_init, (ompt_callback_t)on_lock_init},
    {ompt_callback_lock_destroy, (ompt_callback_t)on_lock_destroy},
    {ompt_callback_nest_lock, (ompt_callback_t)on_nest_lock},
    {ompt_callback_dependences, (ompt_callback_t)on_dependences},
    {ompt_callback_task_dependence, (ompt_callback_t)on_task_dependence},
    {ompt_callback_flush, (ompt_callback_t)on_flush},
    {ompt_callback_cancel, (ompt_callback_t)on_cancel},
    {ompt_callback_error, (ompt_callback_t)on_error},
    {ompt_callback_control_tool, (ompt_callback_t)on_control_tool},
    {ompt_callback_device_initialize, (ompt_callback_t)on_device_initialize},
    {ompt_callback_target_emi, (ompt_callback_t)on_target},
    {ompt_callback_target_data_op_emi, (ompt_callback_t)on_data_op},
    {ompt_callback_target_submit_emi, (ompt_callback_t)on_submit},
};

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
    if ((unsigned)event >= CALLBACKS) {
        return runtime_set_callback(event, callback);
    }
    for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
        if (wrappers[i].event == event) {
            inner_callbacks[event] = callback;
            return runtime_set_callback(event, wrappers[i].callback);
        }
    }
    return runtime_set_callback(event, callback);
}

static ompt_interface_fn_t lookup(const char *name)
{
    if (strcmp(name, "ompt_set_callback") == 0) {
        return (ompt_interface_fn_t)set_callback;
    }
    return runtime_lookup(name);
}

static int initialize(ompt_function_lookup_t function_lookup, int device, ompt_data_t *data)
{
    int rc = 1;

    (void)data;
    runtime_lookup = function_lookup;
    runtime_set_callback = (ompt_set_callback_t)function_lookup("ompt_set_callback");
    for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
        /* The runtime crashes with it at an error directive without a message: only if omptape asks. */
        if (wrappers[i].event != ompt_callback_error) {
            runtime_set_callback(wrappers[i].event, wrappers[i].callback);
        }
    }
    if (inner != NULL) {
        rc = inner->initialize(lookup, device, &inner->tool_data);
    }
    return rc;
}

/* What the runtime still reports after this is recorded by nobody. */
static void count_up_to_finalize(void)
{
    uint64_t sum = 0;

    if (counters == NULL) {
        return;
    }
    for (size_t i = 0; i < COUNT_SLOTS; i++) {
        size_t family = i / COUNT_VALUES;
        if (family != COUNT_DEPENDENCE_ITEM && family != COUNT_FINALIZE) {
            sum += atomic_load(&counters[i]);
        }
    }
    atomic_store(&counters[count_index(COUNT_FINALIZE, COUNT_FINALIZE_BEFORE)], sum);
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    count_up_to_finalize();
    if (inner != NULL) {
        inner->finalize(&inner->tool_data);
    }
    count(COUNT_FINALIZE, 0);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version,
                                                                                 const char *runtime_version)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    ompt_start_tool_result_t *(*next)(unsigned int, const char *);

    started = 1;
    map_counters();
    *(void **)&next = dlsym(RTLD_NEXT, "ompt_start_tool");
    if (next != NULL) {
        inner = next(omp_version, runtime_version);
    }
    return &result;
}
