/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OTF2 regions: one for each (kind of construct, call site). References are given out while the trace
 * streams (references.h); names, files and lines are found when the definitions are written (names.h).
 */
#ifndef OMPTAPE_WRITERS_REGIONS_REGIONS_H
#define OMPTAPE_WRITERS_REGIONS_REGIONS_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

enum omptape_region_kind {
    OMPTAPE_REGION_PARALLEL,
    OMPTAPE_REGION_TEAMS,
    OMPTAPE_REGION_TASK,
    OMPTAPE_REGION_TASK_UNTIED,
    OMPTAPE_REGION_TARGET_TASK,
    OMPTAPE_REGION_TASK_CREATE,
    OMPTAPE_REGION_LOOP,
    OMPTAPE_REGION_LOOP_CHUNK,
    OMPTAPE_REGION_SECTIONS,
    OMPTAPE_REGION_SECTION,
    OMPTAPE_REGION_SINGLE,
    OMPTAPE_REGION_SINGLE_SBLOCK,
    OMPTAPE_REGION_WORKSHARE,
    OMPTAPE_REGION_DISTRIBUTE,
    OMPTAPE_REGION_DISTRIBUTE_CHUNK,
    OMPTAPE_REGION_TASKLOOP,
    OMPTAPE_REGION_TASKLOOP_CHUNK,
    OMPTAPE_REGION_SCOPE,
    OMPTAPE_REGION_MASKED,
    OMPTAPE_REGION_BARRIER,
    OMPTAPE_REGION_BARRIER_WAIT,
    OMPTAPE_REGION_IMPLICIT_BARRIER,
    OMPTAPE_REGION_IMPLICIT_BARRIER_WAIT,
    OMPTAPE_REGION_IMPLEMENTATION_BARRIER,
    OMPTAPE_REGION_IMPLEMENTATION_BARRIER_WAIT,
    OMPTAPE_REGION_TASKWAIT,
    OMPTAPE_REGION_TASKWAIT_WAIT,
    OMPTAPE_REGION_TASKGROUP,
    OMPTAPE_REGION_TASKGROUP_WAIT,
    OMPTAPE_REGION_REDUCTION,
    OMPTAPE_REGION_REDUCTION_WAIT,
    OMPTAPE_REGION_CRITICAL,
    OMPTAPE_REGION_CRITICAL_SBLOCK,
    OMPTAPE_REGION_ATOMIC,
    OMPTAPE_REGION_ATOMIC_SBLOCK,
    OMPTAPE_REGION_ORDERED,
    OMPTAPE_REGION_ORDERED_SBLOCK,
    OMPTAPE_REGION_SET_LOCK,
    OMPTAPE_REGION_TEST_LOCK,
    OMPTAPE_REGION_UNSET_LOCK,
    OMPTAPE_REGION_INIT_LOCK,
    OMPTAPE_REGION_DESTROY_LOCK,
    OMPTAPE_REGION_SET_NEST_LOCK,
    OMPTAPE_REGION_TEST_NEST_LOCK,
    OMPTAPE_REGION_UNSET_NEST_LOCK,
    OMPTAPE_REGION_INIT_NEST_LOCK,
    OMPTAPE_REGION_DESTROY_NEST_LOCK,
    OMPTAPE_REGION_FLUSH,
    OMPTAPE_REGION_CANCEL_PARALLEL,
    OMPTAPE_REGION_CANCEL_SECTIONS,
    OMPTAPE_REGION_CANCEL_LOOP,
    OMPTAPE_REGION_CANCEL_TASKGROUP,
    OMPTAPE_REGION_CANCEL,
    OMPTAPE_REGION_ERROR,
    OMPTAPE_REGION_FULFILL_EVENT,
    OMPTAPE_REGION_CONTROL_TOOL,
    OMPTAPE_REGION_TARGET,
    OMPTAPE_REGION_TARGET_ENTER_DATA,
    OMPTAPE_REGION_TARGET_EXIT_DATA,
    OMPTAPE_REGION_TARGET_UPDATE,
    OMPTAPE_REGION_TARGET_SUBMIT,
    OMPTAPE_REGION_TARGET_ALLOC,
    OMPTAPE_REGION_TARGET_TO_DEVICE,
    OMPTAPE_REGION_TARGET_FROM_DEVICE,
    OMPTAPE_REGION_TARGET_DELETE,
    OMPTAPE_REGION_TARGET_ASSOCIATE,
    OMPTAPE_REGION_TARGET_DISASSOCIATE,
    OMPTAPE_REGION_TARGET_MAP,
    /* On devices only. */
    OMPTAPE_REGION_KERNEL,
    OMPTAPE_REGION_COPY_TO_DEVICE, /* these: without a construct that asked for them */
    OMPTAPE_REGION_COPY_FROM_DEVICE,
    OMPTAPE_REGION_COPY,
    OMPTAPE_REGION_SET,
    OMPTAPE_REGION_SYNCHRONIZE,
    OMPTAPE_REGION_ALLOC,
    OMPTAPE_REGION_FREE,
    OMPTAPE_REGION_ACTIVITY, /* a native record of another kind */
    OMPTAPE_REGION_IMPLICIT_TASK,
    OMPTAPE_REGION_DEVICE_THREAD,
    OMPTAPE_REGION_DEVICE_TASK,
    OMPTAPE_REGION_DEVICE_MUTEX,
    OMPTAPE_REGION_KIND_COUNT
};

struct omptape_region_kind_info {
    const char *name;    /* as in "!$omp <name>", or the function's own name for the API's */
    const char *fortran; /* where Fortran's keyword differs, else NULL */
    OTF2_RegionRole role;
    bool directive; /* false: an API routine, whose name stands alone */
};

/* Set in a site that is the reference of a name instead: below OMPTAPE_SITE_INDIRECT, above all addresses. */
#define OMPTAPE_SITE_NAMED (UINT64_C(1) << 54)

struct omptape_region {
    enum omptape_region_kind kind;
    uint64_t site; /* codeptr_ra, or 0 */
};

static inline bool omptape_region_is_named(const struct omptape_region *region)
{
    return (region->site & OMPTAPE_SITE_NAMED) != 0 && region->site >> 55 == 0;
}

const struct omptape_region_kind_info *omptape_region_kind_info(enum omptape_region_kind kind);

/* The kind of an ompt_work_t; a loop for those that are not known. */
enum omptape_region_kind omptape_region_of_work(unsigned type);
/* The kind of an ompt_target_data_op_t; an allocation for those that are not known. */
enum omptape_region_kind omptape_region_of_operation(unsigned type);

#endif
