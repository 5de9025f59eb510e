/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates omp_control_tool, flush, error and cancel, and omptape's own records.
 */
#include "writers/translate/translate.h"

#include "writers/regions/modules.h"
#include "writers/state/locations.h"
#include "writers/translate/parallel.h"
#include "writers/translate/stack.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Switches recording on a location. If `on`, first switches the locations that forked its teams. */
static void record_location(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                            bool on)
{
    if (location->closed || location->device != NULL || location->off_written != on)
        return;
    location->off_written = !on;
    while (omptape_parallel_is_over(location))
        omptape_parallel_close_frame(writer, location, time);
    for (uint32_t i = 0; on && i < location->stack.frame_count; i++) {
        const struct omptape_team *team = location->stack.frames[i].team;
        if (team != NULL && team->primary != NULL)
            record_location(writer, team->primary, time, on);
    }
    uint64_t at = omptape_location_time(location, time);
    omptape_archive_measurement(&writer->archive, location->events, at, on, 0);
    location->last = at;
    if (on)
        omptape_parallel_write_open(writer, location, at);
}

void omptape_control_record(struct omptape_writer *writer, uint64_t time, bool on)
{
    writer->paused = !on;
    for (uint32_t i = 0; i < writer->location_count; i++)
        record_location(writer, writer->locations[i], time, on);
}

static void obey_program(struct omptape_writer *writer, uint64_t time, bool on)
{
    writer->paused_by_program = !on;
    if (!writer->forgetting)
        omptape_control_record(writer, time, on);
}

void omptape_control_tool(struct omptape_writer *writer, struct omptape_location *location,
                          const struct omptape_record *record, uint64_t time)
{
    if (record->a == OMPTAPE_CONTROL_START) {
        writer->was_started = true;
        obey_program(writer, time, true);
    }
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_COMMAND, record->p[0]);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_MODIFIER, record->p[1]);
    omptape_stack_write_point(writer, location, time, OMPTAPE_REGION_CONTROL_TOOL, record->p[2]);
    if (record->a == OMPTAPE_CONTROL_PAUSE)
        obey_program(writer, time, false);
    if (record->a == OMPTAPE_CONTROL_END)
        writer->ended = true;
}

void omptape_control_flush(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    omptape_stack_write_point(writer, location, time, OMPTAPE_REGION_FLUSH, record->p[0]);
}

static void enter_row(struct omptape_writer *writer, struct omptape_location *location, uint64_t site,
                      uint64_t time)
{
    OMPTAPE_ENTER(writer, location, time, .kind = OMPTAPE_REGION_FLUSH, .class = OMPTAPE_CLASS_CREATE,
                  .key = OMPTAPE_REGION_FLUSH, .address = site);
}

/* Enters a region for a series of flushes at the first one. The next record that does not end the series
 * closes the region at its begin. */
void omptape_control_flushes_begin(struct omptape_writer *writer, struct omptape_location *location,
                                   const struct omptape_record *record, uint64_t time)
{
    enter_row(writer, location, record->p[0], time);
}

/* Ends a series of flushes. Enters its region if the begin was dropped or closed by a record in between. */
void omptape_control_flushes_end(struct omptape_writer *writer, struct omptape_location *location,
                                 const struct omptape_record *record, uint64_t time)
{
    struct omptape_open_region *row = omptape_stack_innermost(location);
    if (row == NULL || !omptape_stack_is(row, OMPTAPE_CLASS_CREATE, OMPTAPE_REGION_FLUSH, 0)) {
        enter_row(writer, location, record->p[1], time);
        row = omptape_stack_innermost(location);
    }
    if (row == NULL)
        return;
    if (row->written && record->p[0] > 1)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_CALLS, record->p[0]);
    omptape_stack_leave(writer, location, time, row, false);
}

void omptape_control_error(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    char text[1024] = "";
    if (record->words > OMPTAPE_RECORD_HEADER_WORDS + 1) {
        size_t capacity = (omptape_record_payload(record) - 1) * 8;
        snprintf(text, sizeof(text), "%.*s", (int)capacity, (const char *)&record->p[1]);
    }
    omptape_stack_write_point(writer, location, time, OMPTAPE_REGION_ERROR, record->p[0]);
    omptape_archive_mark(&writer->archive, location->last, location->ref,
                         record->a == ompt_fatal ? OMPTAPE_MARKER_ERROR : OMPTAPE_MARKER_WARNING, text);
}

void omptape_control_place(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    (void)writer;
    (void)time;
    location->place = record->b == UINT32_MAX ? -1 : (int64_t)record->b;
    free(location->binding);
    /* Earlier allowed processors cannot be compared with the new binding. */
    free(location->allowed);
    location->allowed = NULL;
    location->allowed_hash = 0;
    location->allowed_changes = 0;
    location->binding = omptape_processor_list(record->p, omptape_record_payload(record));
}

void omptape_control_module(struct omptape_writer *writer, struct omptape_location *location,
                            const struct omptape_record *record, uint64_t time)
{
    (void)location;
    size_t capacity = (omptape_record_payload(record) - 3) * 8;
    omptape_modules_add(writer, time, record->p[0], record->p[1], record->p[2], (const char *)&record->p[3],
                        strnlen((const char *)&record->p[3], capacity));
}

void omptape_control_stall(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    uint64_t begin = omptape_location_time(location, time);
    uint64_t end = record->p[0] > begin ? record->p[0] : begin;
    writer->stalled += end - begin;
    omptape_archive_buffer_flush(&writer->archive, location->events, begin, end);
    location->last = begin;
}

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
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_FLAGS,
                        omptape_archive_literal(&writer->strings, what));
    omptape_stack_write_point(writer, location, time, cancelled_construct(record->b), record->p[1]);
}
