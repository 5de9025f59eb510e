/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of the region kinds: OTF2 role, and the runtime's entry points for the symbol resolver
 * (docs/mapping.md).
 */
#include "writers/regions/kinds.h"

#include <omptape/ompt.h>
#include <stddef.h>

/* Entry points of LLVM's runtime (__kmpc_*) and of its libgomp interface (GOMP_*) by construct. */
/* In teams each initial task has a parallel region at the site of its league. */
static const char *const parallel[] = {"__kmpc_fork_call*", "__kmpc_fork_teams*", "GOMP_parallel*", NULL};
static const char *const task[] = {"__kmpc_omp_task",
                                   "__kmpc_omp_task_with_deps",
                                   "__kmpc_omp_task_parts",
                                   "__kmpc_omp_task_begin_if0",
                                   "__kmpc_omp_target_task*",
                                   "__kmpc_taskloop*",
                                   "GOMP_task",
                                   "GOMP_taskloop*",
                                   NULL};
/* LLVM's runtime treats gcc's sections as loops. */
static const char *const loop[] = {
    "__kmpc_for_static_init*", "__kmpc_dispatch_init*", "__kmpc_doacross_init",    "GOMP_loop*",
    "GOMP_parallel_loop*",     "GOMP_sections*",        "GOMP_parallel_sections*", NULL};
/* Entry points for which the runtime reports no address. */
static const char *const hidden_loop[] = {"GOMP_sections_start",
                                          "GOMP_sections2_start",
                                          "GOMP_parallel_sections*",
                                          "GOMP_parallel_loop*",
                                          "GOMP_loop_ull_dynamic_start",
                                          "GOMP_loop_ull_guided_start",
                                          "GOMP_loop_ull_runtime_start",
                                          "GOMP_loop_ull_nonmonotonic_dynamic_start",
                                          "GOMP_loop_ull_nonmonotonic_guided_start",
                                          "GOMP_loop_ull_maybe_nonmonotonic_runtime_start",
                                          NULL};
static const char *const barrier[] = {
    "__kmpc_barrier*",    "__kmpc_cancel_barrier", "GOMP_barrier*",  "GOMP_loop_end*",
    "GOMP_sections_end*", "__kmpc_copyprivate",    "__kmpc_reduce*", NULL};
static const char *const cancel[] = {"__kmpc_cancel*", "GOMP_cancel*", NULL};
static const char *const target[] = {"__tgt_target*", "omp_target_*", NULL};

