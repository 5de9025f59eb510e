/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The wrappers for barriers, taskwait, taskgroup and cancellation.
 */
#include "callbacks/gomp/record.h"

/* A barrier also ends the work-sharing construct before it. */
#define BARRIER(name, kind, enter, result, give)                                                             \
    result omptape_##name(void)                                                                              \
    {                                                                                                        \
        enter(name, );                                                                                       \
        omptape_gomp_end_work(omptape_gomp_thread(OMPTAPE_SYNC_REGION));                                     \
        omptape_gomp_begin_sync(kind, site);                                                                 \
        omptape_gomp_begin_wait(kind, site);                                                                 \
        give OMPTAPE_GOMP_REAL(runtime, name)();                                                             \
        omptape_gomp_end_wait(kind);                                                                         \
        omptape_gomp_end_sync(kind);
#define PLAIN(name, kind)                                                                                    \
    BARRIER(name, kind, OMPTAPE_GOMP_ENTER, void, )                                                          \
    }
#define CANCELLABLE(name, kind)                                                                              \
    BARRIER(name, kind, OMPTAPE_GOMP_ENTER_RESULT, bool, const bool cancelled =)                             \
    return cancelled;                                                                                        \
    }
OMPTAPE_GOMP_BARRIERS(PLAIN)
OMPTAPE_GOMP_CANCEL_BARRIERS(CANCELLABLE)

/* Barriers of programs from gcc 17 or newer. `which` is the kind of barrier. */
void omptape_GOMP_barrier_ext(unsigned which)
{
    enum { IMPLICIT_WORKSHARE = 1, EXPLICIT = 2 };
    const ompt_sync_region_t kind = which == IMPLICIT_WORKSHARE ? ompt_sync_region_barrier_implicit_workshare
                                    : which == EXPLICIT         ? ompt_sync_region_barrier_explicit
                                                                : ompt_sync_region_barrier_implementation;
    OMPTAPE_GOMP_ENTER(GOMP_barrier_ext, which);
    omptape_gomp_end_work(omptape_gomp_thread(OMPTAPE_SYNC_REGION));
    omptape_gomp_begin_sync(kind, site);
    omptape_gomp_begin_wait(kind, site);
    OMPTAPE_GOMP_REAL(runtime, GOMP_barrier_ext)(which);
    omptape_gomp_end_wait(kind);
    omptape_gomp_end_sync(kind);
}

/* Ends a work-sharing construct with a task reduction. This is a barrier unless cancelled. */
void omptape_GOMP_workshare_task_reduction_unregister(bool cancelled)
{
    OMPTAPE_GOMP_ENTER(GOMP_workshare_task_reduction_unregister, cancelled);
    const ompt_sync_region_t kind = ompt_sync_region_barrier_implicit_workshare;
    omptape_gomp_end_work(omptape_gomp_thread(OMPTAPE_SYNC_REGION));
    if (!cancelled) {
        omptape_gomp_begin_sync(kind, site);
        omptape_gomp_begin_wait(kind, site);
    }
    OMPTAPE_GOMP_REAL(runtime, GOMP_workshare_task_reduction_unregister)(cancelled);
    if (!cancelled) {
        omptape_gomp_end_wait(kind);
        omptape_gomp_end_sync(kind);
    }
}

void omptape_GOMP_taskwait(void)
{
    OMPTAPE_GOMP_ENTER(GOMP_taskwait, );
    (void)omptape_gomp_thread(OMPTAPE_SYNC_REGION);
    omptape_gomp_begin_sync(ompt_sync_region_taskwait, site);
    omptape_gomp_begin_wait(ompt_sync_region_taskwait, site);
    OMPTAPE_GOMP_REAL(runtime, GOMP_taskwait)();
    omptape_gomp_end_wait(ompt_sync_region_taskwait);
    omptape_gomp_end_sync(ompt_sync_region_taskwait);
}

/* OMPT reports this wait as a task that is created before and completes after the wait. */
void omptape_GOMP_taskwait_depend(void **depend)
{
    OMPTAPE_GOMP_ENTER(GOMP_taskwait_depend, depend);
    const unsigned flags =
        (unsigned)ompt_task_taskwait | (unsigned)ompt_task_undeferred | (unsigned)ompt_task_mergeable;
    ompt_data_t task = {.value = 0};
    (void)omptape_gomp_thread(OMPTAPE_TASK_CREATE);
    if (OMPTAPE_GOMP_WANTS(task_create)) {
        omptape_on_task_create(NULL, NULL, &task, (int)flags, 1, site);
        omptape_gomp_put_dependences(task.value, depend);
    }
    OMPTAPE_GOMP_REAL(runtime, GOMP_taskwait_depend)(depend);
    if (OMPTAPE_GOMP_WANTS(task_schedule))
        omptape_on_task_schedule(&task, ompt_taskwait_complete, NULL);
}

void omptape_GOMP_taskgroup_start(void)
{
    OMPTAPE_GOMP_ENTER(GOMP_taskgroup_start, );
    (void)omptape_gomp_thread(OMPTAPE_SYNC_REGION);
    omptape_gomp_begin_sync(ompt_sync_region_taskgroup, site);
    OMPTAPE_GOMP_REAL(runtime, GOMP_taskgroup_start)();
}

void omptape_GOMP_taskgroup_end(void)
{
    OMPTAPE_GOMP_ENTER(GOMP_taskgroup_end, );
    omptape_gomp_begin_wait(ompt_sync_region_taskgroup, site);
    OMPTAPE_GOMP_REAL(runtime, GOMP_taskgroup_end)();
    omptape_gomp_end_wait(ompt_sync_region_taskgroup);
    omptape_gomp_end_sync(ompt_sync_region_taskgroup);
}

/* The values that gcc passes to GOMP_cancel. */
enum { CANCEL_PARALLEL = 1, CANCEL_LOOP = 2, CANCEL_SECTIONS = 4, CANCEL_TASKGROUP = 8 };

static void put_cancel(int which, unsigned how, const void *site)
{
    struct omptape_slot *slot = omptape_gomp_thread(OMPTAPE_CANCEL);
    ompt_data_t task = {.value = slot != NULL ? slot->gomp.task : 0};
    unsigned kind = 0;
    kind |= (which & CANCEL_PARALLEL) != 0 ? ompt_cancel_parallel : 0;
    kind |= (which & CANCEL_LOOP) != 0 ? ompt_cancel_loop : 0;
    kind |= (which & CANCEL_SECTIONS) != 0 ? ompt_cancel_sections : 0;
    kind |= (which & CANCEL_TASKGROUP) != 0 ? ompt_cancel_taskgroup : 0;
    if (OMPTAPE_GOMP_WANTS(cancel))
        omptape_on_cancel(&task, (int)(kind | how), site);
}

bool omptape_GOMP_cancel(int which, bool activate)
{
    OMPTAPE_GOMP_ENTER_RESULT(GOMP_cancel, which, activate);
    const bool cancelled = OMPTAPE_GOMP_REAL(runtime, GOMP_cancel)(which, activate);
    if (cancelled)
        put_cancel(which, activate ? ompt_cancel_activated : ompt_cancel_detected, site);
    return cancelled;
}

bool omptape_GOMP_cancellation_point(int which)
{
    OMPTAPE_GOMP_ENTER_RESULT(GOMP_cancellation_point, which);
    const bool cancelled = OMPTAPE_GOMP_REAL(runtime, GOMP_cancellation_point)(which);
    if (cancelled)
        put_cancel(which, ompt_cancel_detected, site);
    return cancelled;
}
