/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements ompt_start_tool, which every OpenMP runtime looks up, and the initializer that it returns
 * (OpenMP 5.2 section 19.2). Called on the thread that first uses OpenMP, possibly before main.
 */
#include "buffers/cancel.h"
#include "callbacks/callbacks.h"
#include "callbacks/second/second.h"
#include "device/cupti/cupti.h"
#include "device/device.h"
#include "device/tracing.h"
#include "src/core/clock.h"
#include "src/core/events.h"
#include "src/core/log.h"
#include "src/core/message.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Registers the callbacks and collects the runtime's result for each (OpenMP 5.2 section 19.6.2.3.1). Called
 * once by the initialising thread. */

enum { HIGHEST_EVENT = 63 };

/* The callbacks that have an older and an EMI form. */
static struct {
    unsigned older;
    unsigned emi;
    bool *is_called; /* where it is stored that the runtime calls the EMI form */
    bool is_set;     /* the runtime has accepted the EMI form, though it may never call it */
} forms[] = {
    {ompt_callback_target, ompt_callback_target_emi, &omptape_entry_points.emi_target, false},
    {ompt_callback_target_data_op, ompt_callback_target_data_op_emi, &omptape_entry_points.emi_data_op,
     false},
    {ompt_callback_target_submit, ompt_callback_target_submit_emi, &omptape_entry_points.emi_submit, false},
    {ompt_callback_target_map, ompt_callback_target_map_emi, &omptape_entry_points.emi_map, false},
};

/* Sets a callback and returns the answer. The EMI forms have the higher numbers and are set first: LLVM 24
 * refuses the other form then. */
static const char *set_one(ompt_set_callback_t set_ours, unsigned number, ompt_callback_t function)
{
    const ompt_set_result_t result = set_ours((ompt_callbacks_t)number, function);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (number == forms[i].emi) {
            *forms[i].is_called = result >= ompt_set_sometimes;
            forms[i].is_set = result != ompt_set_error;
        }
        if (number == forms[i].older && forms[i].is_set && result == ompt_set_error)
            return "not asked";
    }
    return omptape_set_result_name(result);
}

/* Returns true for runtimes that crash at an error directive without a message if an error callback is
 * registered: LLVM's calls strlen(NULL). Its version string has not changed for ten years, and other runtimes
 * derive from it. */
static bool crashes_at_errors(const char *runtime)
{
    static const char family[] = "OMP version: 5.0.";
    return runtime != NULL && strstr(runtime, family) != NULL;
}

static ompt_set_callback_t set_callback;

/* Unregisters the mutex callbacks when the first thread ends. With them LLVM's runtime (14 to 22) reads the
 * data of its first thread at the end of every critical section. It would crash after that thread's end. */
static void forget_mutexes(void)
{
    static const ompt_callbacks_t mutexes[] = {ompt_callback_mutex_acquire, ompt_callback_mutex_acquired,
                                               ompt_callback_mutex_released};
    for (size_t i = 0; i < sizeof(mutexes) / sizeof(mutexes[0]); i++)
        (void)set_callback(mutexes[i], NULL);
    /* The main thread usually ends with the program. */
    if (getpid() != (pid_t)syscall(SYS_gettid))
        omptape_session_unrecorded(
            "locks and critical sections since the thread ended that used OpenMP first: "
            "LLVM's runtime would crash");
}

/* Registers the callbacks in `events` (bit n: callback number n) that are safe with this runtime version.
 * Adds a line with each result to the runtime's description. Initialising thread. */
static void register_callbacks(ompt_set_callback_t set_ours, const char *runtime, uint64_t events)
{
    if ((events & OMPTAPE_EVENT(ompt_callback_mutex_released)) != 0)
        omptape_entry_points.at_first_thread_end = forget_mutexes;
    for (unsigned number = HIGHEST_EVENT; number > 0; number--) {
        const char *name = omptape_event_name(number);
        ompt_callback_t function = omptape_callback(number);
        if (function == NULL)
            function = omptape_device_callback(number);
        if (name == NULL || function == NULL)
            continue;
        const char *answer = "not asked";
        if (number == ompt_callback_error && (events & OMPTAPE_EVENTS_ERROR_NAMED) == 0 &&
            crashes_at_errors(runtime))
            answer = OMPTAPE_UNSAFE_ERROR_CALLBACK;
        else if ((events & OMPTAPE_EVENT(number)) != 0)
            answer = set_one(set_ours, number, function);
        omptape_info_add(&omptape_runtime_info, "callback.%s=%s", name, answer);
    }
}

/* The first omp_version with the standardised OMPT. LLVM reports it for all of OpenMP 5.x. */
enum { OLDEST_OMP_VERSION = 201611 };

static unsigned start_omp_version;
static const char *start_runtime_version;
static atomic_bool started;
static ompt_start_tool_result_t *second_tool; /* NULL: omptape is the only tool */

static void end_by_control(void)
{
    omptape_tracing_close_all();
    omptape_session_end(OMPTAPE_END_CONTROL);
}

static void relate_operations(omptape_cupti_push_t push, omptape_cupti_pop_t pop)
{
    atomic_store(&omptape_entry_points.pop_operation, pop);
    atomic_store(&omptape_entry_points.push_operation, push);
}

