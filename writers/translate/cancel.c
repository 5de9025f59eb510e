/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cancellation of constructs and tasks: a mark where it was activated, detected or a task discarded.
 */
#include "writers/translate/stack.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>

static enum omptape_region_kind cancelled_construct(uint32_t flags)
{
    if ((flags & ompt_cancel_parallel) != 0)
        return OMPTAPE_REGION_CANCEL_PARALLEL;
    if ((flags & ompt_cancel_sections) != 0)
        return OMPTAPE_REGION_CANCEL_SECTIONS;
    if ((flags & ompt_cancel_loop) != 0)
        return OMPTAPE_REGION_CANCEL_LOOP;
    if ((flags & ompt_cancel_taskgroup) != 0)
        return OMPTAPE_REGION_CANCEL_TASKGROUP;
    return OMPTAPE_REGION_CANCEL;
}

void omptape_task_cancel(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record, uint64_t time)
{
    const char *what = "activated";
    if ((record->b & ompt_cancel_detected) != 0)
        what = "detected";
    if ((record->b & ompt_cancel_discarded_task) != 0)
        what = "discarded task";
    omptape_archive_set_string(&writer->archive, OMPTAPE_ATTRIBUTE_FLAGS,
                               omptape_archive_literal(&writer->strings, what));
    omptape_stack_mark(writer, location, time,
                       &(struct omptape_enter){.kind = cancelled_construct(record->b),
                                               .class = OMPTAPE_CLASS_INNER,
                                               .address = record->p[1]});
}
