/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of all host callbacks by their OMPT number. src/tool/start.c uses it while the runtime
 * initialises the tool.
 */
#include "callbacks/callbacks.h"

#include <stddef.h>

static const ompt_callback_t table[] = {
    [ompt_callback_thread_begin] = (ompt_callback_t)omptape_on_thread_begin,
    [ompt_callback_thread_end] = (ompt_callback_t)omptape_on_thread_end,
    [ompt_callback_parallel_begin] = (ompt_callback_t)omptape_on_parallel_begin,
    [ompt_callback_parallel_end] = (ompt_callback_t)omptape_on_parallel_end,
    [ompt_callback_task_create] = (ompt_callback_t)omptape_on_task_create,
    [ompt_callback_task_schedule] = (ompt_callback_t)omptape_on_task_schedule,
    [ompt_callback_implicit_task] = (ompt_callback_t)omptape_on_implicit_task,
    [ompt_callback_target] = (ompt_callback_t)omptape_on_target,
    [ompt_callback_target_data_op] = (ompt_callback_t)omptape_on_target_data_op,
    [ompt_callback_target_submit] = (ompt_callback_t)omptape_on_target_submit,
    [ompt_callback_control_tool] = (ompt_callback_t)omptape_on_control_tool,
    [ompt_callback_sync_region_wait] = (ompt_callback_t)omptape_on_sync_region_wait,
    [ompt_callback_mutex_released] = (ompt_callback_t)omptape_on_mutex_released,
    [ompt_callback_dependences] = (ompt_callback_t)omptape_on_dependences,
    [ompt_callback_task_dependence] = (ompt_callback_t)omptape_on_task_dependence,
    [ompt_callback_work] = (ompt_callback_t)omptape_on_work,
    [ompt_callback_masked] = (ompt_callback_t)omptape_on_masked,
    [ompt_callback_target_map] = (ompt_callback_t)omptape_on_target_map,
    [ompt_callback_sync_region] = (ompt_callback_t)omptape_on_sync_region,
    [ompt_callback_lock_init] = (ompt_callback_t)omptape_on_lock_init,
    [ompt_callback_lock_destroy] = (ompt_callback_t)omptape_on_lock_destroy,
    [ompt_callback_mutex_acquire] = (ompt_callback_t)omptape_on_mutex_acquire,
    [ompt_callback_mutex_acquired] = (ompt_callback_t)omptape_on_mutex_acquired,
    [ompt_callback_nest_lock] = (ompt_callback_t)omptape_on_nest_lock,
    [ompt_callback_flush] = (ompt_callback_t)omptape_on_flush,
    [ompt_callback_cancel] = (ompt_callback_t)omptape_on_cancel,
    [ompt_callback_reduction] = (ompt_callback_t)omptape_on_reduction,
    [ompt_callback_dispatch] = (ompt_callback_t)omptape_on_dispatch,
    [ompt_callback_target_emi] = (ompt_callback_t)omptape_on_target_emi,
    [ompt_callback_target_data_op_emi] = (ompt_callback_t)omptape_on_target_data_op_emi,
    [ompt_callback_target_submit_emi] = (ompt_callback_t)omptape_on_target_submit_emi,
    [ompt_callback_target_map_emi] = (ompt_callback_t)omptape_on_target_map_emi,
    [ompt_callback_error] = (ompt_callback_t)omptape_on_error,
};

ompt_callback_t omptape_callback(unsigned number)
{
    return number < sizeof(table) / sizeof(table[0]) ? table[number] : NULL;
}
