/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gaps in a thread's records: what it had no room for.
 */
#include "writers/translate/gaps.h"

#include "writers/translate/mutex.h"
#include "writers/translate/parallel.h"
#include "writers/translate/translators.h"

#include <stdio.h>

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
