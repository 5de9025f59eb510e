/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates synchronisation regions: barriers, taskwait, taskgroup, reductions and the waiting in them.
 */
#include "writers/translate/parallel.h"
#include "writers/translate/stack.h"
#include "writers/translate/tasks.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>

struct sync_kinds {
    enum omptape_region_kind region;
    enum omptape_region_kind wait;
    bool barrier;
};

/* Indexed by ompt_sync_region_t. A switch that returns a struct took a twentieth of all translation. */
static const struct sync_kinds sync_kinds[] = {
    [0] = {OMPTAPE_REGION_IMPLICIT_BARRIER, OMPTAPE_REGION_IMPLICIT_BARRIER_WAIT, true},
    /* Before OpenMP 5.1: ompt_sync_region_barrier (unknown kind) and ompt_sync_region_barrier_implicit. */
    [1] = {OMPTAPE_REGION_BARRIER, OMPTAPE_REGION_BARRIER_WAIT, true},
    [2] = {OMPTAPE_REGION_IMPLICIT_BARRIER, OMPTAPE_REGION_IMPLICIT_BARRIER_WAIT, true},
    [ompt_sync_region_barrier_explicit] = {OMPTAPE_REGION_BARRIER, OMPTAPE_REGION_BARRIER_WAIT, true},
    [ompt_sync_region_barrier_implementation] = {OMPTAPE_REGION_IMPLEMENTATION_BARRIER,
                                                 OMPTAPE_REGION_IMPLEMENTATION_BARRIER_WAIT, true},
    [ompt_sync_region_taskwait] = {OMPTAPE_REGION_TASKWAIT, OMPTAPE_REGION_TASKWAIT_WAIT, false},
    [ompt_sync_region_taskgroup] = {OMPTAPE_REGION_TASKGROUP, OMPTAPE_REGION_TASKGROUP_WAIT, false},
    [ompt_sync_region_reduction] = {OMPTAPE_REGION_REDUCTION, OMPTAPE_REGION_REDUCTION_WAIT, false},
};

/* Kinds that the table lacks are treated as implicit barriers. */
static const struct sync_kinds *sync_kinds_of(unsigned kind)
{
    return &sync_kinds[kind < sizeof(sync_kinds) / sizeof(sync_kinds[0]) ? kind : 0];
}

/* Returns the team's site for the region's own barrier, because the runtime does not report its address to
 * workers. Returns 0 if `address` is known or there is no team. */
static uint64_t team_site_without(const struct omptape_location *location, uint64_t address)
{
    const struct omptape_team *team = omptape_stack_team(location);
    return address != 0 || team == NULL ? 0 : team->site;
}

/* Returns the end of a wait for threads or tasks. */
static uint64_t end_time(const struct omptape_writer *writer, const struct omptape_location *location,
                         uint64_t time)
{
    uint64_t end = omptape_parallel_clip(location, time, true);
    return end == time ? omptape_tasks_waited(writer, location, time) : end;
}

/* Called when a barrier begins in the top frame: closes work-sharing regions of unreported end. */
static __attribute__((noinline)) void close_work(struct omptape_writer *writer,
                                                 struct omptape_location *location, uint64_t time)
{
    struct omptape_open_region *work;
    while ((work = omptape_stack_find(location, OMPTAPE_CLASS_WORK, OMPTAPE_ANY_KEY, 0)) != NULL)
        omptape_parallel_leave(writer, location, time, work, true);
}

void omptape_sync_end(struct omptape_writer *writer, struct omptape_location *location,
                      const struct omptape_record *record, uint64_t time)
{
    unsigned kind = omptape_endpoint_value(record->a);
    omptape_parallel_leave_one(writer, location, end_time(writer, location, time), OMPTAPE_CLASS_SYNC,
                               (uint16_t)kind, 0);
    if (sync_kinds_of(kind)->barrier)
        omptape_parallel_left_barrier(location);
}

