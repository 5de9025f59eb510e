/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates dependences: of tasks, as parameters of the region in which the task is created; of iterations
 * (doacross), as parameters of the loop.
 */
#include "writers/translate/stack.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>

static const char *dependence_name(unsigned type)
{
    static const char *const names[] = {[ompt_dependence_type_in] = "in",
                                        [ompt_dependence_type_out] = "out",
                                        [ompt_dependence_type_inout] = "inout",
                                        [ompt_dependence_type_mutexinoutset] = "mutexinoutset",
                                        [ompt_dependence_type_inoutset] = "inoutset",
                                        [OMPTAPE_DEPENDENCE_OUT_ALL_MEMORY] = "out all memory",
                                        [OMPTAPE_DEPENDENCE_INOUT_ALL_MEMORY] = "inout all memory"};
    return type < sizeof(names) / sizeof(names[0]) && names[type] != NULL ? names[type] : "unknown";
}

/* For doacross `variable` is an iteration number, not an address. There may be millions, so they are
 * written as integers and not as strings. */
static void write_dependence(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                             unsigned type, uint64_t variable)
{
    if (type == ompt_dependence_type_source || type == ompt_dependence_type_sink)
        omptape_archive_parameter(
            &writer->archive, location->events, time,
            type == ompt_dependence_type_sink ? OMPTAPE_PARAMETER_SINK : OMPTAPE_PARAMETER_SOURCE, variable);
    else
        omptape_archive_parameter(&writer->archive, location->events, time, OMPTAPE_PARAMETER_DEPEND,
                                  omptape_archive_format(&writer->strings, "%s 0x%llx", dependence_name(type),
                                                         (unsigned long long)variable));
}

void omptape_task_dependences(struct omptape_writer *writer, struct omptape_location *location,
                              const struct omptape_record *record, uint64_t time)
{
    struct omptape_open_region *innermost = omptape_stack_innermost(location);
    unsigned count = record->a;
    if (8 + (size_t)count * 9 > omptape_record_payload(record) * 8)
        return;
    time = omptape_location_time(location, time);
    const unsigned char *types = (const unsigned char *)&record->p[1 + count];
    for (unsigned i = 0; i < count && innermost != NULL && innermost->written; i++)
        write_dependence(writer, location, time, types[i], record->p[1 + i]);
    location->last = time;
}

/* The waiting times were not recorded one by one. One region as long as their sum is written. */
void omptape_task_turns(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time)
{
    const uint64_t waited = omptape_timeline_ticks(&writer->timeline, record->p[1]);
    OMPTAPE_ENTER(writer, location, time > waited ? time - waited : 0, .kind = OMPTAPE_REGION_ORDERED,
                  .class = OMPTAPE_CLASS_CREATE, .key = OMPTAPE_REGION_ORDERED);
    struct omptape_open_region *row = omptape_stack_innermost(location);
    if (row == NULL || !omptape_stack_is(row, OMPTAPE_CLASS_CREATE, OMPTAPE_REGION_ORDERED, 0))
        return;
    if (row->written)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_CALLS, record->p[0]);
    omptape_stack_leave(writer, location, time, row, false);
}

void omptape_task_dependence(struct omptape_writer *writer, struct omptape_location *location,
                             const struct omptape_record *record, uint64_t time)
{
    struct omptape_open_region *innermost = omptape_stack_innermost(location);
    if (innermost == NULL || !innermost->written)
        return;
    time = omptape_location_time(location, time);
    omptape_archive_parameter(&writer->archive, location->events, time, OMPTAPE_PARAMETER_DEPENDS_ON,
                              record->p[0]);
    location->last = time;
}
