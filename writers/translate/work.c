/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops, sections, single and the like.
 */
#include "writers/regions/kinds.h"
#include "writers/translate/parallel.h"
#include "writers/translate/stack.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>

/* NULL where the runtime does not tell: LLVM before 17 says "loop" for all. */
static const char *schedule_of(unsigned type)
{
    switch (type) {
    case OMPTAPE_WORK_LOOP_STATIC:
        return "static";
    case OMPTAPE_WORK_LOOP_DYNAMIC:
        return "dynamic";
    case OMPTAPE_WORK_LOOP_GUIDED:
        return "guided";
    case OMPTAPE_WORK_LOOP_OTHER:
        return "other";
    default:
        return NULL;
    }
}

static void set_count(struct omptape_writer *writer, enum omptape_region_kind kind, uint64_t count)
{
    switch (kind) {
    case OMPTAPE_REGION_LOOP:
    case OMPTAPE_REGION_DISTRIBUTE:
    case OMPTAPE_REGION_TASKLOOP:
        omptape_archive_set_u64(&writer->archive, OMPTAPE_ATTRIBUTE_ITERATIONS, count);
        break;
    case OMPTAPE_REGION_SECTIONS:
        omptape_archive_set_u64(&writer->archive, OMPTAPE_ATTRIBUTE_COUNT, count);
        break;
    default:
        break;
    }
}

void omptape_work_end(struct omptape_writer *writer, struct omptape_location *location,
                      const struct omptape_record *record, uint64_t time)
{
    omptape_parallel_leave_one(writer, location, time, OMPTAPE_CLASS_WORK,
                               (uint16_t)omptape_endpoint_value(record->a), 0);
}

static void begin_work(struct omptape_writer *writer, struct omptape_location *location,
                       const struct omptape_record *record, uint64_t time)
{
    unsigned type = omptape_endpoint_value(record->a);
    struct omptape_enter enter = {.kind = omptape_region_of_work(type),
                                  .class = OMPTAPE_CLASS_WORK,
                                  .key = (uint16_t)type,
                                  .address = record->p[1]};
    set_count(writer, enter.kind, record->p[0]);
    omptape_stack_enter_last(writer, location, time, &enter);

    const char *schedule = schedule_of(type);
    const struct omptape_open_region *work = omptape_stack_innermost(location);
    if (work == NULL)
        return;
    if (schedule != NULL && work->written)
        omptape_archive_parameter_string(&writer->archive, location->events, location->last,
                                         OMPTAPE_PARAMETER_SCHEDULE,
                                         omptape_archive_literal(&writer->strings, schedule));
    if (type == ompt_work_single_executor) {
        enter.kind = OMPTAPE_REGION_SINGLE_SBLOCK;
        enter.class = OMPTAPE_CLASS_INNER;
        enter.site = work->site;
        enter.hidden = work->hidden;
        omptape_stack_enter(writer, location, time, &enter);
    }
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
    /* The chunk before ends where this one begins. */
    if (work != NULL)
        omptape_stack_unwind(writer, location, time, (uint32_t)(work - location->stack.floor), true);
    uint64_t site = work != NULL ? work->site : innermost->site;
    enum omptape_region_kind kind = chunk_kind(record->a);
    if (work != NULL && work->key == ompt_work_single_executor)
        kind = OMPTAPE_REGION_SINGLE_SBLOCK;
    if (record->p[1] != 0) {
        omptape_archive_set_i64(&writer->archive, OMPTAPE_ATTRIBUTE_START, (int64_t)record->p[0]);
        omptape_archive_set_u64(&writer->archive, OMPTAPE_ATTRIBUTE_ITERATIONS, record->p[1]);
    } else if (record->a == ompt_dispatch_iteration) {
        omptape_archive_set_i64(&writer->archive, OMPTAPE_ATTRIBUTE_START, (int64_t)record->p[0]);
    }
    omptape_stack_enter(writer, location, time,
                        &(struct omptape_enter){.kind = kind,
                                                .class = OMPTAPE_CLASS_INNER,
                                                .site = site,
                                                .hidden = work != NULL && work->hidden});
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
    omptape_stack_enter(writer, location, time,
                        &(struct omptape_enter){.kind = OMPTAPE_REGION_MASKED,
                                                .class = OMPTAPE_CLASS_MASKED,
                                                .address = record->p[0]});
    if (omptape_endpoint(record->a) != ompt_scope_begin)
        omptape_work_masked_end(writer, location, record, time);
}
