/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stands between the OpenMP runtime and the tool under test: passes everything on, but shows it devices that
 * can be traced. Preloaded in front of that tool, or with its path in OMPTAPE_EMULATOR_TOOL. Called by the
 * runtime on the program's threads.
 */
#include "tests/emulator/tool.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omptape/ompt.h"
#include "tests/emulator/delivery.h"
#include "tests/emulator/engine.h"
#include "tests/emulator/interface.h"
#include "tests/emulator/modes.h"
#include "tests/emulator/operations.h"
#include "tests/emulator/truth.h"
#include "tests/emulator/violations.h"

static ompt_start_tool_result_t *inner;
static ompt_function_lookup_t runtime_lookup;
static ompt_set_callback_t runtime_set_callback;
static ompt_get_thread_data_t runtime_thread_data;
static ompt_callback_device_initialize_t inner_initialize;
static ompt_callback_device_finalize_t inner_finalize;
static ompt_callback_target_emi_t inner_target;
static ompt_callback_target_data_op_emi_t inner_data_op;
static ompt_callback_target_submit_emi_t inner_submit;
static _Atomic pid_t started_in;

uint64_t em_tool_thread_value(void)
{
    const ompt_data_t *data = runtime_thread_data != NULL ? runtime_thread_data() : NULL;

    return data != NULL ? data->value : 0;
}

static void on_device_initialize(int number, const char *type, ompt_device_t *handle,
                                 ompt_function_lookup_t lookup, const char *documentation)
{
    struct em_device *device = em_device_begin(number);

    if (inner_initialize == NULL)
        return;
    if (device == NULL) {
        inner_initialize(number, type, handle, lookup, documentation);
    } else {
        inner_initialize(number, type, (ompt_device_t *)device,
                         em_mode(EM_NO_LOOKUP) ? NULL : em_interface_lookup, documentation);
    }
}

static void on_device_finalize(int number)
{
    struct em_device *device = em_device_forked ? NULL : em_device(number);

    if (device != NULL)
        em_interface_finalizing(device);
    if (inner_finalize != NULL)
        inner_finalize(number);
    if (device != NULL)
        em_interface_finalized(device);
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                      ompt_data_t *target_task, ompt_data_t *target, const void *site)
{
    if (endpoint == ompt_scope_end)
        em_target_end(kind, target, site);
    if (inner_target != NULL)
        inner_target(kind, endpoint, device, task, target_task, target, site);
    if (endpoint == ompt_scope_begin)
        em_target_begin(kind, device, target, site);
}

static void on_data_op(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *target,
                       ompt_id_t *operation, ompt_target_data_op_t kind, void *from, int from_device,
                       void *to, int to_device, size_t bytes, const void *site)
{
    struct em_data_op op = {kind, from, from_device, to, to_device, bytes, site};

    if (endpoint == ompt_scope_end)
        em_data_op_end(target, operation, &op);
    if (inner_data_op != NULL) {
        inner_data_op(endpoint, target_task, target, operation, kind, from, from_device, to, to_device, bytes,
                      site);
    }
    if (endpoint != ompt_scope_end)
        em_data_op_begin();
    if (endpoint == ompt_scope_beginend)
        em_data_op_end(target, operation, &op);
}

static void on_submit(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *operation,
                      unsigned teams)
{
    if (endpoint == ompt_scope_end)
        em_submit_end(target, operation, teams);
    if (inner_submit != NULL)
        inner_submit(endpoint, target, operation, teams);
    if (endpoint == ompt_scope_begin)
        em_submit_begin();
}

/* Ours are registered already; the tool's are called by them. */
static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
    switch ((int)event) {
    case ompt_callback_device_initialize:
        inner_initialize = (ompt_callback_device_initialize_t)callback;
        return runtime_set_callback(event, (ompt_callback_t)on_device_initialize);
    case ompt_callback_device_finalize:
        inner_finalize = (ompt_callback_device_finalize_t)callback;
        return runtime_set_callback(event, (ompt_callback_t)on_device_finalize);
    case ompt_callback_target_emi:
        inner_target = (ompt_callback_target_emi_t)callback;
        return runtime_set_callback(event, (ompt_callback_t)on_target);
    case ompt_callback_target_data_op_emi:
        inner_data_op = (ompt_callback_target_data_op_emi_t)callback;
        return runtime_set_callback(event, (ompt_callback_t)on_data_op);
    case ompt_callback_target_submit_emi:
        inner_submit = (ompt_callback_target_submit_emi_t)callback;
        return runtime_set_callback(event, (ompt_callback_t)on_submit);
    default:
        return runtime_set_callback(event, callback);
    }
}

