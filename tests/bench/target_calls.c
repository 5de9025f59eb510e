/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A runtime that is none: it starts the preloaded tool as an OpenMP runtime does, and calls its callbacks as
 * for a target region with three transfers and one kernel, without a device behind them. Run by
 * tests/bench/run.py, which compares tools. Usage as programs/constructs.c: target_calls SAMPLES PERCENT
 * PAUSE_MS FIRST [NAME...] or target_calls list
 */
#include "tests/bench/programs/bench.h"

#include <omptape/ompt.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_FACTOR = 4, HIGHEST_EVENT = 64, BYTES = 4096 };
enum { HOST_DEVICE = 2, PLAIN_DEVICE = 0, TRACING_DEVICE = 1 };
/* Of a call by which a region asks for a buffer, or hands one over: a runtime does it once for many records.
 */
enum { REGIONS_A_BUFFER = 200 };

/* What the tool registered. Not static: the compiler must not know that nobody else changes them. */
ompt_callback_t callbacks[HIGHEST_EVENT];
static int device_object;
static ompt_callback_buffer_request_t request_buffer;
static ompt_callback_buffer_complete_t complete_buffer;
static char host_memory[BYTES];
static char device_memory[BYTES];

/* ---- the device's tracing interface ---- */

/* Nanoseconds: a clock that costs as much as a system clock does. */
static ompt_device_time_t get_device_time(ompt_device_t *device)
{
    (void)device;
    return bench_ns();
}

static double translate_time(ompt_device_t *device, ompt_device_time_t time)
{
    (void)device;
    return (double)time / 1e9;
}

static ompt_set_result_t set_trace_ompt(ompt_device_t *device, unsigned int enable, unsigned int event)
{
    (void)device;
    (void)enable;
    (void)event;
    return ompt_set_always;
}

static int start_trace(ompt_device_t *device, ompt_callback_buffer_request_t request,
                       ompt_callback_buffer_complete_t complete)
{
    (void)device;
    request_buffer = request;
    complete_buffer = complete;
    return 1;
}

static int stop_trace(ompt_device_t *device)
{
    (void)device;
    return 1;
}

static int advance_cursor(ompt_device_t *device, ompt_buffer_t *buffer, size_t size,
                          ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next)
{
    (void)device;
    (void)buffer;
    (void)size;
    *next = current;
    return 0;
}

static ompt_record_ompt_t *get_record(ompt_buffer_t *buffer, ompt_buffer_cursor_t current)
{
    (void)buffer;
    (void)current;
    return NULL;
}

static ompt_interface_fn_t look_up_tracing(const char *name)
{
    static const struct {
        const char *name;
        ompt_interface_fn_t function;
    } entries[] = {
        {"ompt_get_device_time", (ompt_interface_fn_t)get_device_time},
        {"ompt_translate_time", (ompt_interface_fn_t)translate_time},
        {"ompt_set_trace_ompt", (ompt_interface_fn_t)set_trace_ompt},
        {"ompt_start_trace", (ompt_interface_fn_t)start_trace},
        {"ompt_stop_trace", (ompt_interface_fn_t)stop_trace},
        {"ompt_advance_buffer_cursor", (ompt_interface_fn_t)advance_cursor},
        {"ompt_get_record_ompt", (ompt_interface_fn_t)get_record},
    };
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (strcmp(entries[i].name, name) == 0)
            return entries[i].function;
    return NULL;
}

static ompt_interface_fn_t look_up_nothing(const char *name)
{
    (void)name;
    return NULL;
}

/* ---- the runtime ---- */

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
    if ((unsigned)event >= HIGHEST_EVENT)
        return ompt_set_never;
    callbacks[event] = callback;
    return ompt_set_always;
}

static ompt_interface_fn_t look_up(const char *name)
{
    return strcmp(name, "ompt_set_callback") == 0 ? (ompt_interface_fn_t)set_callback : NULL;
}

/* The preloaded tool's answer; NULL: there is none, or it does not want to. */
static ompt_start_tool_result_t *start_tool(void)
{
    ompt_start_tool_result_t *(*start)(unsigned int, const char *);
    *(void **)&start = dlsym(RTLD_DEFAULT, "ompt_start_tool");
    ompt_start_tool_result_t *result = start != NULL ? start(202111, "a benchmark's runtime") : NULL;
    return result != NULL && result->initialize(look_up, HOST_DEVICE, &result->tool_data) != 0 ? result
                                                                                               : NULL;
}

/* A callback of the tool, of the type that its number says, or NULL. */
#define CALLBACK(event) ((event##_t)callbacks[event])

static void begin_thread(ompt_data_t *thread, ompt_data_t *task)
{
    static ompt_data_t region;
    if (CALLBACK(ompt_callback_thread_begin) != NULL)
        CALLBACK(ompt_callback_thread_begin)(ompt_thread_initial, thread);
    if (CALLBACK(ompt_callback_implicit_task) != NULL)
        CALLBACK(ompt_callback_implicit_task)(ompt_scope_begin, &region, task, 1, 1, ompt_task_initial);
}

static void end_thread(ompt_data_t *thread, ompt_data_t *task)
{
    if (CALLBACK(ompt_callback_implicit_task) != NULL)
        CALLBACK(ompt_callback_implicit_task)(ompt_scope_end, NULL, task, 0, 1, ompt_task_initial);
    if (CALLBACK(ompt_callback_thread_end) != NULL)
        CALLBACK(ompt_callback_thread_end)(thread);
}