static inline void enter_sync(struct omptape_writer *writer, struct omptape_location *location,
                              const struct omptape_record *record, uint64_t time)
{
    unsigned kind = omptape_endpoint_value(record->a);
    const struct sync_kinds *kinds = sync_kinds_of(kind);
    if (kinds->barrier && omptape_stack_find(location, OMPTAPE_CLASS_WORK, OMPTAPE_ANY_KEY, 0) != NULL)
        close_work(writer, location, time);
    omptape_stack_note_kind(writer, kind, ompt_sync_region_barrier_teams);
    OMPTAPE_ENTER_LAST(writer, location, time, .kind = kinds->region, .class = OMPTAPE_CLASS_SYNC,
                       .key = (uint16_t)kind, .address = record->p[0],
                       .site = kinds->barrier ? team_site_without(location, record->p[0]) : 0);
}

static __attribute__((noinline)) void enter_and_end(struct omptape_writer *writer,
                                                    struct omptape_location *location,
                                                    const struct omptape_record *record, uint64_t time)
{
    enter_sync(writer, location, record, time);
    omptape_sync_end(writer, location, record, time);
}

void omptape_sync_begin(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time)
{
    if (__builtin_expect(omptape_endpoint(record->a) != ompt_scope_begin, 0))
        enter_and_end(writer, location, record, time);
    else
        enter_sync(writer, location, record, time);
}

void omptape_sync_wait_end(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    omptape_parallel_leave_one(writer, location, end_time(writer, location, time), OMPTAPE_CLASS_WAIT,
                               (uint16_t)omptape_endpoint_value(record->a), 0);
}

static inline void enter_wait(struct omptape_writer *writer, struct omptape_location *location,
                              const struct omptape_record *record, uint64_t time)
{
    unsigned kind = omptape_endpoint_value(record->a);
    /* The wait has the same site as its surrounding region. */
    const struct omptape_open_region *around =
        omptape_stack_find(location, OMPTAPE_CLASS_SYNC, (uint16_t)kind, 0);
    OMPTAPE_ENTER_LAST(writer, location, time, .kind = sync_kinds_of(kind)->wait, .class = OMPTAPE_CLASS_WAIT,
                       .key = (uint16_t)kind, .address = around != NULL ? 0 : record->p[0],
                       .site = around != NULL ? around->site : team_site_without(location, record->p[0]),
                       .hidden = around != NULL && around->hidden);
}

static __attribute__((noinline)) void wait_and_end(struct omptape_writer *writer,
                                                   struct omptape_location *location,
                                                   const struct omptape_record *record, uint64_t time)
{
    enter_wait(writer, location, record, time);
    omptape_sync_wait_end(writer, location, record, time);
}

void omptape_sync_wait_begin(struct omptape_writer *writer, struct omptape_location *location,
                             const struct omptape_record *record, uint64_t time)
{
    if (__builtin_expect(omptape_endpoint(record->a) != ompt_scope_begin, 0))
        wait_and_end(writer, location, record, time);
    else
        enter_wait(writer, location, record, time);
}

void omptape_sync_reduction_end(struct omptape_writer *writer, struct omptape_location *location,
                                const struct omptape_record *record, uint64_t time)
{
    omptape_parallel_leave_one(writer, location, omptape_parallel_clip(location, time, true),
                               OMPTAPE_CLASS_REDUCTION, (uint16_t)omptape_endpoint_value(record->a), 0);
}

void omptape_sync_reduction_begin(struct omptape_writer *writer, struct omptape_location *location,
                                  const struct omptape_record *record, uint64_t time)
{
    OMPTAPE_ENTER(writer, location, time, .kind = OMPTAPE_REGION_REDUCTION, .class = OMPTAPE_CLASS_REDUCTION,
                  .key = (uint16_t)omptape_endpoint_value(record->a), .address = record->p[0],
                  .site = team_site_without(location, record->p[0]));
    if (omptape_endpoint(record->a) != ompt_scope_begin)
        omptape_sync_reduction_end(writer, location, record, time);
}
