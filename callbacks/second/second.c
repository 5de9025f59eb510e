/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Begins and ends the second tool, and wraps the runtime's entry points for it (second.h). Apart from
 * callbacks and words the tool receives the runtime's own objects.
 */
#include "callbacks/second/second.h"

#include "callbacks/second/word_pairs.h"
#include "src/core/named_functions.h"

#include <stdatomic.h>
#include <string.h>

static ompt_start_tool_result_t *_Atomic tool;
static ompt_function_lookup_t runtime_lookup;
static ompt_set_callback_t set_in_runtime;
/* True after the other tool has refused to start. Its functions then find no tool interface, as without
 * omptape, because the words of omptape alone are no pairs. */
static atomic_bool is_refused;

/* Registers the function that calls both tools, once for each event. Returns the runtime's answer. */
static ompt_set_result_t register_call(ompt_callbacks_t event)
{
    ompt_set_result_t *answer = &omptape_second_callbacks.answers[event];
    if (*answer == ompt_set_error)
        *answer = set_in_runtime(event, omptape_second_call(event));
    return *answer;
}

ompt_set_result_t omptape_second_set_ours(ompt_callbacks_t event, ompt_callback_t function)
{
    omptape_second_callbacks.ours[event] = function;
    return register_call(event);
}

/* Returns the EMI event by which the runtime reports an older event, or `event` if there is none. */
static ompt_callbacks_t find_emi(ompt_callbacks_t event)
{
    switch (event) {
    case ompt_callback_target:
        return ompt_callback_target_emi;
    case ompt_callback_target_data_op:
        return ompt_callback_target_data_op_emi;
    case ompt_callback_target_submit:
        return ompt_callback_target_submit_emi;
    case ompt_callback_target_map:
        return ompt_callback_target_map_emi;
    default:
        return event;
    }
}

/* The other tool calls the following functions, on any thread. */

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
    /* Only known events have a function that passes each tool its own words. */
    if (omptape_second_call((unsigned)event) == NULL || atomic_load(&is_refused))
        return ompt_set_never;
    atomic_store_explicit(&omptape_second_callbacks.theirs[event], callback, memory_order_release);
    const ompt_set_result_t newer =
        find_emi(event) != event ? register_call(find_emi(event)) : ompt_set_never;
    const ompt_set_result_t answer = register_call(event);
    return answer >= newer ? answer : newer;
}

static int get_callback(ompt_callbacks_t event, ompt_callback_t *callback)
{
    if (omptape_second_call((unsigned)event) == NULL)
        return 0;
    *callback = atomic_load_explicit(&omptape_second_callbacks.theirs[event], memory_order_acquire);
    return *callback != NULL;
}

static ompt_data_t *their_word(ompt_data_t *word)
{
    struct omptape_word_pair *pair = omptape_word_pair_of(word);
    return pair != NULL ? &pair->theirs : NULL;
}

static ompt_get_thread_data_t real_thread_data;
static ompt_get_parallel_info_t real_parallel_info;
static ompt_get_task_info_t real_task_info;
static ompt_get_target_info_t real_target_info;

static ompt_data_t *get_thread_data(void)
{
    return atomic_load(&is_refused) ? NULL : their_word(real_thread_data());
}

/* The runtime's answer if the information is available. */
enum { AVAILABLE = 2 };

static int get_parallel_info(int ancestor_level, ompt_data_t **parallel_data, int *team_size)
{
    ompt_data_t *parallel = NULL;
    if (atomic_load(&is_refused))
        return 0;
    const int answer =
        real_parallel_info(ancestor_level, parallel_data != NULL ? &parallel : NULL, team_size);
    if (parallel_data != NULL && answer == AVAILABLE)
        *parallel_data = their_word(parallel);
    return answer;
}

static int get_task_info(int ancestor_level, int *flags, ompt_data_t **task_data, ompt_frame_t **task_frame,
                         ompt_data_t **parallel_data, int *thread_num)
{
    ompt_data_t *task = NULL;
    ompt_data_t *parallel = NULL;
    if (atomic_load(&is_refused))
        return 0;
    const int answer = real_task_info(ancestor_level, flags, task_data != NULL ? &task : NULL, task_frame,
                                      parallel_data != NULL ? &parallel : NULL, thread_num);
    if (task_data != NULL && answer == AVAILABLE)
        *task_data = their_word(task);
    if (parallel_data != NULL && answer == AVAILABLE)
        *parallel_data = their_word(parallel);
    return answer;
}

