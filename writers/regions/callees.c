/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Entry points of LLVM's runtime (__kmpc_*) and of its libgomp interface (GOMP_*) by construct. Called by the
 * writer's translating thread when it writes the definitions.
 */
#include "writers/regions/callees.h"

#include <stddef.h>

static const char *const nothing[] = {NULL};
static const char *const parallel[] = {"__kmpc_fork_call*", "GOMP_parallel*", NULL};
static const char *const teams[] = {"__kmpc_fork_teams", "GOMP_teams*", NULL};
static const char *const task[] = {"__kmpc_omp_task",
                                   "__kmpc_omp_task_with_deps",
                                   "__kmpc_omp_task_parts",
                                   "__kmpc_omp_task_begin_if0",
                                   "__kmpc_omp_target_task*",
                                   "__kmpc_taskloop*",
                                   "GOMP_task",
                                   "GOMP_taskloop*",
                                   NULL};
static const char *const loop[] = {"__kmpc_for_static_init*", "__kmpc_dispatch_init*",
                                   "__kmpc_doacross_init",    "GOMP_loop*",
                                   "GOMP_parallel_loop*",     NULL};
static const char *const sections[] = {"__kmpc_for_static_init*", "__kmpc_dispatch_init*", "GOMP_sections*",
                                       "GOMP_parallel_sections*", NULL};
static const char *const single[] = {"__kmpc_single", "GOMP_single*", NULL};
static const char *const distribute[] = {"__kmpc_for_static_init*", "__kmpc_dist*", NULL};
static const char *const masked[] = {"__kmpc_master", "__kmpc_masked", NULL};
static const char *const barrier[] = {
    "__kmpc_barrier*",    "__kmpc_cancel_barrier", "GOMP_barrier*",  "GOMP_loop_end*",
    "GOMP_sections_end*", "__kmpc_copyprivate",    "__kmpc_reduce*", NULL};
static const char *const region_barrier[] = {
    "__kmpc_barrier*",    "__kmpc_cancel_barrier", "GOMP_barrier*",  "GOMP_loop_end*",
    "GOMP_sections_end*", "__kmpc_fork_call*",     "GOMP_parallel*", NULL};
static const char *const taskwait[] = {"__kmpc_omp_taskwait*", "__kmpc_omp_wait_deps", "GOMP_taskwait*",
                                       NULL};
static const char *const taskgroup[] = {"__kmpc_taskgroup", "__kmpc_end_taskgroup", "__kmpc_taskloop*",
                                        "GOMP_taskgroup*",  "GOMP_taskloop*",       NULL};
static const char *const reduction[] = {"__kmpc_reduce*", "__kmpc_end_reduce*", NULL};
static const char *const critical[] = {"__kmpc_critical*", "__kmpc_reduce*", "GOMP_critical_start",
                                       "GOMP_critical_name_start", NULL};
static const char *const atomic[] = {"__kmpc_atomic*", "GOMP_atomic_start", NULL};
static const char *const ordered[] = {"__kmpc_ordered", "GOMP_ordered_start", NULL};
static const char *const set_lock[] = {"omp_set_lock*", NULL};
static const char *const test_lock[] = {"omp_test_lock*", NULL};
static const char *const unset_lock[] = {"omp_unset_lock*", NULL};
static const char *const init_lock[] = {"omp_init_lock*", NULL};
static const char *const destroy_lock[] = {"omp_destroy_lock*", NULL};
static const char *const set_nest_lock[] = {"omp_set_nest_lock*", NULL};
static const char *const test_nest_lock[] = {"omp_test_nest_lock*", NULL};
static const char *const unset_nest_lock[] = {"omp_unset_nest_lock*", NULL};
static const char *const init_nest_lock[] = {"omp_init_nest_lock*", NULL};
static const char *const destroy_nest_lock[] = {"omp_destroy_nest_lock*", NULL};
static const char *const flush[] = {"__kmpc_flush", NULL};
static const char *const cancel[] = {"__kmpc_cancel*", "GOMP_cancel*", NULL};
static const char *const error[] = {"__kmpc_error", "GOMP_error", "GOMP_warning", NULL};
static const char *const control_tool[] = {"omp_control_tool*", NULL};
static const char *const target[] = {"__tgt_target*", "omp_target_*", NULL};