#define CALLS(...) ((const char *const[]){__VA_ARGS__, NULL})
static const struct {
    OTF2_RegionRole role;
    const char *const *callees; /* NULL: none are known, or the kind uses those of its enclosing construct. */
} kinds[OMPTAPE_REGION_KIND_COUNT] = {
    [OMPTAPE_REGION_PARALLEL] = {OTF2_REGION_ROLE_PARALLEL, parallel},
    [OMPTAPE_REGION_TEAMS] = {OTF2_REGION_ROLE_PARALLEL, CALLS("__kmpc_fork_teams", "GOMP_teams*")},
    [OMPTAPE_REGION_TASK] = {OTF2_REGION_ROLE_TASK, task},
    [OMPTAPE_REGION_TASK_UNTIED] = {OTF2_REGION_ROLE_TASK_UNTIED, NULL},
    [OMPTAPE_REGION_TASK_CREATE] = {OTF2_REGION_ROLE_TASK_CREATE, NULL},
    [OMPTAPE_REGION_TARGET_TASK] = {OTF2_REGION_ROLE_TASK, task},
    [OMPTAPE_REGION_TASKLOOP] = {OTF2_REGION_ROLE_LOOP, CALLS("__kmpc_taskloop*", "GOMP_taskloop*")},
    [OMPTAPE_REGION_TASKLOOP_CHUNK] = {OTF2_REGION_ROLE_LOOP, NULL},
    [OMPTAPE_REGION_LOOP] = {OTF2_REGION_ROLE_LOOP, loop},
    [OMPTAPE_REGION_LOOP_CHUNK] = {OTF2_REGION_ROLE_LOOP, NULL},
    [OMPTAPE_REGION_DISTRIBUTE] = {OTF2_REGION_ROLE_LOOP,
                                   CALLS("__kmpc_for_static_init*", "__kmpc_dist*", "GOMP_distribute*")},
    [OMPTAPE_REGION_DISTRIBUTE_CHUNK] = {OTF2_REGION_ROLE_LOOP, NULL},
    [OMPTAPE_REGION_SECTIONS] = {OTF2_REGION_ROLE_SECTIONS,
                                 CALLS("__kmpc_for_static_init*", "__kmpc_dispatch_init*", "GOMP_sections*",
                                       "GOMP_parallel_sections*")},
    [OMPTAPE_REGION_SECTION] = {OTF2_REGION_ROLE_SECTION, NULL},
    [OMPTAPE_REGION_SINGLE] = {OTF2_REGION_ROLE_SINGLE, CALLS("__kmpc_single", "GOMP_single*")},
    [OMPTAPE_REGION_SINGLE_SBLOCK] = {OTF2_REGION_ROLE_SINGLE_SBLOCK, NULL},
    [OMPTAPE_REGION_WORKSHARE] = {OTF2_REGION_ROLE_WORKSHARE, NULL},
    [OMPTAPE_REGION_SCOPE] = {OTF2_REGION_ROLE_CODE, NULL},
    [OMPTAPE_REGION_MASKED] = {OTF2_REGION_ROLE_MASTER,
                               CALLS("__kmpc_master", "__kmpc_masked", "GOMP_has_masked_thread_num*")},
    [OMPTAPE_REGION_BARRIER] = {OTF2_REGION_ROLE_BARRIER, barrier},
    [OMPTAPE_REGION_BARRIER_WAIT] = {OTF2_REGION_ROLE_THREAD_WAIT, NULL},
    [OMPTAPE_REGION_IMPLICIT_BARRIER] = {OTF2_REGION_ROLE_IMPLICIT_BARRIER,
                                         CALLS("__kmpc_barrier*", "__kmpc_cancel_barrier", "GOMP_barrier*",
                                               "GOMP_loop_end*", "GOMP_sections_end*", "__kmpc_fork_call*",
                                               "GOMP_parallel*")},
    [OMPTAPE_REGION_IMPLICIT_BARRIER_WAIT] = {OTF2_REGION_ROLE_THREAD_WAIT, NULL},
    [OMPTAPE_REGION_IMPLEMENTATION_BARRIER] = {OTF2_REGION_ROLE_IMPLICIT_BARRIER, barrier},
    [OMPTAPE_REGION_IMPLEMENTATION_BARRIER_WAIT] = {OTF2_REGION_ROLE_THREAD_WAIT, NULL},
    [OMPTAPE_REGION_TASKWAIT] = {OTF2_REGION_ROLE_TASK_WAIT,
                                 CALLS("__kmpc_omp_taskwait*", "__kmpc_omp_wait_deps", "GOMP_taskwait*")},
    [OMPTAPE_REGION_TASKWAIT_WAIT] = {OTF2_REGION_ROLE_THREAD_WAIT, NULL},
    [OMPTAPE_REGION_TASKGROUP] = {OTF2_REGION_ROLE_CODE,
                                  CALLS("__kmpc_taskgroup", "__kmpc_end_taskgroup", "__kmpc_taskloop*",
                                        "GOMP_taskgroup*", "GOMP_taskloop*")},
    [OMPTAPE_REGION_TASKGROUP_WAIT] = {OTF2_REGION_ROLE_THREAD_WAIT, NULL},
    [OMPTAPE_REGION_REDUCTION] = {OTF2_REGION_ROLE_CODE, CALLS("__kmpc_reduce*", "__kmpc_end_reduce*")},
    [OMPTAPE_REGION_REDUCTION_WAIT] = {OTF2_REGION_ROLE_THREAD_WAIT, NULL},
    [OMPTAPE_REGION_CRITICAL] = {OTF2_REGION_ROLE_CRITICAL,
                                 CALLS("__kmpc_critical*", "__kmpc_reduce*", "GOMP_critical_start",
                                       "GOMP_critical_name_start")},
    [OMPTAPE_REGION_CRITICAL_SBLOCK] = {OTF2_REGION_ROLE_CRITICAL_SBLOCK, NULL},
    [OMPTAPE_REGION_ATOMIC] = {OTF2_REGION_ROLE_ATOMIC, CALLS("__kmpc_atomic*", "GOMP_atomic_start")},
    [OMPTAPE_REGION_ATOMIC_SBLOCK] = {OTF2_REGION_ROLE_ATOMIC, NULL},
    [OMPTAPE_REGION_ORDERED] = {OTF2_REGION_ROLE_ORDERED, CALLS("__kmpc_ordered", "GOMP_ordered_start")},
    [OMPTAPE_REGION_ORDERED_SBLOCK] = {OTF2_REGION_ROLE_ORDERED_SBLOCK, NULL},
    [OMPTAPE_REGION_INIT_LOCK] = {OTF2_REGION_ROLE_WRAPPER, CALLS("omp_init_lock*")},
    [OMPTAPE_REGION_DESTROY_LOCK] = {OTF2_REGION_ROLE_WRAPPER, CALLS("omp_destroy_lock*")},
    [OMPTAPE_REGION_SET_LOCK] = {OTF2_REGION_ROLE_WRAPPER, CALLS("omp_set_lock*")},
    [OMPTAPE_REGION_TEST_LOCK] = {OTF2_REGION_ROLE_WRAPPER, CALLS("omp_test_lock*")},
    [OMPTAPE_REGION_UNSET_LOCK] = {OTF2_REGION_ROLE_WRAPPER, CALLS("omp_unset_lock*")},
    [OMPTAPE_REGION_INIT_NEST_LOCK] = {OTF2_REGION_ROLE_WRAPPER, CALLS("omp_init_nest_lock*")},
    [OMPTAPE_REGION_DESTROY_NEST_LOCK] = {OTF2_REGION_ROLE_WRAPPER, CALLS("omp_destroy_nest_lock*")},
    [OMPTAPE_REGION_SET_NEST_LOCK] = {OTF2_REGION_ROLE_WRAPPER, CALLS("omp_set_nest_lock*")},
    [OMPTAPE_REGION_TEST_NEST_LOCK] = {OTF2_REGION_ROLE_WRAPPER, CALLS("omp_test_nest_lock*")},
    [OMPTAPE_REGION_UNSET_NEST_LOCK] = {OTF2_REGION_ROLE_WRAPPER, CALLS("omp_unset_nest_lock*")},
    [OMPTAPE_REGION_FLUSH] = {OTF2_REGION_ROLE_FLUSH, CALLS("__kmpc_flush")},
    [OMPTAPE_REGION_CANCEL] = {OTF2_REGION_ROLE_CODE, cancel},
    [OMPTAPE_REGION_CANCEL_PARALLEL] = {OTF2_REGION_ROLE_CODE, cancel},
    [OMPTAPE_REGION_CANCEL_SECTIONS] = {OTF2_REGION_ROLE_CODE, cancel},
    [OMPTAPE_REGION_CANCEL_LOOP] = {OTF2_REGION_ROLE_CODE, cancel},
    [OMPTAPE_REGION_CANCEL_TASKGROUP] = {OTF2_REGION_ROLE_CODE, cancel},
    [OMPTAPE_REGION_ERROR] = {OTF2_REGION_ROLE_CODE, CALLS("__kmpc_error", "GOMP_error", "GOMP_warning")},
    [OMPTAPE_REGION_FULFILL_EVENT] = {OTF2_REGION_ROLE_WRAPPER, NULL},
    [OMPTAPE_REGION_CONTROL_TOOL] = {OTF2_REGION_ROLE_WRAPPER, CALLS("omp_control_tool*")},
    [OMPTAPE_REGION_TARGET] = {OTF2_REGION_ROLE_CODE, target},
    [OMPTAPE_REGION_TARGET_ENTER_DATA] = {OTF2_REGION_ROLE_CODE, target},
    [OMPTAPE_REGION_TARGET_EXIT_DATA] = {OTF2_REGION_ROLE_CODE, target},
    [OMPTAPE_REGION_TARGET_UPDATE] = {OTF2_REGION_ROLE_CODE, target},
    [OMPTAPE_REGION_TARGET_SUBMIT] = {OTF2_REGION_ROLE_WRAPPER, target},
    [OMPTAPE_REGION_TARGET_ALLOC] = {OTF2_REGION_ROLE_ALLOCATE, target},
    [OMPTAPE_REGION_TARGET_TO_DEVICE] = {OTF2_REGION_ROLE_DATA_TRANSFER, target},
    [OMPTAPE_REGION_TARGET_FROM_DEVICE] = {OTF2_REGION_ROLE_DATA_TRANSFER, target},
    [OMPTAPE_REGION_TARGET_DELETE] = {OTF2_REGION_ROLE_DEALLOCATE, target},
    [OMPTAPE_REGION_TARGET_ASSOCIATE] = {OTF2_REGION_ROLE_DATA_TRANSFER, target},
    [OMPTAPE_REGION_TARGET_DISASSOCIATE] = {OTF2_REGION_ROLE_DATA_TRANSFER, target},
    [OMPTAPE_REGION_TARGET_MAP] = {OTF2_REGION_ROLE_DATA_TRANSFER, target},
#ifdef OMPTAPE_OTF2_HAS_TARGET
    [OMPTAPE_REGION_KERNEL] = {OTF2_REGION_ROLE_KERNEL, NULL},
#else
    [OMPTAPE_REGION_KERNEL] = {OTF2_REGION_ROLE_FUNCTION, NULL},
#endif
    [OMPTAPE_REGION_COPY_TO_DEVICE] = {OTF2_REGION_ROLE_DATA_TRANSFER, NULL},
    [OMPTAPE_REGION_COPY_FROM_DEVICE] = {OTF2_REGION_ROLE_DATA_TRANSFER, NULL},
    [OMPTAPE_REGION_COPY] = {OTF2_REGION_ROLE_DATA_TRANSFER, NULL},
    [OMPTAPE_REGION_SET] = {OTF2_REGION_ROLE_DATA_TRANSFER, NULL},
    [OMPTAPE_REGION_SYNCHRONIZE] = {OTF2_REGION_ROLE_THREAD_WAIT, NULL},
    [OMPTAPE_REGION_ALLOC] = {OTF2_REGION_ROLE_ALLOCATE, NULL},
    [OMPTAPE_REGION_FREE] = {OTF2_REGION_ROLE_DEALLOCATE, NULL},
    [OMPTAPE_REGION_ACTIVITY] = {OTF2_REGION_ROLE_CODE, NULL},
    [OMPTAPE_REGION_IMPLICIT_TASK] = {OTF2_REGION_ROLE_CODE, NULL},
    [OMPTAPE_REGION_DEVICE_THREAD] = {OTF2_REGION_ROLE_CODE, NULL},
    [OMPTAPE_REGION_DEVICE_TASK] = {OTF2_REGION_ROLE_CODE, NULL},
    [OMPTAPE_REGION_DEVICE_MUTEX] = {OTF2_REGION_ROLE_CODE, NULL},
    [OMPTAPE_REGION_PROGRAM] = {OTF2_REGION_ROLE_FUNCTION, NULL},
    [OMPTAPE_REGION_MPI] = {OTF2_REGION_ROLE_CODE, NULL}, /* Overridden by the role of the MPI function. */
    [OMPTAPE_REGION_MPI_CALL] = {OTF2_REGION_ROLE_CODE, NULL},
    [OMPTAPE_REGION_USER] = {OTF2_REGION_ROLE_CODE, NULL},
};