/* True if the tool has set this callback in its other form (EMI or older) before. */
static bool is_second_form(ompt_callbacks_t event)
{
    static const ompt_callbacks_t forms[][2] = {
        {ompt_callback_target, ompt_callback_target_emi},
        {ompt_callback_target_data_op, ompt_callback_target_data_op_emi},
        {ompt_callback_target_submit, ompt_callback_target_submit_emi},
        {ompt_callback_target_map, ompt_callback_target_map_emi}};
    static ompt_callbacks_t first[sizeof(forms) / sizeof(forms[0])];
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (forms[i][0] != event && forms[i][1] != event)
            continue;
        if (first[i] == 0)
            first[i] = event;
        return first[i] != event;
    }
    return false;
}

static ompt_set_result_t set_callback_of_tool(ompt_callbacks_t event, ompt_callback_t callback)
{
    return em_mode(EM_ONE_FORM) && is_second_form(event) ? ompt_set_error : set_callback(event, callback);
}

static ompt_interface_fn_t lookup(const char *name)
{
    if (strcmp(name, "ompt_set_callback") == 0)
        return (ompt_interface_fn_t)set_callback_of_tool;
    return runtime_lookup(name);
}

static int initialize(ompt_function_lookup_t function_lookup, int device, ompt_data_t *data)
{
    (void)data;
    runtime_lookup = function_lookup;
    runtime_set_callback = (ompt_set_callback_t)function_lookup("ompt_set_callback");
    runtime_thread_data = (ompt_get_thread_data_t)function_lookup("ompt_get_thread_data");
    set_callback(ompt_callback_device_initialize, NULL);
    set_callback(ompt_callback_device_finalize, NULL);
    set_callback(ompt_callback_target_emi, NULL);
    set_callback(ompt_callback_target_data_op_emi, NULL);
    set_callback(ompt_callback_target_submit_emi, NULL);
    return inner == NULL ? 1 : inner->initialize(lookup, device, &inner->tool_data);
}

/* A device that was not finalized is, now: the process ends. */
static void end_devices(void)
{
    for (int number = 0; number < EM_DEVICES; number++) {
        struct em_device *device = em_device(number);
        if (device != NULL && atomic_load(&device->phase) != EM_FINALIZED) {
            em_note("device %d was never finalized by the runtime", number);
            em_interface_finalizing(device);
        }
    }
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    if (em_device_forked) {
        if (inner != NULL)
            inner->finalize(&inner->tool_data);
        return;
    }
    end_devices();
    if (em_mode(EM_LATE_FINALIZE)) {
        em_delivery_release(NULL);
        em_delivery_drain(NULL);
    }
    if (inner != NULL)
        inner->finalize(&inner->tool_data);
    if (em_mode(EM_AFTER_END)) {
        em_delivery_release(NULL);
        em_delivery_drain(NULL);
    }
    em_engine_stop();
    em_delivery_stop();
    em_truth_write();
}

/* Devices, and the threads that deliver, stay with the parent. */
static void in_child(void)
{
    em_device_forked = 1;
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

/* Comes before finalize when preloaded, and alone when the program ends inside a region. */
__attribute__((destructor)) static void end_of_library(void)
{
    if (atomic_load(&started_in) == getpid())
        em_truth_write();
}

static void *next_tool(void)
{
    const char *path = getenv("OMPTAPE_EMULATOR_TOOL");
    void *library;

    if (path == NULL)
        return dlsym(RTLD_NEXT, "ompt_start_tool");
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        em_violation("cannot load the tool: %s", dlerror());
        return NULL;
    }
    return dlsym(library, "ompt_start_tool");
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version,
                                                                                 const char *runtime_version)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    ompt_start_tool_result_t *(*next)(unsigned int, const char *);

    em_violations_open();
    em_modes_read();
    em_clock_start();
    atomic_store(&started_in, getpid());
    *(void **)&next = next_tool();
    inner = next != NULL ? next(omp_version, runtime_version) : NULL;
    return &result;
}
