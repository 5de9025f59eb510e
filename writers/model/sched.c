/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which readings become values of the metric, and where they stand among the location's events. Called by
 * what reads them (schedstat.c) and by the translation.
 */
#include "writers/model/sched.h"

#include <stdlib.h>
#include <string.h>

/* A value takes some 25 bytes, an event some nine. */
enum { EVENTS_A_VALUE = 256 };
/* Without events there is a value when this part of the location's life has passed since the last: some
 * hundred in an hour, half of them in its first minute. */
enum { PART_A_VALUE = 8 };

static uint64_t events_of(const struct omptape_location *location)
{
    return omptape_events_are_open(location->events) ? location->events->count : 0;
}

/* Is another value worth its bytes? */
static bool is_due(const struct omptape_location *location, const struct omptape_sched_reading *reading,
                   uint64_t events)
{
    const struct omptape_sched *sched = location->sched;
    uint64_t before = sched->newest_kept.time != 0 ? sched->newest_kept.time : location->begin;
    if (reading->running == sched->newest_kept.running && reading->waiting == sched->newest_kept.waiting)
        return false;
    return events - sched->events_then >= EVENTS_A_VALUE ||
           (reading->time - before) * PART_A_VALUE >= reading->time - location->begin;
}

/* Every other one goes. */
static void make_room(struct omptape_sched *sched)
{
    sched->count = OMPTAPE_SCHED_KEPT / 2;
    for (uint32_t i = 0; i < sched->count; i++)
        sched->kept[i] = sched->kept[2 * i + 1];
}

void omptape_sched_note(const struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_sched_reading *read)
{
    if (location->sched == NULL)
        location->sched = calloc(1, sizeof(*location->sched));
    struct omptape_sched *sched = location->sched;
    if (sched == NULL)
        return;
    const struct omptape_sched_reading reading = {.time = read->time,
                                                  .running = sched->before.running + read->running,
                                                  .waiting = sched->before.waiting + read->waiting};
    if (reading.time <= location->begin || reading.running < sched->latest.running ||
        reading.waiting < sched->latest.waiting)
        return;
    sched->latest = reading;
    uint64_t events = events_of(location);
    if (writer->forgetting || !is_due(location, &reading, events))
        return;
    if (sched->count == OMPTAPE_SCHED_KEPT)
        make_room(sched);
    sched->kept[sched->count++] = reading;
    location->pending = true;
    sched->newest_kept = reading;
    sched->events_then = events;
}

void omptape_sched_change_thread(struct omptape_location *location)
{
    struct omptape_sched *sched = location->sched;
    if (sched == NULL)
        return;
    sched->before = sched->latest;
    sched->newest_kept.time = 0;
    sched->events_then = events_of(location);
}

static void write_value(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                        const struct omptape_sched_reading *reading)
{
    const uint64_t values[] = {reading->running, reading->waiting};
    /* Who needs distinct times takes a metric for a part of the event behind it, at the same time. */
    if (!omptape_archive_can_write(&writer->archive, location->events) || location->off_written ||
        writer->archive.step != 0)
        return;
    location->last = omptape_location_time(location, time);
    omptape_archive_metric(&writer->archive, location->events, location->last, OMPTAPE_METRIC_SCHED,
                           sizeof(values) / sizeof(values[0]), values);
    location->sched->shown = reading->time;
}

void omptape_sched_show(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    struct omptape_sched *sched = location->sched;
    uint32_t done = 0;
    for (; done < sched->count && sched->kept[done].time <= time; done++) {
        /* Else it is of a time when recording was off. */
        if (sched->kept[done].time >= location->last)
            write_value(writer, location, sched->kept[done].time, &sched->kept[done]);
    }
    sched->count -= done;
    memmove(sched->kept, sched->kept + done, sched->count * sizeof(sched->kept[0]));
}

void omptape_sched_finish(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    struct omptape_sched *sched = location->sched;
    if (sched == NULL)
        return;
    omptape_sched_show(writer, location, time);
    sched->count = 0;
    if (sched->latest.time > sched->shown)
        write_value(writer, location, sched->latest.time < time ? sched->latest.time : time, &sched->latest);
}
