/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each kind of construct is called (docs/mapping.md).
 */
#include "writers/regions/regions.h"

#include <omptape/ompt.h>

#define DIRECTIVE(text, role_)                                                                               \
    {                                                                                                        \
        .name = (text), .role = OTF2_REGION_ROLE_##role_, .directive = true                                  \
    }
#define ROUTINE(text, role_)                                                                                 \
    {                                                                                                        \
        .name = (text), .role = OTF2_REGION_ROLE_##role_                                                     \
    }

static const struct omptape_region_kind_info kinds[OMPTAPE_REGION_KIND_COUNT] = {
    [OMPTAPE_REGION_PARALLEL] = DIRECTIVE("parallel", PARALLEL),
    [OMPTAPE_REGION_TEAMS] = DIRECTIVE("teams", PARALLEL),
    [OMPTAPE_REGION_TASK] = DIRECTIVE("task", TASK),
    [OMPTAPE_REGION_TASK_UNTIED] = DIRECTIVE("task", TASK_UNTIED),
    [OMPTAPE_REGION_TARGET_TASK] = DIRECTIVE("target task", TASK),
    [OMPTAPE_REGION_TASK_CREATE] = DIRECTIVE("create task", TASK_CREATE),
    [OMPTAPE_REGION_LOOP] = {.name = "for",
                             .fortran = "do",
                             .role = OTF2_REGION_ROLE_LOOP,
                             .directive = true},
    [OMPTAPE_REGION_LOOP_CHUNK] = {.name = "for chunk",
                                   .fortran = "do chunk",
                                   .role = OTF2_REGION_ROLE_LOOP,
                                   .directive = true},
    [OMPTAPE_REGION_SECTIONS] = DIRECTIVE("sections", SECTIONS),
    [OMPTAPE_REGION_SECTION] = DIRECTIVE("section", SECTION),
    [OMPTAPE_REGION_SINGLE] = DIRECTIVE("single", SINGLE),
    [OMPTAPE_REGION_SINGLE_SBLOCK] = DIRECTIVE("single sblock", SINGLE_SBLOCK),
    [OMPTAPE_REGION_WORKSHARE] = DIRECTIVE("workshare", WORKSHARE),
    [OMPTAPE_REGION_DISTRIBUTE] = DIRECTIVE("distribute", LOOP),
    [OMPTAPE_REGION_DISTRIBUTE_CHUNK] = DIRECTIVE("distribute chunk", LOOP),
    [OMPTAPE_REGION_TASKLOOP] = DIRECTIVE("taskloop", LOOP),
    [OMPTAPE_REGION_TASKLOOP_CHUNK] = DIRECTIVE("taskloop chunk", LOOP),
    [OMPTAPE_REGION_SCOPE] = DIRECTIVE("scope", CODE),
    [OMPTAPE_REGION_MASKED] = DIRECTIVE("masked", MASTER),
    [OMPTAPE_REGION_BARRIER] = DIRECTIVE("barrier", BARRIER),
    [OMPTAPE_REGION_BARRIER_WAIT] = DIRECTIVE("barrier wait", BARRIER),
    [OMPTAPE_REGION_IMPLICIT_BARRIER] = DIRECTIVE("implicit barrier", IMPLICIT_BARRIER),
    [OMPTAPE_REGION_IMPLICIT_BARRIER_WAIT] = DIRECTIVE("implicit barrier wait", IMPLICIT_BARRIER),
    [OMPTAPE_REGION_IMPLEMENTATION_BARRIER] = DIRECTIVE("implementation barrier", IMPLICIT_BARRIER),
    [OMPTAPE_REGION_IMPLEMENTATION_BARRIER_WAIT] = DIRECTIVE("implementation barrier wait", IMPLICIT_BARRIER),
    [OMPTAPE_REGION_TASKWAIT] = DIRECTIVE("taskwait", TASK_WAIT),
    [OMPTAPE_REGION_TASKWAIT_WAIT] = DIRECTIVE("taskwait wait", TASK_WAIT),
    [OMPTAPE_REGION_TASKGROUP] = DIRECTIVE("taskgroup", BARRIER),
    [OMPTAPE_REGION_TASKGROUP_WAIT] = DIRECTIVE("taskgroup wait", TASK_WAIT),
    [OMPTAPE_REGION_REDUCTION] = DIRECTIVE("reduction", CODE),
    [OMPTAPE_REGION_REDUCTION_WAIT] = DIRECTIVE("reduction wait", CODE),
    [OMPTAPE_REGION_CRITICAL] = DIRECTIVE("critical", CRITICAL),
    [OMPTAPE_REGION_CRITICAL_SBLOCK] = DIRECTIVE("critical sblock", CRITICAL_SBLOCK),
    [OMPTAPE_REGION_ATOMIC] = DIRECTIVE("atomic", ATOMIC),
    [OMPTAPE_REGION_ATOMIC_SBLOCK] = DIRECTIVE("atomic sblock", ATOMIC),
    [OMPTAPE_REGION_ORDERED] = DIRECTIVE("ordered", ORDERED),
    [OMPTAPE_REGION_ORDERED_SBLOCK] = DIRECTIVE("ordered sblock", ORDERED_SBLOCK),
    [OMPTAPE_REGION_SET_LOCK] = ROUTINE("omp_set_lock", WRAPPER),
    [OMPTAPE_REGION_TEST_LOCK] = ROUTINE("omp_test_lock", WRAPPER),
    [OMPTAPE_REGION_UNSET_LOCK] = ROUTINE("omp_unset_lock", WRAPPER),
    [OMPTAPE_REGION_INIT_LOCK] = ROUTINE("omp_init_lock", WRAPPER),
    [OMPTAPE_REGION_DESTROY_LOCK] = ROUTINE("omp_destroy_lock", WRAPPER),
    [OMPTAPE_REGION_SET_NEST_LOCK] = ROUTINE("omp_set_nest_lock", WRAPPER),
    [OMPTAPE_REGION_TEST_NEST_LOCK] = ROUTINE("omp_test_nest_lock", WRAPPER),
    [OMPTAPE_REGION_UNSET_NEST_LOCK] = ROUTINE("omp_unset_nest_lock", WRAPPER),
    [OMPTAPE_REGION_INIT_NEST_LOCK] = ROUTINE("omp_init_nest_lock", WRAPPER),
    [OMPTAPE_REGION_DESTROY_NEST_LOCK] = ROUTINE("omp_destroy_nest_lock", WRAPPER),
    [OMPTAPE_REGION_FLUSH] = DIRECTIVE("flush", FLUSH),
    [OMPTAPE_REGION_CANCEL_PARALLEL] = DIRECTIVE("cancel parallel", CODE),
    [OMPTAPE_REGION_CANCEL_SECTIONS] = DIRECTIVE("cancel sections", CODE),
    [OMPTAPE_REGION_CANCEL_LOOP] = {.name = "cancel for",
                                    .fortran = "cancel do",
                                    .role = OTF2_REGION_ROLE_CODE,
                                    .directive = true},
    [OMPTAPE_REGION_CANCEL_TASKGROUP] = DIRECTIVE("cancel taskgroup", CODE),
    [OMPTAPE_REGION_CANCEL] = DIRECTIVE("cancel", CODE),
    [OMPTAPE_REGION_ERROR] = DIRECTIVE("error", CODE),
    [OMPTAPE_REGION_FULFILL_EVENT] = ROUTINE("omp_fulfill_event", WRAPPER),
    [OMPTAPE_REGION_CONTROL_TOOL] = ROUTINE("omp_control_tool", WRAPPER),
    [OMPTAPE_REGION_TARGET] = DIRECTIVE("target", TASK_WAIT),
    [OMPTAPE_REGION_TARGET_ENTER_DATA] = DIRECTIVE("target enter data", TASK_WAIT),
    [OMPTAPE_REGION_TARGET_EXIT_DATA] = DIRECTIVE("target exit data", TASK_WAIT),
    [OMPTAPE_REGION_TARGET_UPDATE] = DIRECTIVE("target update", TASK_WAIT),
    [OMPTAPE_REGION_TARGET_SUBMIT] = DIRECTIVE("target submit", WRAPPER),
    [OMPTAPE_REGION_TARGET_ALLOC] = DIRECTIVE("target alloc", ALLOCATE),
    [OMPTAPE_REGION_TARGET_TO_DEVICE] = DIRECTIVE("target transfer to device", DATA_TRANSFER),
    [OMPTAPE_REGION_TARGET_FROM_DEVICE] = DIRECTIVE("target transfer from device", DATA_TRANSFER),
    [OMPTAPE_REGION_TARGET_DELETE] = DIRECTIVE("target delete", DEALLOCATE),
    [OMPTAPE_REGION_TARGET_ASSOCIATE] = DIRECTIVE("target associate", DATA_TRANSFER),
    [OMPTAPE_REGION_TARGET_DISASSOCIATE] = DIRECTIVE("target disassociate", DATA_TRANSFER),
    [OMPTAPE_REGION_TARGET_MAP] = DIRECTIVE("target map", DATA_TRANSFER),
#ifdef OMPTAPE_OTF2_HAS_KERNEL
    [OMPTAPE_REGION_KERNEL] = DIRECTIVE("target kernel", KERNEL),
#else
    [OMPTAPE_REGION_KERNEL] = DIRECTIVE("target kernel", FUNCTION),
#endif
    [OMPTAPE_REGION_COPY_TO_DEVICE] = ROUTINE("copy to device", DATA_TRANSFER),
    [OMPTAPE_REGION_COPY_FROM_DEVICE] = ROUTINE("copy from device", DATA_TRANSFER),
    [OMPTAPE_REGION_COPY] = ROUTINE("copy", DATA_TRANSFER),
    [OMPTAPE_REGION_SET] = ROUTINE("set memory", DATA_TRANSFER),
    [OMPTAPE_REGION_SYNCHRONIZE] = ROUTINE("synchronize", BARRIER),
    [OMPTAPE_REGION_ALLOC] = ROUTINE("allocate", ALLOCATE),
    [OMPTAPE_REGION_FREE] = ROUTINE("free", DEALLOCATE),
    [OMPTAPE_REGION_ACTIVITY] = ROUTINE("activity", CODE),
    [OMPTAPE_REGION_IMPLICIT_TASK] = DIRECTIVE("implicit task", CODE),
    [OMPTAPE_REGION_DEVICE_THREAD] = ROUTINE("device thread", CODE),
    [OMPTAPE_REGION_DEVICE_TASK] = DIRECTIVE("task event", CODE),
    [OMPTAPE_REGION_DEVICE_MUTEX] = DIRECTIVE("mutex event", CODE),
};