OTF2_RegionRole omptape_region_role(const struct omptape_region *region)
{
    static const OTF2_RegionRole of_mpi[] = {
        [OMPTAPE_MPI_ROLE_CODE] = OTF2_REGION_ROLE_CODE,
        [OMPTAPE_MPI_ROLE_POINT2POINT] = OTF2_REGION_ROLE_POINT2POINT,
        [OMPTAPE_MPI_ROLE_BARRIER] = OTF2_REGION_ROLE_BARRIER,
        [OMPTAPE_MPI_ROLE_COLL_ONE2ALL] = OTF2_REGION_ROLE_COLL_ONE2ALL,
        [OMPTAPE_MPI_ROLE_COLL_ALL2ONE] = OTF2_REGION_ROLE_COLL_ALL2ONE,
        [OMPTAPE_MPI_ROLE_COLL_ALL2ALL] = OTF2_REGION_ROLE_COLL_ALL2ALL,
        [OMPTAPE_MPI_ROLE_COLL_OTHER] = OTF2_REGION_ROLE_COLL_OTHER,
        [OMPTAPE_MPI_ROLE_RMA] = OTF2_REGION_ROLE_RMA,
        [OMPTAPE_MPI_ROLE_FILE_IO] = OTF2_REGION_ROLE_FILE_IO,
        [OMPTAPE_MPI_ROLE_FILE_IO_META] = OTF2_REGION_ROLE_FILE_IO_METADATA,
    };
    const struct omptape_mpi_function *function = omptape_region_mpi_function(region);
    return function != NULL ? of_mpi[function->role] : kinds[region->kind].role;
}