const char *const *omptape_callees(enum omptape_region_kind kind)
{
    static const char *const *const table[OMPTAPE_REGION_KIND_COUNT] = {
        [OMPTAPE_REGION_PARALLEL] = parallel,
        [OMPTAPE_REGION_TEAMS] = teams,
        [OMPTAPE_REGION_TASK] = task,
        [OMPTAPE_REGION_TASK_UNTIED] = task,
        [OMPTAPE_REGION_TARGET_TASK] = task,
        [OMPTAPE_REGION_TASK_CREATE] = task,
        [OMPTAPE_REGION_TASKLOOP] = task,
        [OMPTAPE_REGION_TASKLOOP_CHUNK] = task,
        [OMPTAPE_REGION_LOOP] = loop,
        [OMPTAPE_REGION_LOOP_CHUNK] = loop,
        [OMPTAPE_REGION_SECTIONS] = sections,
        [OMPTAPE_REGION_SECTION] = sections,
        [OMPTAPE_REGION_SINGLE] = single,
        [OMPTAPE_REGION_SINGLE_SBLOCK] = single,
        [OMPTAPE_REGION_DISTRIBUTE] = distribute,
        [OMPTAPE_REGION_DISTRIBUTE_CHUNK] = distribute,
        [OMPTAPE_REGION_MASKED] = masked,
        [OMPTAPE_REGION_BARRIER] = barrier,
        [OMPTAPE_REGION_BARRIER_WAIT] = barrier,
        [OMPTAPE_REGION_IMPLICIT_BARRIER] = region_barrier,
        [OMPTAPE_REGION_IMPLICIT_BARRIER_WAIT] = region_barrier,
        [OMPTAPE_REGION_IMPLEMENTATION_BARRIER] = barrier,
        [OMPTAPE_REGION_IMPLEMENTATION_BARRIER_WAIT] = barrier,
        [OMPTAPE_REGION_TASKWAIT] = taskwait,
        [OMPTAPE_REGION_TASKWAIT_WAIT] = taskwait,
        [OMPTAPE_REGION_TASKGROUP] = taskgroup,
        [OMPTAPE_REGION_TASKGROUP_WAIT] = taskgroup,
        [OMPTAPE_REGION_REDUCTION] = reduction,
        [OMPTAPE_REGION_REDUCTION_WAIT] = reduction,
        [OMPTAPE_REGION_CRITICAL] = critical,
        [OMPTAPE_REGION_CRITICAL_SBLOCK] = critical,
        [OMPTAPE_REGION_ATOMIC] = atomic,
        [OMPTAPE_REGION_ATOMIC_SBLOCK] = atomic,
        [OMPTAPE_REGION_ORDERED] = ordered,
        [OMPTAPE_REGION_ORDERED_SBLOCK] = ordered,
        [OMPTAPE_REGION_SET_LOCK] = set_lock,
        [OMPTAPE_REGION_TEST_LOCK] = test_lock,
        [OMPTAPE_REGION_UNSET_LOCK] = unset_lock,
        [OMPTAPE_REGION_INIT_LOCK] = init_lock,
        [OMPTAPE_REGION_DESTROY_LOCK] = destroy_lock,
        [OMPTAPE_REGION_SET_NEST_LOCK] = set_nest_lock,
        [OMPTAPE_REGION_TEST_NEST_LOCK] = test_nest_lock,
        [OMPTAPE_REGION_UNSET_NEST_LOCK] = unset_nest_lock,
        [OMPTAPE_REGION_INIT_NEST_LOCK] = init_nest_lock,
        [OMPTAPE_REGION_DESTROY_NEST_LOCK] = destroy_nest_lock,
        [OMPTAPE_REGION_FLUSH] = flush,
        [OMPTAPE_REGION_CANCEL_PARALLEL] = cancel,
        [OMPTAPE_REGION_CANCEL_SECTIONS] = cancel,
        [OMPTAPE_REGION_CANCEL_LOOP] = cancel,
        [OMPTAPE_REGION_CANCEL_TASKGROUP] = cancel,
        [OMPTAPE_REGION_CANCEL] = cancel,
        [OMPTAPE_REGION_ERROR] = error,
        [OMPTAPE_REGION_CONTROL_TOOL] = control_tool,
        [OMPTAPE_REGION_TARGET] = target,
        [OMPTAPE_REGION_TARGET_ENTER_DATA] = target,
        [OMPTAPE_REGION_TARGET_EXIT_DATA] = target,
        [OMPTAPE_REGION_TARGET_UPDATE] = target,
        [OMPTAPE_REGION_TARGET_SUBMIT] = target,
        [OMPTAPE_REGION_TARGET_ALLOC] = target,
        [OMPTAPE_REGION_TARGET_TO_DEVICE] = target,
        [OMPTAPE_REGION_TARGET_FROM_DEVICE] = target,
        [OMPTAPE_REGION_TARGET_DELETE] = target,
        [OMPTAPE_REGION_TARGET_ASSOCIATE] = target,
        [OMPTAPE_REGION_TARGET_DISASSOCIATE] = target,
        [OMPTAPE_REGION_TARGET_MAP] = target,
    };
    return table[kind] != NULL ? table[kind] : nothing;
}
