/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements events.h. Called by the command, and once by the library, on the thread that starts the runtime.
 * Allocates nothing.
 */
#include "src/core/events.h"

#include "src/core/words.h"

#include <errno.h>
#include <omptape/ompt.h>
#include <stdio.h>
#include <string.h>

#define EVENT(name) OMPTAPE_EVENT(ompt_callback_##name)

static const char *const event_names[] = {
    [ompt_callback_thread_begin] = "thread_begin",
    [ompt_callback_thread_end] = "thread_end",
    [ompt_callback_parallel_begin] = "parallel_begin",
    [ompt_callback_parallel_end] = "parallel_end",
    [ompt_callback_task_create] = "task_create",
    [ompt_callback_task_schedule] = "task_schedule",
    [ompt_callback_implicit_task] = "implicit_task",
    [ompt_callback_target] = "target",
    [ompt_callback_target_data_op] = "target_data_op",
    [ompt_callback_target_submit] = "target_submit",
    [ompt_callback_control_tool] = "control_tool",
    [ompt_callback_device_initialize] = "device_initialize",
    [ompt_callback_device_finalize] = "device_finalize",
    [ompt_callback_device_load] = "device_load",
    [ompt_callback_device_unload] = "device_unload",
    [ompt_callback_sync_region_wait] = "sync_region_wait",
    [ompt_callback_mutex_released] = "mutex_released",
    [ompt_callback_dependences] = "dependences",
    [ompt_callback_task_dependence] = "task_dependence",
    [ompt_callback_work] = "work",
    [ompt_callback_masked] = "masked",
    [ompt_callback_target_map] = "target_map",
    [ompt_callback_sync_region] = "sync_region",
    [ompt_callback_lock_init] = "lock_init",
    [ompt_callback_lock_destroy] = "lock_destroy",
    [ompt_callback_mutex_acquire] = "mutex_acquire",
    [ompt_callback_mutex_acquired] = "mutex_acquired",
    [ompt_callback_nest_lock] = "nest_lock",
    [ompt_callback_flush] = "flush",
    [ompt_callback_cancel] = "cancel",
    [ompt_callback_reduction] = "reduction",
    [ompt_callback_dispatch] = "dispatch",
    [ompt_callback_target_emi] = "target_emi",
    [ompt_callback_target_data_op_emi] = "target_data_op_emi",
    [ompt_callback_target_submit_emi] = "target_submit_emi",
    [ompt_callback_target_map_emi] = "target_map_emi",
    [ompt_callback_error] = "error",
};
enum { EVENT_NAMES = sizeof(event_names) / sizeof(event_names[0]) };

/* Callback numbers start at 1 without gaps (checked by tests/unit/core/test_events.c). */
#define EVENTS_ALL (((UINT64_C(1) << EVENT_NAMES) - 2) | OMPTAPE_EVENTS_MPI_USUAL)

const uint64_t omptape_events_all = EVENTS_ALL;

const uint64_t omptape_events_always = EVENT(thread_begin) | EVENT(thread_end) | EVENT(parallel_begin) |
                                       EVENT(parallel_end) | EVENT(implicit_task) | EVENT(control_tool) |
                                       EVENT(device_initialize) | EVENT(device_finalize);

