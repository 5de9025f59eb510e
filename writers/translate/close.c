/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Closes locations: leaves open regions, ends threads, marks gaps in the records.
 */
#include "writers/state/locations.h"
#include "writers/state/sched.h"
#include "writers/translate/created_threads.h"
#include "writers/translate/mutex.h"
#include "writers/translate/parallel.h"
#include "writers/translate/samples.h"
#include "writers/translate/stack.h"
#include "writers/translate/translators.h"

#include <stdio.h>

void omptape_close_regions(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    if (location->device != NULL)
        return;
    if (omptape_samples_are_pending(location) && !omptape_parallel_is_late(location))
        omptape_samples_write(writer, location, time);
    omptape_mutex_write_awaited(writer, location);
    omptape_awaited_write(writer, location, time);
    omptape_parallel_close_all(writer, location, time);
    omptape_stack_unwind(writer, location, time, 0, true);
    omptape_samples_finish(writer, location, time);
    omptape_sched_finish(writer, location, time);
    if (writer->ended && !location->off_written) {
        omptape_archive_measurement(&writer->archive, location->events, location->last, false, 0);
        location->off_written = true;
    }
}

void omptape_close_thread(struct omptape_writer *writer, struct omptape_location *location,
                          const struct omptape_record *record, uint64_t time)
{
    (void)record;
    /* The program's main thread continues without the runtime. */
    if (location == writer->locations[0])
        return;
    omptape_close_regions(writer, location, time);
    omptape_stack_end(location, time);
}

void omptape_close_trace(struct omptape_writer *writer, uint64_t time)
{
    if (writer->ended)
        return;
    omptape_parallel_synthesise_workers(writer, time);
    writer->ended = true;
    for (uint32_t i = 0; i < writer->location_count; i++) {
        if (writer->locations[i]->closed)
            continue;
        omptape_close_regions(writer, writer->locations[i], time);
        omptape_stack_end(writer->locations[i], time);
    }
}

void omptape_close_contents(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    if (location->closed)
        return;
    location->closed = true;
    omptape_close_regions(writer, location, time);
    if (location == writer->locations[0])
        omptape_locations_leave_program(writer, time, true);
    omptape_stack_end(location, time);
    if (omptape_events_are_open(location->events) && location->events->last > writer->last_time)
        writer->last_time = location->events->last;
}

void omptape_close_location(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    omptape_close_contents(writer, location, time);
    if (omptape_events_are_open(location->events))
        (void)omptape_archive_close_location(&writer->archive, location->events);
}

void omptape_close_ended(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    const bool is_reusable = !location->closed && omptape_locations_is_reusable(writer, location);
    omptape_close_contents(writer, location, time);
    omptape_created_threads_end_initial(writer, location);
    if (!is_reusable) {
        omptape_close_location(writer, location, time);
        return;
    }
    omptape_mutex_change_thread(location);
    omptape_locations_make_reusable(writer, location);
}

static void mark_gap(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                     uint64_t events)
{
    char text[80];
    snprintf(text, sizeof(text), "%llu events dropped: the buffer was full", (unsigned long long)events);
    omptape_archive_mark(&writer->archive, time, location->ref, OMPTAPE_MARKER_DROPPED, text);
    location->gaps.marked += events;
}

void omptape_gaps_translate(struct omptape_writer *writer, struct omptape_location *location,
                            const struct omptape_record *record, uint64_t time)
{
    if (record->p[0] == 0)
        return;
    time = omptape_location_time(location, time);
    location->gaps.end = record->p[1];
    location->gaps.lossy = true;
    writer->lossy = true;
    omptape_mutex_release_all(writer, location, time);
    omptape_parallel_gap(writer, location, time);
    mark_gap(writer, location, time, record->p[0]);
}

void omptape_gaps_close(struct omptape_writer *writer, struct omptape_location *location, uint64_t events)
{
    writer->dropped += events;
    if (location == NULL)
        return;
    location->gaps.dropped = location->gaps.before + events;
    if (events <= location->gaps.marked)
        return;
    location->gaps.lossy = true;
    writer->lossy = true;
    omptape_mutex_release_all(writer, location, location->last);
    mark_gap(writer, location, location->last, events - location->gaps.marked);
}