static void begin_device(int number, ompt_function_lookup_t lookup_of_device)
{
    if (CALLBACK(ompt_callback_device_initialize) != NULL)
        CALLBACK(ompt_callback_device_initialize)
    (number, "nothing", (ompt_device_t *)&device_object, lookup_of_device, NULL);
}

static void end_device(int number)
{
    if (CALLBACK(ompt_callback_device_finalize) != NULL)
        CALLBACK(ompt_callback_device_finalize)(number);
}

/* ---- a target region ---- */

/* What the runtime keeps for the construct that the thread is in. */
static struct construct {
    ompt_data_t task;
    ompt_data_t target;
    ompt_id_t operation;
    int device;
    const void *code;
} self;

static inline void copy(ompt_scope_endpoint_t endpoint, ompt_target_data_op_t type)
{
    bool to = type == ompt_target_data_transfer_to_device;
    if (CALLBACK(ompt_callback_target_data_op_emi) != NULL)
        CALLBACK(ompt_callback_target_data_op_emi)
    (endpoint, NULL, &self.target, &self.operation, type, to ? host_memory : device_memory,
     to ? HOST_DEVICE : self.device, to ? device_memory : host_memory, to ? self.device : HOST_DEVICE, BYTES,
     self.code);
}

static inline void submit(ompt_scope_endpoint_t endpoint)
{
    if (CALLBACK(ompt_callback_target_submit_emi) != NULL)
        CALLBACK(ompt_callback_target_submit_emi)(endpoint, &self.target, &self.operation, 1);
}

static inline void construct(ompt_scope_endpoint_t endpoint)
{
    if (CALLBACK(ompt_callback_target_emi) != NULL)
        CALLBACK(ompt_callback_target_emi)
    (ompt_target, endpoint, self.device, &self.task, NULL, &self.target, self.code);
}

static __attribute__((noinline)) void target_region(void)
{
    construct(ompt_scope_begin);
    copy(ompt_scope_begin, ompt_target_data_transfer_to_device);
    copy(ompt_scope_end, ompt_target_data_transfer_to_device);
    copy(ompt_scope_begin, ompt_target_data_transfer_to_device);
    copy(ompt_scope_end, ompt_target_data_transfer_to_device);
    submit(ompt_scope_begin);
    submit(ompt_scope_end);
    copy(ompt_scope_begin, ompt_target_data_transfer_from_device);
    copy(ompt_scope_end, ompt_target_data_transfer_from_device);
    construct(ompt_scope_end);
}

static void run_regions(long reps)
{
    for (long r = 0; r < reps; r++)
        target_region();
}

/* Some runtimes ask for buffers, and hand them over, on the program's threads. */
static void run_with_buffers(long reps)
{
    ompt_buffer_t *buffer = NULL;
    size_t bytes = 0;
    for (long r = 0; r < reps; r++) {
        if (r % REGIONS_A_BUFFER == 0 && request_buffer != NULL)
            request_buffer(TRACING_DEVICE, &buffer, &bytes);
        target_region();
        if (r % REGIONS_A_BUFFER == REGIONS_A_BUFFER - 1 && complete_buffer != NULL && buffer != NULL)
            complete_buffer(TRACING_DEVICE, buffer, 0, 0, 1);
    }
}

/* ---- measuring ---- */

static const struct part {
    const char *name;
    void (*run)(long reps);
    int device;
} parts[] = {
    {"callbacks alone", run_regions, PLAIN_DEVICE},
    {"callbacks alone, device traced", run_with_buffers, TRACING_DEVICE},
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]), REPS = 200 };

static void measure(const struct part *part, int samples, long reps, struct timespec pause)
{
    self = (struct construct){.device = part->device, .code = (const char *)(const void *)part + 1};

    for (int i = 0; i < samples; i++)
        part->run(reps);
    /* A tool that works in the background gets the time to catch up, and its memory back. */
    nanosleep(&pause, NULL);
    bench_measure(part->name, part->run, reps, samples);
}

/* As a runtime with bound threads does. */
static void bind_to_this_core(void)
{
    cpu_set_t set;
    int core = sched_getcpu();
    if (core < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (int i = 0; i < PARTS; i++)
            puts(parts[i].name);
        return 0;
    }
    int samples = argc > 4 ? SAMPLES_FACTOR * atoi(argv[1]) : 0;
    long reps = argc > 4 ? REPS * atol(argv[2]) / 100 : 0;
    if (samples < 1 || samples > BENCH_MAX_SAMPLES || reps < 1)
        return 2;
    long pause_ns = atol(argv[3]) * 1000000;
    struct timespec pause = {pause_ns / 1000000000, pause_ns % 1000000000};
    ompt_data_t thread = {0};
    ompt_data_t task = {0};
    ompt_start_tool_result_t *tool = start_tool();
    bind_to_this_core();
    begin_thread(&thread, &task);
    begin_device(PLAIN_DEVICE, look_up_nothing);
    for (int i = 0; i < PARTS; i++) {
        /* Once one is traced, all that the host does costs what it costs with one. */
        if (parts[i].device == TRACING_DEVICE)
            begin_device(TRACING_DEVICE, look_up_tracing);
        if (bench_is_wanted(parts[i].name, argc - 5, argv + 5))
            measure(&parts[i], samples, reps, pause);
    }
    end_device(TRACING_DEVICE);
    end_device(PLAIN_DEVICE);
    end_thread(&thread, &task);
    if (tool != NULL)
        tool->finalize(&tool->tool_data);
    return 0;
}
