/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for a libgomp that has OMPT, as gcc's patches of 2026 make it: it looks for a tool by name and
 * tells it of the one parallel region that it knows, of one thread. Built and used by test_gomp.sh.
 */
#include <dlfcn.h>
#include <omp-tools.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { CALLBACKS = 64 };

static ompt_start_tool_result_t *tool;
static ompt_callback_t callbacks[CALLBACKS];
static ompt_data_t thread;
static ompt_data_t task;
static ompt_data_t region;

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
    if ((unsigned)event >= CALLBACKS ||
        (event != ompt_callback_thread_begin && event != ompt_callback_thread_end &&
         event != ompt_callback_parallel_begin && event != ompt_callback_parallel_end &&
         event != ompt_callback_implicit_task))
        return ompt_set_never;
    callbacks[event] = callback;
    return ompt_set_always;
}

static ompt_data_t *get_thread_data(void)
{
    return &thread;
}

static ompt_interface_fn_t look_up(const char *name)
{
    if (strcmp(name, "ompt_set_callback") == 0)
        return (ompt_interface_fn_t)set_callback;
    if (strcmp(name, "ompt_get_thread_data") == 0)
        return (ompt_interface_fn_t)get_thread_data;
    return NULL;
}

static void start_tool(void)
{
    ompt_start_tool_result_t *(*start)(unsigned, const char *) =
        (ompt_start_tool_result_t * (*)(unsigned, const char *)) dlsym(RTLD_DEFAULT, "ompt_start_tool");
    tool = start != NULL ? start(202411, "a stand-in for libgomp") : NULL;
    if (tool != NULL && tool->initialize(look_up, 0, &tool->tool_data) == 0)
        tool = NULL;
}

static void tell_task(ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *data, unsigned index,
                      int flags)
{
    if (callbacks[ompt_callback_implicit_task] != NULL)
        ((ompt_callback_implicit_task_t)callbacks[ompt_callback_implicit_task])(end, parallel, data, 1, index,
                                                                                flags);
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
{
    ompt_data_t own = ompt_data_none;
    (void)threads;
    (void)flags;
    start_tool();
    if (tool != NULL) {
        ((ompt_callback_thread_begin_t)callbacks[ompt_callback_thread_begin])(ompt_thread_initial, &thread);
        tell_task(ompt_scope_begin, NULL, &task, 1, ompt_task_initial);
        ((ompt_callback_parallel_begin_t)callbacks[ompt_callback_parallel_begin])(
            &task, NULL, &region, 1, ompt_parallel_team | ompt_parallel_invoker_runtime,
            __builtin_return_address(0));
        tell_task(ompt_scope_begin, &region, &own, 0, ompt_task_implicit);
    }
    function(data);
    if (tool != NULL) {
        tell_task(ompt_scope_end, NULL, &own, 0, ompt_task_implicit);
        ((ompt_callback_parallel_end_t)callbacks[ompt_callback_parallel_end])(
            &region, &task, ompt_parallel_team | ompt_parallel_invoker_runtime, __builtin_return_address(0));
    }
}

int omp_get_thread_num(void)
{
    return 0;
}

int omp_get_num_threads(void)
{
    return 1;
}

__attribute__((destructor)) static void end_tool(void)
{
    if (tool != NULL)
        tool->finalize(&tool->tool_data);
}