static void use_devices(const struct omptape_options *options)
{
    omptape_tracing_use(options);
    omptape_entry_points.pause_devices = omptape_tracing_pause_all;
    omptape_entry_points.flush_devices = omptape_tracing_flush_all;
    omptape_entry_points.anchor_due = &omptape_tracing_anchor_due;
    omptape_entry_points.record_anchors = omptape_tracing_record_anchors;
    omptape_device_cupti_open = omptape_cupti_open_device;
    omptape_cupti_start(omptape_tracing_is_wanted() ? options->cuda : OMPTAPE_CUDA_OFF, options->paused,
                        relate_operations);
}

/* Initialises the second tool before omptape registers its callbacks: if it refuses, they forward no
 * events. */
static bool begin_second(ompt_function_lookup_t lookup, int initial_device_num, bool is_named)
{
    if (!omptape_second_begin(second_tool, lookup, initial_device_num)) {
        if (is_named)
            omptape_message("--with-tool: %s did not start", omptape_second_tool_path());
        return false;
    }
    omptape_info_add(&omptape_runtime_info, "second_tool=%s", omptape_second_tool_path());
    return true;
}

static int begin_tool(ompt_function_lookup_t lookup, int initial_device_num)
{
    const uint64_t begun = omptape_clock_raw_ns();
    struct omptape_options options;
    char error[256];
    set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    if (set_callback == NULL) {
        omptape_message("the OpenMP runtime \"%s\" offers no ompt_set_callback; nothing is traced",
                        start_runtime_version != NULL ? start_runtime_version : "?");
        return 0;
    }
    if (omptape_options_read(&options, error, sizeof(error)) != 0)
        omptape_message("%s; going on with the default", error);
    omptape_variables_say();
    omptape_entry_points.get_place_num = (ompt_get_place_num_t)lookup("ompt_get_place_num");
    omptape_info_describe(lookup, start_omp_version, start_runtime_version);
    omptape_info_add(&omptape_runtime_info, "runtime.initial_device=%d", initial_device_num);
    /* The session must exist before callbacks are registered, because they fire immediately. */
    const bool starts = !omptape_session_is_own(); /* MPI may have started the session */
    if (starts && omptape_session_start(0) != 0)
        return 0;
    omptape_end_use(lookup);
    omptape_entry_points.end_session = end_by_control;
    omptape_entry_points.at_first_parallel = omptape_info_describe_places;
    use_devices(&options);
    const bool is_second =
        second_tool != NULL && begin_second(lookup, initial_device_num, options.with_tool != NULL);
    register_callbacks(is_second ? omptape_second_set_ours : set_callback, start_runtime_version,
                       options.events);
    omptape_session_publish_info();
    if (starts)
        omptape_session_note_start(omptape_clock_raw_ns() - begun);
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_LIBRARY,
                "registered callbacks with the runtime \"%s\" (version %u)",
                start_runtime_version != NULL ? start_runtime_version : "?", start_omp_version);
    omptape_fork_watch();
    return 1;
}

static bool alone; /* only the second tool is active: omptape could not start a session */

static int initialize_tool(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data)
{
    (void)tool_data;
    const int cancel = omptape_cancel_hold();
    const int begun = begin_tool(lookup, initial_device_num);
    omptape_cancel_release(cancel);
    if (begun != 0 || second_tool == NULL)
        return begun;
    /* Nothing is traced: the runtime is left to the second tool. */
    alone = second_tool->initialize(lookup, initial_device_num, &second_tool->tool_data) != 0;
    return alone;
}

static void finish_session(void)
{
    if (!omptape_session_is_own())
        return;
    const int cancel = omptape_cancel_hold();
    omptape_tracing_close_all();
    omptape_mpi_say_unseen();
    omptape_session_end(OMPTAPE_END_FINALIZE);
    /* If another thread is inside a region, the runtime has freed data that this thread and its workers use.
     * They would crash while this thread waits for the writer. */
    if (omptape_workers() > 0)
        omptape_session_hurry();
    else
        omptape_session_wait();
    omptape_cancel_release(cancel);
}

static void finalize_tool(ompt_data_t *tool_data)
{
    (void)tool_data;
    if (alone && second_tool->finalize != NULL)
        second_tool->finalize(&second_tool->tool_data);
    finish_session();
    omptape_second_end();
}

ompt_start_tool_result_t *omptape_start_tool(unsigned int omp_version, const char *runtime_version)
{
    static bool searching;
    static ompt_start_tool_result_t result = {.initialize = initialize_tool, .finalize = finalize_tool};
    if (!omptape_libc_is_complete())
        return NULL;
    if (omp_version < OLDEST_OMP_VERSION) {
        omptape_message(
            "the OpenMP runtime \"%s\" implements version %u; OMPT needs %d or later: nothing is traced",
            runtime_version != NULL ? runtime_version : "?", omp_version, OLDEST_OMP_VERSION);
        return NULL;
    }
    if (searching)
        return NULL; /* called by the search for a second tool */
    if (atomic_exchange(&started, true)) {
        omptape_session_unrecorded(
            "a second OpenMP runtime (\"%s\") in this process: there can be one tool for one "
            "runtime with OMPT",
            runtime_version != NULL ? runtime_version : "?");
        return NULL;
    }
    start_omp_version = omp_version;
    start_runtime_version = runtime_version;
    searching = true;
    second_tool = omptape_second_tool_find(omp_version, runtime_version);
    searching = false;
    return &result;
}

__attribute__((visibility("default"),
               alias("omptape_start_tool"))) omptape_start_tool_function ompt_start_tool;
