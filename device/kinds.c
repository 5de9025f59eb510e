/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of record kinds. Asked by the thread that initialises a device; sizes are looked up by the
 * threads that deliver records.
 */
#include "device/kinds.h"

#include "src/core/events.h"

/* Of ompt_record_ompt_t's union (OpenMP 5.2 section 19.4.3.4). */
static const uint8_t member_bytes[] = {
    [ompt_callback_thread_begin] = sizeof(ompt_record_thread_begin_t),
    [ompt_callback_parallel_begin] = sizeof(ompt_record_parallel_begin_t),
    [ompt_callback_parallel_end] = sizeof(ompt_record_parallel_end_t),
    [ompt_callback_task_create] = sizeof(ompt_record_task_create_t),
    [ompt_callback_task_schedule] = sizeof(ompt_record_task_schedule_t),
    [ompt_callback_implicit_task] = sizeof(ompt_record_implicit_task_t),
    [ompt_callback_target] = sizeof(ompt_record_target_t),
    [ompt_callback_target_data_op] = sizeof(ompt_record_target_data_op_t),
    [ompt_callback_target_submit] = sizeof(ompt_record_target_kernel_t),
    [ompt_callback_control_tool] = sizeof(ompt_record_control_tool_t),
    [ompt_callback_sync_region_wait] = sizeof(ompt_record_sync_region_t),
    [ompt_callback_mutex_released] = sizeof(ompt_record_mutex_t),
    [ompt_callback_dependences] = sizeof(ompt_record_dependences_t),
    [ompt_callback_task_dependence] = sizeof(ompt_record_task_dependence_t),
    [ompt_callback_work] = sizeof(ompt_record_work_t),
    [ompt_callback_masked] = sizeof(ompt_record_masked_t),
    [ompt_callback_target_map] = sizeof(ompt_record_target_map_t),
    [ompt_callback_sync_region] = sizeof(ompt_record_sync_region_t),
    [ompt_callback_lock_init] = sizeof(ompt_record_mutex_acquire_t),
    [ompt_callback_lock_destroy] = sizeof(ompt_record_mutex_t),
    [ompt_callback_mutex_acquire] = sizeof(ompt_record_mutex_acquire_t),
    [ompt_callback_mutex_acquired] = sizeof(ompt_record_mutex_t),
    [ompt_callback_nest_lock] = sizeof(ompt_record_nest_lock_t),
    [ompt_callback_flush] = sizeof(ompt_record_flush_t),
    [ompt_callback_cancel] = sizeof(ompt_record_cancel_t),
    [ompt_callback_reduction] = sizeof(ompt_record_sync_region_t),
    [ompt_callback_dispatch] = sizeof(ompt_record_dispatch_t),
    [ompt_callback_target_emi] = sizeof(ompt_record_target_t),
    [ompt_callback_target_data_op_emi] = sizeof(ompt_record_target_data_op_t),
    [ompt_callback_target_submit_emi] = sizeof(ompt_record_target_kernel_t),
    [ompt_callback_target_map_emi] = sizeof(ompt_record_target_map_t),
    [ompt_callback_error] = sizeof(ompt_record_error_t),
};
enum { KINDS = sizeof(member_bytes) / sizeof(member_bytes[0]) };

/* The kinds of target operations, by the code that the EMI callbacks use and by the older one. */
static const struct {
    uint8_t emi;
    uint8_t plain;
    uint8_t native; /* ompt_native_mon_flag_t: the same operations in the device's own terms */
} target_kinds[] = {
    {ompt_callback_target_emi, ompt_callback_target, 0},
    {ompt_callback_target_data_op_emi, ompt_callback_target_data_op,
     ompt_native_data_motion_explicit | ompt_native_data_motion_implicit},
    {ompt_callback_target_submit_emi, ompt_callback_target_submit,
     ompt_native_kernel_invocation | ompt_native_kernel_execution},
    {ompt_callback_target_map_emi, ompt_callback_target_map, 0},
};
enum { TARGET_KINDS = sizeof(target_kinds) / sizeof(target_kinds[0]) };

int omptape_kinds_member_bytes(unsigned type)
{
    if (type < KINDS && member_bytes[type] != 0)
        return member_bytes[type];
    /* A kind of its own, but nothing is said beside the time. */
    return type == ompt_callback_thread_end ? 0 : -1;
}

static uint64_t events_of(size_t i)
{
    return OMPTAPE_EVENT(target_kinds[i].emi) | OMPTAPE_EVENT(target_kinds[i].plain);
}

bool omptape_kinds_are_wanted(uint64_t events)
{
    uint64_t wanted = 0;
    for (size_t i = 0; i < TARGET_KINDS; i++)
        wanted |= events & events_of(i);
    return wanted != 0;
}

static bool ask_for_kind(const struct omptape_interface *calls, ompt_device_t *device, unsigned kind,
                         struct omptape_lines *lines)
{
    ompt_set_result_t result = calls->set_trace_ompt(device, 1, kind);
    omptape_lines_add(lines, "set_trace_ompt.%s=%s", omptape_event_name(kind),
                      omptape_set_result_name((unsigned)result));
    return result >= ompt_set_sometimes;
}

static void ask_for_native(const struct omptape_interface *calls, ompt_device_t *device, uint64_t events,
                           struct omptape_lines *lines)
{
    unsigned flags = 0;
    for (size_t i = 0; i < TARGET_KINDS; i++)
        flags |= (events & events_of(i)) != 0 ? target_kinds[i].native : 0U;
    if (flags == 0 || calls->set_trace_native == NULL)
        return;
    ompt_set_result_t result = calls->set_trace_native(device, 1, (int)flags);
    omptape_lines_add(lines, "set_trace_native.0x%02x=%s", flags, omptape_set_result_name((unsigned)result));
}

void omptape_kinds_ask(const struct omptape_interface *calls, ompt_device_t *device, uint64_t events,
                       struct omptape_lines *lines)
{
    uint64_t rest = events;
    for (size_t i = 0; i < TARGET_KINDS; i++) {
        rest &= ~events_of(i);
        if ((events & events_of(i)) == 0 || calls->set_trace_ompt == NULL)
            continue;
        if (!ask_for_kind(calls, device, target_kinds[i].emi, lines))
            (void)ask_for_kind(calls, device, target_kinds[i].plain, lines);
    }
    ask_for_native(calls, device, events, lines);
    for (unsigned kind = 1; calls->set_trace_ompt != NULL && kind < KINDS; kind++)
        if (member_bytes[kind] != 0 && (rest & OMPTAPE_EVENT(kind)) != 0)
            (void)ask_for_kind(calls, device, kind, lines);
}