const struct omptape_mpi_function *omptape_region_mpi_function(const struct omptape_region *region)
{
    uint64_t number = OMPTAPE_MPI_FUNCTIONS;
    if (region->kind == OMPTAPE_REGION_MPI)
        number = region->site & ~OMPTAPE_SITE_NAMED;
    else if (region->kind == OMPTAPE_REGION_MPI_CALL && region->function > 0)
        number = region->function - 1;
    return number < OMPTAPE_MPI_FUNCTIONS ? &omptape_mpi_functions[number] : NULL;
}

const char *const *omptape_region_callees(enum omptape_region_kind kind)
{
    static const char *const nothing[] = {NULL};
    enum omptape_region_kind whole =
        omptape_constructs[kind].whole != 0 ? omptape_constructs[kind].whole : kind;
    return kinds[whole].callees != NULL ? kinds[whole].callees : nothing;
}

const char *const *omptape_region_callees_inside(enum omptape_region_kind kind)
{
    enum omptape_region_kind whole =
        omptape_constructs[kind].whole != 0 ? omptape_constructs[kind].whole : kind;
    return whole == OMPTAPE_REGION_LOOP ? hidden_loop : omptape_region_callees(kind);
}

bool omptape_region_is_own_call(enum omptape_region_kind kind)
{
    static const bool own_calls[OMPTAPE_REGION_KIND_COUNT] = {
        [OMPTAPE_REGION_TASK_CREATE] = true,     [OMPTAPE_REGION_TASKLOOP] = true,
        [OMPTAPE_REGION_TASKWAIT] = true,        [OMPTAPE_REGION_TASKGROUP] = true,
        [OMPTAPE_REGION_CRITICAL] = true,        [OMPTAPE_REGION_ORDERED] = true,
        [OMPTAPE_REGION_FLUSH] = true,           [OMPTAPE_REGION_CANCEL_PARALLEL] = true,
        [OMPTAPE_REGION_CANCEL_SECTIONS] = true, [OMPTAPE_REGION_CANCEL_LOOP] = true,
        [OMPTAPE_REGION_CANCEL_TASKGROUP] = true};
    return own_calls[kind];
}

