/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Defines the table of constructs. Read by the command (help, checks), by the library when it parses its
 * options, and by the writer for each new region. Allocates nothing.
 */
#include "src/core/constructs.h"

#include <fnmatch.h>
#include <stddef.h>

const struct omptape_construct omptape_constructs[OMPTAPE_REGION_KIND_COUNT] = {
    [OMPTAPE_REGION_PARALLEL] = {.name = "parallel"},
    [OMPTAPE_REGION_TEAMS] = {.name = "teams"},
    [OMPTAPE_REGION_TASK] = {.name = "task"},
    [OMPTAPE_REGION_TASK_UNTIED] = {.name = "task", .whole = OMPTAPE_REGION_TASK},
    [OMPTAPE_REGION_TASK_CREATE] = {.name = "create task", .whole = OMPTAPE_REGION_TASK},
    [OMPTAPE_REGION_TARGET_TASK] = {.name = "target task"},
    [OMPTAPE_REGION_TASKLOOP] = {.name = "taskloop"},
    [OMPTAPE_REGION_TASKLOOP_CHUNK] = {.name = "taskloop chunk", .whole = OMPTAPE_REGION_TASKLOOP},
    [OMPTAPE_REGION_LOOP] = {.name = "for", .fortran = "do"},
    [OMPTAPE_REGION_LOOP_CHUNK] = {.name = "for chunk", .fortran = "do chunk", .whole = OMPTAPE_REGION_LOOP},
    [OMPTAPE_REGION_DISTRIBUTE] = {.name = "distribute"},
    [OMPTAPE_REGION_DISTRIBUTE_CHUNK] = {.name = "distribute chunk", .whole = OMPTAPE_REGION_DISTRIBUTE},
    [OMPTAPE_REGION_SECTIONS] = {.name = "sections"},
    [OMPTAPE_REGION_SECTION] = {.name = "section", .whole = OMPTAPE_REGION_SECTIONS},
    [OMPTAPE_REGION_SINGLE] = {.name = "single"},
    [OMPTAPE_REGION_SINGLE_SBLOCK] = {.name = "single sblock", .whole = OMPTAPE_REGION_SINGLE},
    [OMPTAPE_REGION_WORKSHARE] = {.name = "workshare"},
    [OMPTAPE_REGION_SCOPE] = {.name = "scope"},
    [OMPTAPE_REGION_MASKED] = {.name = "masked"},
    [OMPTAPE_REGION_BARRIER] = {.name = "barrier"},
    [OMPTAPE_REGION_BARRIER_WAIT] = {.name = "wait for team", .whole = OMPTAPE_REGION_BARRIER},
    [OMPTAPE_REGION_IMPLICIT_BARRIER] = {.name = "implicit barrier"},
    [OMPTAPE_REGION_IMPLICIT_BARRIER_WAIT] = {.name = "wait for team",
                                              .whole = OMPTAPE_REGION_IMPLICIT_BARRIER},
    [OMPTAPE_REGION_IMPLEMENTATION_BARRIER] = {.name = "implementation barrier"},
    [OMPTAPE_REGION_IMPLEMENTATION_BARRIER_WAIT] = {.name = "wait for team",
                                                    .whole = OMPTAPE_REGION_IMPLEMENTATION_BARRIER},
    [OMPTAPE_REGION_TASKWAIT] = {.name = "taskwait"},
    [OMPTAPE_REGION_TASKWAIT_WAIT] = {.name = "wait for tasks", .whole = OMPTAPE_REGION_TASKWAIT},
    [OMPTAPE_REGION_TASKGROUP] = {.name = "taskgroup"},
    [OMPTAPE_REGION_TASKGROUP_WAIT] = {.name = "wait for tasks", .whole = OMPTAPE_REGION_TASKGROUP},
    [OMPTAPE_REGION_REDUCTION] = {.name = "reduction"},
    [OMPTAPE_REGION_REDUCTION_WAIT] = {.name = "wait for reduction", .whole = OMPTAPE_REGION_REDUCTION},
    [OMPTAPE_REGION_CRITICAL] = {.name = "critical"},
    [OMPTAPE_REGION_CRITICAL_SBLOCK] = {.name = "critical sblock", .whole = OMPTAPE_REGION_CRITICAL},
    [OMPTAPE_REGION_ATOMIC] = {.name = "atomic"},
    [OMPTAPE_REGION_ATOMIC_SBLOCK] = {.name = "atomic sblock", .whole = OMPTAPE_REGION_ATOMIC},
    [OMPTAPE_REGION_ORDERED] = {.name = "ordered"},
    [OMPTAPE_REGION_ORDERED_SBLOCK] = {.name = "ordered sblock", .whole = OMPTAPE_REGION_ORDERED},
    [OMPTAPE_REGION_INIT_LOCK] = {.name = "omp_init_lock", .alone = true},
    [OMPTAPE_REGION_DESTROY_LOCK] = {.name = "omp_destroy_lock", .alone = true},
    [OMPTAPE_REGION_SET_LOCK] = {.name = "omp_set_lock", .alone = true},
    [OMPTAPE_REGION_TEST_LOCK] = {.name = "omp_test_lock", .alone = true},
    [OMPTAPE_REGION_UNSET_LOCK] = {.name = "omp_unset_lock", .alone = true},
    [OMPTAPE_REGION_INIT_NEST_LOCK] = {.name = "omp_init_nest_lock", .alone = true},
    [OMPTAPE_REGION_DESTROY_NEST_LOCK] = {.name = "omp_destroy_nest_lock", .alone = true},
    [OMPTAPE_REGION_SET_NEST_LOCK] = {.name = "omp_set_nest_lock", .alone = true},
    [OMPTAPE_REGION_TEST_NEST_LOCK] = {.name = "omp_test_nest_lock", .alone = true},
    [OMPTAPE_REGION_UNSET_NEST_LOCK] = {.name = "omp_unset_nest_lock", .alone = true},
    [OMPTAPE_REGION_FLUSH] = {.name = "flush"},
    [OMPTAPE_REGION_CANCEL] = {.name = "cancel"},
    [OMPTAPE_REGION_CANCEL_PARALLEL] = {.name = "cancel parallel"},
    [OMPTAPE_REGION_CANCEL_SECTIONS] = {.name = "cancel sections"},
    [OMPTAPE_REGION_CANCEL_LOOP] = {.name = "cancel for", .fortran = "cancel do"},
    [OMPTAPE_REGION_CANCEL_TASKGROUP] = {.name = "cancel taskgroup"},
    [OMPTAPE_REGION_ERROR] = {.name = "error"},
    [OMPTAPE_REGION_FULFILL_EVENT] = {.name = "omp_fulfill_event", .alone = true},
    [OMPTAPE_REGION_CONTROL_TOOL] = {.name = "omp_control_tool", .alone = true},
    [OMPTAPE_REGION_TARGET] = {.name = "target"},
    [OMPTAPE_REGION_TARGET_ENTER_DATA] = {.name = "target enter data"},
    [OMPTAPE_REGION_TARGET_EXIT_DATA] = {.name = "target exit data"},
    [OMPTAPE_REGION_TARGET_UPDATE] = {.name = "target update"},
    [OMPTAPE_REGION_TARGET_SUBMIT] = {.name = "target submit"},
    [OMPTAPE_REGION_TARGET_ALLOC] = {.name = "target alloc"},
    [OMPTAPE_REGION_TARGET_TO_DEVICE] = {.name = "target transfer to device"},
    [OMPTAPE_REGION_TARGET_FROM_DEVICE] = {.name = "target transfer from device"},
    [OMPTAPE_REGION_TARGET_DELETE] = {.name = "target delete"},
    [OMPTAPE_REGION_TARGET_ASSOCIATE] = {.name = "target associate"},
    [OMPTAPE_REGION_TARGET_DISASSOCIATE] = {.name = "target disassociate"},
    [OMPTAPE_REGION_TARGET_MAP] = {.name = "target map"},
    [OMPTAPE_REGION_KERNEL] = {.name = "target kernel"},
    [OMPTAPE_REGION_COPY_TO_DEVICE] = {.name = "copy to device", .alone = true},
    [OMPTAPE_REGION_COPY_FROM_DEVICE] = {.name = "copy from device", .alone = true},
    [OMPTAPE_REGION_COPY] = {.name = "copy", .alone = true},
    [OMPTAPE_REGION_SET] = {.name = "set memory", .alone = true},
    [OMPTAPE_REGION_SYNCHRONIZE] = {.name = "synchronize", .alone = true},
    [OMPTAPE_REGION_ALLOC] = {.name = "allocate", .alone = true},
    [OMPTAPE_REGION_FREE] = {.name = "free", .alone = true},
    [OMPTAPE_REGION_ACTIVITY] = {.name = "activity", .alone = true},
    [OMPTAPE_REGION_IMPLICIT_TASK] = {.name = "implicit task"},
    [OMPTAPE_REGION_DEVICE_THREAD] = {.name = "device thread", .alone = true},
    [OMPTAPE_REGION_DEVICE_TASK] = {.name = "task event"},
    [OMPTAPE_REGION_DEVICE_MUTEX] = {.name = "mutex event"},
    [OMPTAPE_REGION_PROGRAM] = {.name = "program", .alone = true},
    [OMPTAPE_REGION_MPI] = {.name = "MPI", .alone = true},
    [OMPTAPE_REGION_MPI_CALL] = {.name = "MPI call", .alone = true},
    [OMPTAPE_REGION_USER] = {.name = "user", .alone = true},
};

bool omptape_construct_matches(enum omptape_region_kind kind, const char *pattern)
{
    const struct omptape_construct *construct = &omptape_constructs[kind];

    return fnmatch(pattern, construct->name, 0) == 0 ||
           (construct->fortran != NULL && fnmatch(pattern, construct->fortran, 0) == 0) ||
           (construct->whole != 0 && omptape_construct_matches(construct->whole, pattern));
}
