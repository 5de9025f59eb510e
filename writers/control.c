/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program's word to the tool, and the tool's own gaps. Called by the writer's translating thread.
 */
#include "writers/control.h"

#include "writers/stack.h"

#include <omptape/ompt.h>
#include <stdio.h>
#include <string.h>

static void set_recording(struct omptape_writer *writer, uint64_t time, bool on)
{
    writer->paused = !on;
    for (uint32_t i = 0; i < writer->location_count; i++) {
        struct omptape_location *location = writer->locations[i];
        if (location->events == NULL || location->off_written != on)
            continue;
        uint64_t at = omptape_stack_time(location, time);
        omptape_archive_measurement(&writer->archive, location->events, at, on);
        location->last = at;
        location->off_written = !on;
    }
}

void omptape_control_tool(struct omptape_writer *writer, struct omptape_location *location,
                          const struct omptape_record *record, uint64_t time)
{
    const struct omptape_enter enter = {
        .kind = OMPTAPE_REGION_CONTROL_TOOL, .class = OMPTAPE_CLASS_INNER, .site = record->p[2]};
    if (record->a == OMPTAPE_CONTROL_START)
        set_recording(writer, time, true);
    omptape_archive_set_u64(&writer->archive, OMPTAPE_ATTRIBUTE_COMMAND, record->p[0]);
    omptape_archive_set_u64(&writer->archive, OMPTAPE_ATTRIBUTE_MODIFIER, record->p[1]);
    omptape_stack_mark(writer, location, time, &enter);
    if (record->a == OMPTAPE_CONTROL_PAUSE)
        set_recording(writer, time, false);
    if (record->a == OMPTAPE_CONTROL_END)
        writer->ended = true;
}

void omptape_control_flush(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    omptape_stack_mark(writer, location, time,
                       &(struct omptape_enter){
                           .kind = OMPTAPE_REGION_FLUSH, .class = OMPTAPE_CLASS_INNER, .site = record->p[0]});
}

void omptape_control_error(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    char text[1024] = "";
    if (record->words > OMPTAPE_RECORD_HEADER_WORDS + 1) {
        size_t room = ((size_t)record->words - OMPTAPE_RECORD_HEADER_WORDS - 1) * 8;
        snprintf(text, sizeof(text), "%.*s", (int)room, (const char *)&record->p[1]);
    }
    omptape_stack_mark(writer, location, time,
                       &(struct omptape_enter){
                           .kind = OMPTAPE_REGION_ERROR, .class = OMPTAPE_CLASS_INNER, .site = record->p[0]});
    omptape_archive_mark(&writer->archive, location->last, location->ref,
                         record->a == ompt_fatal ? OMPTAPE_MARKER_ERROR : OMPTAPE_MARKER_WARNING, text);
}

void omptape_control_place(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    (void)writer;
    (void)time;
    location->place = record->b;
}

void omptape_control_stall(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    uint64_t begin = omptape_stack_time(location, time);
    uint64_t end = record->p[0] > begin ? record->p[0] : begin;
    writer->stalled += end - begin;
    omptape_archive_buffer_flush(&writer->archive, location->events, begin, end);
    location->last = begin;
}

void omptape_control_dropped(struct omptape_writer *writer, struct omptape_location *location,
                             const struct omptape_record *record, uint64_t time)
{
    char text[80];
    snprintf(text, sizeof(text), "%llu records dropped: the buffer was full",
             (unsigned long long)record->p[0]);
    writer->dropped += record->p[0];
    omptape_archive_mark(&writer->archive, omptape_stack_time(location, time), location->ref,
                         OMPTAPE_MARKER_DROPPED, text);
}