const struct omptape_event_group omptape_event_groups[] = {
    {"all", EVENTS_ALL, "everything (the default)"},
    {"none", 0, "only what is always recorded"},
    {"thread", EVENT(thread_begin) | EVENT(thread_end), "threads of the runtime (always recorded)"},
    {"parallel", EVENT(parallel_begin) | EVENT(parallel_end) | EVENT(implicit_task),
     "parallel regions and teams (always recorded)"},
    {"control", EVENT(control_tool), "omp_control_tool (always recorded)"},
    {"task", EVENT(task_create) | EVENT(task_schedule), "explicit tasks: creation, switches, completion"},
    {"dependence", EVENT(dependences) | EVENT(task_dependence), "dependences between tasks"},
    {"work", EVENT(work), "loops, sections, single, distribute, taskloop, scope, workshare"},
    {"dispatch", EVENT(dispatch), "chunks of loops, each section"},
    {"masked", EVENT(masked), "masked and master"},
    {"sync", EVENT(sync_region), "barriers, taskwait, taskgroup"},
    {"wait", EVENT(sync_region_wait), "the waiting inside barriers, taskwait, taskgroup"},
    {"reduction", EVENT(reduction), "reductions"},
    {"mutex", EVENT(mutex_acquire) | EVENT(mutex_acquired) | EVENT(mutex_released) | EVENT(nest_lock),
     "waiting for and holding locks, critical, ordered, atomic"},
    {"lock", EVENT(lock_init) | EVENT(lock_destroy), "locks made and destroyed"},
    {"flush", EVENT(flush), "flush"},
    {"cancel", EVENT(cancel), "cancellation"},
    {"error", EVENT(error) | OMPTAPE_EVENTS_ERROR_NAMED,
     "the error directive and runtime errors (LLVM: only by +error)"},
    {"target",
     EVENT(target) | EVENT(target_emi) | EVENT(target_data_op) | EVENT(target_data_op_emi) |
         EVENT(target_submit) | EVENT(target_submit_emi) | EVENT(target_map) | EVENT(target_map_emi),
     "target constructs, data transfers, kernel launches, mappings"},
    {"device", EVENT(device_initialize) | EVENT(device_finalize) | EVENT(device_load) | EVENT(device_unload),
     "devices and the code loaded on them"},
    {"mpi-p2p", OMPTAPE_EVENTS_MPI_P2P, "MPI's messages (MPI_Init, _Finalize, communicators: always)"},
    {"mpi-coll", OMPTAPE_EVENTS_MPI_COLL, "MPI's collective operations"},
    {"mpi-rma", OMPTAPE_EVENTS_MPI_RMA, "MPI's one-sided communication"},
    {"mpi-io", OMPTAPE_EVENTS_MPI_IO, "MPI's input and output"},
    {"mpi-all", OMPTAPE_EVENTS_MPI, "all of MPI: types, attributes, each vain test, too (by +mpi-all)"},
};
const size_t omptape_event_group_count = sizeof(omptape_event_groups) / sizeof(omptape_event_groups[0]);

static const struct omptape_event_group *find_group(const char *word, size_t length)
{
    for (size_t i = 0; i < omptape_event_group_count; i++) {
        const struct omptape_event_group *group = &omptape_event_groups[i];
        if (strlen(group->name) == length && memcmp(group->name, word, length) == 0)
            return group;
    }
    return NULL;
}

static void explain_unknown(const char *word, size_t length, char *error, size_t error_bytes)
{
    struct omptape_nearest nearest = omptape_nearest_start(word, length);
    for (size_t i = 0; i < omptape_event_group_count; i++)
        omptape_nearest_try(&nearest, omptape_event_groups[i].name);
    (void)snprintf(error, error_bytes, "no event group is named \"%.*s\"%s (--events=help lists them)",
                   length < 80 ? (int)length : 80, word, omptape_nearest_hint(&nearest, "").text);
}

int omptape_events_parse(const char *list, uint64_t *events, char *error, size_t error_bytes)
{
    uint64_t result = *list == '-' || *list == '+' ? omptape_events_all : 0;
    for (const char *word = list;; word++) {
        char sign = '+';
        if (*word == '-' || *word == '+')
            sign = *word++;
        size_t length = strcspn(word, ",");
        const struct omptape_event_group *group = find_group(word, length);
        if (group == NULL) {
            explain_unknown(word, length, error, error_bytes);
            return -EINVAL;
        }
        result = sign == '-' ? result & ~group->events : result | group->events;
        word += length;
        if (*word == '\0')
            break;
    }
    *events = result | omptape_events_always;
    return 0;
}

const char *omptape_event_name(unsigned number)
{
    return number < EVENT_NAMES ? event_names[number] : NULL;
}

unsigned omptape_event_other_form(unsigned number)
{
    static const uint8_t forms[][2] = {{ompt_callback_target_emi, ompt_callback_target},
                                       {ompt_callback_target_data_op_emi, ompt_callback_target_data_op},
                                       {ompt_callback_target_submit_emi, ompt_callback_target_submit},
                                       {ompt_callback_target_map_emi, ompt_callback_target_map}};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (forms[i][0] == number || forms[i][1] == number)
            return forms[i][forms[i][0] == number];
    return 0;
}

const char *omptape_set_result_name(unsigned result)
{
    switch ((ompt_set_result_t)result) {
    case ompt_set_error:
        return "error";
    case ompt_set_never:
        return "never";
    case ompt_set_impossible:
        return "impossible";
    case ompt_set_sometimes:
        return "sometimes";
    case ompt_set_sometimes_paired:
        return "sometimes_paired";
    case ompt_set_always:
        return "always";
    }
    return "unknown";
}