static int get_target_info(uint64_t *device_num, ompt_id_t *target_id, ompt_id_t *host_op_id)
{
    if (atomic_load(&is_refused))
        return 0;
    const int answer = real_target_info(device_num, target_id, host_op_id);
    if (answer != 0 && target_id != NULL)
        *target_id = omptape_second_id(*target_id, ompt_callback_target_emi);
    if (answer != 0 && host_op_id != NULL)
        *host_op_id = omptape_second_id(*host_op_id, ompt_callback_target_data_op_emi);
    return answer;
}

/* Ends only the other tool. As at the runtime's end it gets the end of its thread before, but only of the
 * calling one: the others go on. */
static void finalize_tool(void)
{
    const ompt_callback_thread_end_t end_thread =
        (ompt_callback_thread_end_t)atomic_load(&omptape_second_callbacks.theirs[ompt_callback_thread_end]);
    ompt_data_t *thread_data = get_thread_data();
    if (end_thread != NULL && thread_data != NULL && atomic_load(&tool) != NULL)
        end_thread(thread_data);
    omptape_second_end();
    for (unsigned event = 0; event < OMPTAPE_SECOND_EVENTS; event++)
        atomic_store(&omptape_second_callbacks.theirs[event], NULL);
}

static ompt_interface_fn_t look_up(const char *name)
{
    static const struct omptape_named_function own[] = {
        {"ompt_set_callback", (ompt_interface_fn_t)set_callback},
        {"ompt_get_callback", (ompt_interface_fn_t)get_callback},
        {"ompt_get_thread_data", (ompt_interface_fn_t)get_thread_data},
        {"ompt_get_parallel_info", (ompt_interface_fn_t)get_parallel_info},
        {"ompt_get_task_info", (ompt_interface_fn_t)get_task_info},
        {"ompt_get_target_info", (ompt_interface_fn_t)get_target_info},
        {"ompt_finalize_tool", (ompt_interface_fn_t)finalize_tool}};
    const ompt_interface_fn_t real = runtime_lookup(name);
    const ompt_interface_fn_t ours = omptape_named_function_find(own, sizeof(own) / sizeof(own[0]), name);
    return real != NULL && ours != NULL ? ours : real;
}

/* Pairs begin and end with these events, so they are always registered. */
static const ompt_callbacks_t needed[] = {ompt_callback_thread_begin,   ompt_callback_thread_end,
                                          ompt_callback_parallel_begin, ompt_callback_parallel_end,
                                          ompt_callback_implicit_task,  ompt_callback_task_create,
                                          ompt_callback_task_schedule};

static void unregister_all(void)
{
    for (unsigned event = 1; event < OMPTAPE_SECOND_EVENTS; event++) {
        if (omptape_second_callbacks.answers[event] != ompt_set_error)
            (void)set_in_runtime((ompt_callbacks_t)event, NULL);
        omptape_second_callbacks.answers[event] = ompt_set_error;
        atomic_store(&omptape_second_callbacks.theirs[event], NULL);
    }
}

bool omptape_second_begin(ompt_start_tool_result_t *result, ompt_function_lookup_t lookup,
                          int initial_device_num)
{
    runtime_lookup = lookup;
    set_in_runtime = (ompt_set_callback_t)lookup("ompt_set_callback");
    real_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
    real_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    real_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    real_target_info = (ompt_get_target_info_t)lookup("ompt_get_target_info");
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        (void)register_call(needed[i]);
    atomic_store(&tool, result);
    if (result->initialize(look_up, initial_device_num, &result->tool_data) != 0)
        return true;
    atomic_store(&tool, NULL);
    atomic_store(&is_refused, true);
    unregister_all();
    return false;
}

void omptape_second_end(void)
{
    ompt_start_tool_result_t *ended = atomic_exchange(&tool, NULL);
    if (ended != NULL && ended->finalize != NULL)
        ended->finalize(&ended->tool_data);
    omptape_second_end_devices();
}
