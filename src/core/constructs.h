/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kinds of regions, one for each construct that the archive distinguishes, with their names. Constant data
 * for the command (help), the library and the command (patterns of --filter), and the writer.
 */
#pragma once

#include <stdbool.h>

/* In the order of --filter=help. */
enum omptape_region_kind {
    OMPTAPE_REGION_PARALLEL,
    OMPTAPE_REGION_TEAMS,
    OMPTAPE_REGION_TASK,
    OMPTAPE_REGION_TASK_UNTIED,
    OMPTAPE_REGION_TASK_CREATE,
    OMPTAPE_REGION_TARGET_TASK,
    OMPTAPE_REGION_TASKLOOP,
    OMPTAPE_REGION_TASKLOOP_CHUNK,
    OMPTAPE_REGION_LOOP,
    OMPTAPE_REGION_LOOP_CHUNK,
    OMPTAPE_REGION_DISTRIBUTE,
    OMPTAPE_REGION_DISTRIBUTE_CHUNK,
    OMPTAPE_REGION_SECTIONS,
    OMPTAPE_REGION_SECTION,
    OMPTAPE_REGION_SINGLE,
    OMPTAPE_REGION_SINGLE_SBLOCK,
    OMPTAPE_REGION_WORKSHARE,
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
    OMPTAPE_REGION_INIT_LOCK,
    OMPTAPE_REGION_DESTROY_LOCK,
    OMPTAPE_REGION_SET_LOCK,
    OMPTAPE_REGION_TEST_LOCK,
    OMPTAPE_REGION_UNSET_LOCK,
    OMPTAPE_REGION_INIT_NEST_LOCK,
    OMPTAPE_REGION_DESTROY_NEST_LOCK,
    OMPTAPE_REGION_SET_NEST_LOCK,
    OMPTAPE_REGION_TEST_NEST_LOCK,
    OMPTAPE_REGION_UNSET_NEST_LOCK,
    OMPTAPE_REGION_FLUSH,
    OMPTAPE_REGION_CANCEL,
    OMPTAPE_REGION_CANCEL_PARALLEL,
    OMPTAPE_REGION_CANCEL_SECTIONS,
    OMPTAPE_REGION_CANCEL_LOOP,
    OMPTAPE_REGION_CANCEL_TASKGROUP,
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
    /* Only on devices. */
    OMPTAPE_REGION_KERNEL,
    /* Eight device operations that no construct has requested. */
    OMPTAPE_REGION_COPY_TO_DEVICE,
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
    OMPTAPE_REGION_CHOICES, /* The kinds from here on are not constructs and cannot be filtered. */
    OMPTAPE_REGION_PROGRAM = OMPTAPE_REGION_CHOICES, /* has the program's name */
    OMPTAPE_REGION_MPI,                              /* an MPI function, has its name */
    OMPTAPE_REGION_MPI_CALL,                         /* a call site of an MPI function, without duration */
    OMPTAPE_REGION_USER,                             /* an annotation of the program, has its text */
    OMPTAPE_REGION_KIND_COUNT
};

/* Returns true for explicit and implicit barriers, but not for the waiting inside them. */
static inline bool omptape_region_is_barrier(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_BARRIER || kind == OMPTAPE_REGION_IMPLICIT_BARRIER ||
           kind == OMPTAPE_REGION_IMPLEMENTATION_BARRIER;
}

struct omptape_construct {
    const char *name;    /* "critical sblock", as in the region "!$omp critical sblock @a.c:7" */
    const char *fortran; /* where Fortran's keyword differs, else NULL */
    /* The construct that contains this part; 0: none (parallel is never one). */
    enum omptape_region_kind whole;
    bool alone; /* a routine's or device's name, written without "!$omp" */
};

extern const struct omptape_construct omptape_constructs[OMPTAPE_REGION_KIND_COUNT];

/* Returns true if the fnmatch(3) pattern matches this construct, or the construct that contains it. */
bool omptape_construct_matches(enum omptape_region_kind kind, const char *pattern);
