/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates work-sharing constructs: loops, sections, single and others, their chunks, and masked.
 */
#include "writers/translate/parallel.h"
#include "writers/translate/stack.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>

/* How each work-sharing construct is written, indexed by ompt_work_t. A table, because switches took a
 * fifth of a loop's translation. */
struct work_facts {
    enum omptape_region_kind kind;
    enum { NO_COUNT, ITERATIONS, PARTS } count; /* Meaning of the record's count. */
    /* NULL if the runtime does not report the schedule: LLVM before 17 reports all as "loop". */
    const char *schedule;
};

static const struct work_facts work_facts[] = {
    [0] = {OMPTAPE_REGION_LOOP, ITERATIONS, NULL}, /* Unknown types. */
    [ompt_work_loop] = {OMPTAPE_REGION_LOOP, ITERATIONS, NULL},
    [ompt_work_sections] = {OMPTAPE_REGION_SECTIONS, PARTS, NULL},
    [ompt_work_single_executor] = {OMPTAPE_REGION_SINGLE, NO_COUNT, NULL},
    [ompt_work_single_other] = {OMPTAPE_REGION_SINGLE, NO_COUNT, NULL},
    [ompt_work_workshare] = {OMPTAPE_REGION_WORKSHARE, NO_COUNT, NULL},
    [ompt_work_distribute] = {OMPTAPE_REGION_DISTRIBUTE, ITERATIONS, NULL},
    [ompt_work_taskloop] = {OMPTAPE_REGION_TASKLOOP, ITERATIONS, NULL},
    [ompt_work_scope] = {OMPTAPE_REGION_SCOPE, NO_COUNT, NULL},
    [9] = {OMPTAPE_REGION_LOOP, ITERATIONS, NULL},
    [OMPTAPE_WORK_LOOP_STATIC] = {OMPTAPE_REGION_LOOP, ITERATIONS, "static"},
    [OMPTAPE_WORK_LOOP_DYNAMIC] = {OMPTAPE_REGION_LOOP, ITERATIONS, "dynamic"},
    [OMPTAPE_WORK_LOOP_GUIDED] = {OMPTAPE_REGION_LOOP, ITERATIONS, "guided"},
    [OMPTAPE_WORK_LOOP_OTHER] = {OMPTAPE_REGION_LOOP, ITERATIONS, "other"},
};

static const struct work_facts *work_facts_of(unsigned type)
{
    return &work_facts[type < sizeof(work_facts) / sizeof(work_facts[0]) ? type : 0];
}

void omptape_work_end(struct omptape_writer *writer, struct omptape_location *location,
                      const struct omptape_record *record, uint64_t time)
{
    omptape_parallel_leave_one(writer, location, time, OMPTAPE_CLASS_WORK,
                               (uint16_t)omptape_endpoint_value(record->a), 0);
}

/* Writes the schedule of the region that was entered last. */
static inline void write_schedule(struct omptape_writer *writer, struct omptape_location *location,
                                  const char *schedule)
{
    omptape_archive_parameter(&writer->archive, location->events, location->last, OMPTAPE_PARAMETER_SCHEDULE,
                              omptape_archive_literal(&writer->strings, schedule));
}

/* The executor of a single is in its block from the beginning. */
static __attribute__((noinline)) void enter_single(struct omptape_writer *writer,
                                                   struct omptape_location *location,
                                                   const struct omptape_record *record, uint64_t time)
{
    const struct omptape_open_region *work = omptape_stack_innermost(location);
    if (work == NULL)
        return;
    OMPTAPE_ENTER(writer, location, time, .kind = OMPTAPE_REGION_SINGLE_SBLOCK, .class = OMPTAPE_CLASS_INNER,
                  .key = ompt_work_single_executor, .site = work->site, .address = record->p[1],
                  .hidden = work->hidden);
}

static inline void begin_work(struct omptape_writer *writer, struct omptape_location *location,
                              const struct omptape_record *record, uint64_t time)
{
    unsigned type = omptape_endpoint_value(record->a);
    const struct work_facts *facts = work_facts_of(type);
    omptape_stack_note_kind(writer, type, OMPTAPE_WORK_LOOP_OTHER);
    if (facts->count == ITERATIONS)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_ITERATIONS, record->p[0]);
    else if (facts->count == PARTS)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_COUNT, record->p[0]);
    OMPTAPE_ENTER_LAST(writer, location, time, .kind = facts->kind, .class = OMPTAPE_CLASS_WORK,
                       .key = (uint16_t)type, .address = record->p[1]);
    /* The innermost region is this one, or its surrounding region if out of memory. */
    if (facts->schedule != NULL && location->stack.top->written)
        write_schedule(writer, location, facts->schedule);
    if (type == ompt_work_single_executor)
        enter_single(writer, location, record, time);
}

void omptape_work_begin(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time)
{
    begin_work(writer, location, record, time);
    if (omptape_endpoint(record->a) != ompt_scope_begin)
        omptape_work_end(writer, location, record, time);
}

static enum omptape_region_kind chunk_kind(unsigned kind)
{
    switch (kind) {
    case ompt_dispatch_section:
        return OMPTAPE_REGION_SECTION;
    case OMPTAPE_DISPATCH_TASKLOOP_CHUNK:
        return OMPTAPE_REGION_TASKLOOP_CHUNK;
    case OMPTAPE_DISPATCH_DISTRIBUTE_CHUNK:
        return OMPTAPE_REGION_DISTRIBUTE_CHUNK;
    default:
        return OMPTAPE_REGION_LOOP_CHUNK;
    }
}

void omptape_work_dispatch(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    const struct omptape_open_region *work =
        omptape_stack_find(location, OMPTAPE_CLASS_WORK, OMPTAPE_ANY_KEY, 0);
    const struct omptape_open_region *innermost = omptape_stack_innermost(location);
    if (innermost == NULL)
        return;
    /* The previous chunk ends where this one begins. */
    if (work != NULL)
        omptape_stack_unwind(writer, location, time, (uint32_t)(work - location->stack.floor), true);
    uint64_t site = work != NULL ? work->site : innermost->site;
    enum omptape_region_kind kind = chunk_kind(record->a);
    if (work != NULL && work->key == ompt_work_single_executor)
        kind = OMPTAPE_REGION_SINGLE_SBLOCK;
    omptape_stack_note_kind(writer, record->a, OMPTAPE_DISPATCH_DISTRIBUTE_CHUNK);
    if (record->p[1] != 0) {
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_START, record->p[0]);
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_ITERATIONS, record->p[1]);
    } else if (record->a == ompt_dispatch_iteration) {
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_START, record->p[0]);
    }
    OMPTAPE_ENTER(writer, location, time, .kind = kind, .class = OMPTAPE_CLASS_INNER, .site = site,
                  .hidden = work != NULL && work->hidden);
}

void omptape_work_masked_end(struct omptape_writer *writer, struct omptape_location *location,
                             const struct omptape_record *record, uint64_t time)
{
    (void)record;
    omptape_parallel_leave_one(writer, location, time, OMPTAPE_CLASS_MASKED, OMPTAPE_ANY_KEY, 0);
}

void omptape_work_masked_begin(struct omptape_writer *writer, struct omptape_location *location,
                               const struct omptape_record *record, uint64_t time)
{
    OMPTAPE_ENTER(writer, location, time, .kind = OMPTAPE_REGION_MASKED, .class = OMPTAPE_CLASS_MASKED,
                  .address = record->p[0]);
    if (omptape_endpoint(record->a) != ompt_scope_begin)
        omptape_work_masked_end(writer, location, record, time);
}