const struct omptape_region_kind_info *omptape_region_kind_info(enum omptape_region_kind kind)
{
    return &kinds[kind];
}

enum omptape_region_kind omptape_region_of_work(unsigned type)
{
    switch (type) {
    case ompt_work_sections:
        return OMPTAPE_REGION_SECTIONS;
    case ompt_work_single_executor:
    case ompt_work_single_other:
        return OMPTAPE_REGION_SINGLE;
    case ompt_work_workshare:
        return OMPTAPE_REGION_WORKSHARE;
    case ompt_work_distribute:
        return OMPTAPE_REGION_DISTRIBUTE;
    case ompt_work_taskloop:
        return OMPTAPE_REGION_TASKLOOP;
    case ompt_work_scope:
        return OMPTAPE_REGION_SCOPE;
    default:
        return OMPTAPE_REGION_LOOP;
    }
}

enum omptape_region_kind omptape_region_of_operation(unsigned type)
{
    switch (type) {
    case ompt_target_data_transfer_to_device:
    case ompt_target_data_transfer_to_device_async:
        return OMPTAPE_REGION_TARGET_TO_DEVICE;
    case ompt_target_data_transfer_from_device:
    case ompt_target_data_transfer_from_device_async:
        return OMPTAPE_REGION_TARGET_FROM_DEVICE;
    case ompt_target_data_delete:
    case ompt_target_data_delete_async:
        return OMPTAPE_REGION_TARGET_DELETE;
    case ompt_target_data_associate:
        return OMPTAPE_REGION_TARGET_ASSOCIATE;
    case ompt_target_data_disassociate:
        return OMPTAPE_REGION_TARGET_DISASSOCIATE;
    default:
        return OMPTAPE_REGION_TARGET_ALLOC;
    }
}