enum omptape_region_kind omptape_region_of_work(unsigned type)
{
    static const enum omptape_region_kind of[] = {[ompt_work_sections] = OMPTAPE_REGION_SECTIONS,
                                                  [ompt_work_single_executor] = OMPTAPE_REGION_SINGLE,
                                                  [ompt_work_single_other] = OMPTAPE_REGION_SINGLE,
                                                  [ompt_work_workshare] = OMPTAPE_REGION_WORKSHARE,
                                                  [ompt_work_distribute] = OMPTAPE_REGION_DISTRIBUTE,
                                                  [ompt_work_taskloop] = OMPTAPE_REGION_TASKLOOP,
                                                  [ompt_work_scope] = OMPTAPE_REGION_SCOPE};
    return type < sizeof(of) / sizeof(of[0]) && of[type] != 0 ? of[type] : OMPTAPE_REGION_LOOP;
}

enum omptape_region_kind omptape_region_of_operation(unsigned type)
{
    static const enum omptape_region_kind of[] = {
        [ompt_target_data_transfer_to_device] = OMPTAPE_REGION_TARGET_TO_DEVICE,
        [ompt_target_data_transfer_to_device_async] = OMPTAPE_REGION_TARGET_TO_DEVICE,
        [ompt_target_data_transfer_from_device] = OMPTAPE_REGION_TARGET_FROM_DEVICE,
        [ompt_target_data_transfer_from_device_async] = OMPTAPE_REGION_TARGET_FROM_DEVICE,
        [ompt_target_data_delete] = OMPTAPE_REGION_TARGET_DELETE,
        [ompt_target_data_delete_async] = OMPTAPE_REGION_TARGET_DELETE,
        [ompt_target_data_associate] = OMPTAPE_REGION_TARGET_ASSOCIATE,
        [ompt_target_data_disassociate] = OMPTAPE_REGION_TARGET_DISASSOCIATE};
    return type < sizeof(of) / sizeof(of[0]) && of[type] != 0 ? of[type] : OMPTAPE_REGION_TARGET_ALLOC;
}
