/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides which readings of scheduler statistics become values of the metric, and where they are inserted
 * among the location's events. Called by the observer (writers/observe/) and by the translation. A reading is
 * kept if a straight line from the last kept reading to the newest misses one between them by more than the
 * tolerance. The test needs no list of these readings. Each one narrows the range of slopes that a line from
 * the anchor may have (a "swinging door"). The line must lie in the remaining range.
 */
#include "writers/state/sched.h"
#include "src/core/buckets.h"
#include "src/core/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Moves `amount` from computing and serial time since the previous reading to the bucket `to`, in
 * proportion. */
static void move(struct omptape_off_cpu_state *left, uint64_t *ticks, enum omptape_bucket to, uint64_t amount)
{
    const uint64_t all = left->computing + left->serial;
    amount = amount < all ? amount : all;
    uint64_t serial = all > 0 ? omptape_whole((double)amount * ((double)left->serial / (double)all)) : 0;
    serial = serial < left->serial ? serial : left->serial;
    serial = amount - serial < left->computing ? serial : amount - left->computing;
    left->serial -= serial;
    left->computing -= amount - serial;
    ticks[OMPTAPE_BUCKET_SERIAL] -= serial;
    ticks[OMPTAPE_BUCKET_COMPUTING] -= amount - serial;
    ticks[to] += amount;
}

static uint64_t work_of(const uint64_t *ticks)
{
    uint64_t work = 0;
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        work += omptape_buckets[bucket].work || omptape_buckets[bucket].off_cpu ? ticks[bucket] : 0;
    return work;
}

static bool is_continuous(const struct omptape_off_cpu_state *before, const struct omptape_off_cpu_state *now,
                          const uint64_t *ticks)
{
    return now->time > before->time && now->work >= before->work && now->running >= before->running &&
           now->queued >= before->queued && ticks[OMPTAPE_BUCKET_COMPUTING] >= before->computing &&
           ticks[OMPTAPE_BUCKET_SERIAL] >= before->serial;
}

/* Called when the merge has reached the time of a reading; `running` and `queued` in ns. */
static void book_off_cpu(const struct omptape_writer *writer, struct omptape_location *location,
                         struct omptape_off_cpu_state *state, uint64_t time, uint64_t running,
                         uint64_t queued)
{
    uint64_t *ticks = location->stack.bucket_ticks;
    const double ns_per_tick = 1e9 / (double)writer->timeline.second;
    struct omptape_off_cpu_state before = *state;
    before.time = before.time > 0 ? before.time : location->begin;
    omptape_stack_book(location, time);
    struct omptape_off_cpu_state now = {
        .time = time,
        .work = work_of(ticks),
        .running = running,
        .queued = queued,
        .carried_ns = before.carried_ns,
        .carried_queued_ns = before.carried_queued_ns,
    };
    if (is_continuous(&before, &now, ticks)) {
        const uint64_t all = now.time - before.time;
        const uint64_t work = now.work - before.work < all ? now.work - before.work : all;
        struct omptape_sched_interval interval = {
            .work = (double)work * ns_per_tick,
            .waiting = (double)(all - work) * ns_per_tick,
            .running = (double)(now.running - before.running),
            .queued = (double)(now.queued - before.queued),
            .carried = before.carried_ns,
            .carried_queued = before.carried_queued_ns,
            .exact = location->sched->switches > 0 && !location->sched->has_gaps,
        };
        if (before.running == 0 && before.queued == 0)
            omptape_sched_interval_clip_first(&interval);
        const struct omptape_off_cpu off_cpu = omptape_sched_interval_off_cpu(&interval);
        now.carried_ns = off_cpu.carried;
        now.carried_queued_ns = off_cpu.carried_queued;
        now.computing = ticks[OMPTAPE_BUCKET_COMPUTING] - before.computing;
        now.serial = ticks[OMPTAPE_BUCKET_SERIAL] - before.serial;
        move(&now, ticks, OMPTAPE_BUCKET_BLOCKED, omptape_whole(off_cpu.blocked / ns_per_tick));
        move(&now, ticks, OMPTAPE_BUCKET_RUNNABLE, omptape_whole(off_cpu.runnable / ns_per_tick));
    }
    now.computing = ticks[OMPTAPE_BUCKET_COMPUTING];
    now.serial = ticks[OMPTAPE_BUCKET_SERIAL];
    *state = now;
}

/* A value takes about 40 bytes, an event about nine. */
enum { EVENTS_A_VALUE = 256 };
/* Without events a value is written after this part of the location's life has passed since the last one.
 * This makes about a hundred values in an hour, half of them in the first minute. */
enum { PART_A_VALUE = 8 };
enum { FIRST_CAPACITY = 8 };

static const double tolerance_ns = 20e6;

static uint64_t events_of(const struct omptape_location *location)
{
    return omptape_events_are_open(location->events) ? location->events->count : 0;
}

static double slope(const struct omptape_location *location, const struct omptape_sched_reading *reading,
                    unsigned member, double off)
{
    const struct omptape_sched_reading *anchor = &location->sched->anchor;
    const uint64_t from = anchor->time != 0 ? anchor->time : location->begin;
    const double ticks = reading->time > from ? (double)(reading->time - from) : 1;
    return ((double)reading->sums[member] - (double)anchor->sums[member] + off) / ticks;
}

/* Returns true if a line from the anchor to the reading passes all between them within the tolerance. */
static bool fits(const struct omptape_location *location, const struct omptape_sched_reading *reading)
{
    const struct omptape_sched *sched = location->sched;
    for (unsigned i = 0; i < OMPTAPE_SCHED_TIMES && sched->has_door; i++) {
        const double straight = slope(location, reading, i, 0);
        if (straight < sched->door.min[i] || straight > sched->door.max[i])
            return false;
    }
    return true;
}

static void narrow_door(struct omptape_location *location, const struct omptape_sched_reading *reading)
{
    struct omptape_sched *sched = location->sched;
    const double off = ldexp(tolerance_ns, (int)sched->halvings);
    for (unsigned i = 0; i < OMPTAPE_SCHED_TIMES; i++) {
        const double min = slope(location, reading, i, -off);
        const double max = slope(location, reading, i, off);
        if (!sched->has_door || min > sched->door.min[i])
            sched->door.min[i] = min;
        if (!sched->has_door || max < sched->door.max[i])
            sched->door.max[i] = max;
    }
    sched->has_door = true;
}

static void drop_every_other(struct omptape_sched *sched)
{
    sched->count /= 2;
    for (uint32_t i = 0; i < sched->count; i++)
        sched->kept[i] = sched->kept[2 * i + 1];
    sched->halvings++;
}

static bool reserve(struct omptape_sched *sched)
{
    if (sched->count < sched->capacity)
        return true;
    if (sched->capacity == OMPTAPE_MAX_SCHED_READINGS) {
        drop_every_other(sched);
        return true;
    }
    const uint32_t capacity = sched->capacity == 0 ? FIRST_CAPACITY : 2 * sched->capacity;
    struct omptape_sched_reading *kept = realloc(sched->kept, capacity * sizeof(*kept));
    if (kept == NULL)
        return false;
    sched->kept = kept;
    sched->capacity = capacity;
    return true;
}

static void keep(struct omptape_location *location, const struct omptape_sched_reading *reading)
{
    struct omptape_sched *sched = location->sched;
    if (!reserve(sched))
        return;
    sched->kept[sched->count++] = *reading;
    location->pending = true;
    sched->anchor = *reading;
    sched->events_then = events_of(location);
    sched->has_door = false;
}

/* Returns true if another value must be written although it lies on the line. */
static bool is_due(const struct omptape_location *location, const struct omptape_sched_reading *reading)
{
    const struct omptape_sched *sched = location->sched;
    const uint64_t before = sched->anchor.time != 0 ? sched->anchor.time : location->begin;
    if (memcmp(sched->anchor.sums, reading->sums, sizeof(reading->sums)) == 0)
        return false;
    return events_of(location) - sched->events_then >= EVENTS_A_VALUE ||
           (reading->time - before) * PART_A_VALUE >= reading->time - location->begin;
}

/* `before`: the previous reading, at which the behaviour changed. Kept only if no later event is written. */
static void insert_change(struct omptape_location *location, const struct omptape_sched_reading *before,
                          const struct omptape_sched_reading *reading)
{
    const struct omptape_sched *sched = location->sched;
    if (!fits(location, reading))
        keep(location, before->time > location->last ? before : reading);
    if (is_due(location, reading))
        keep(location, reading);
    if (reading->time > sched->anchor.time)
        narrow_door(location, reading);
}

/* Returns false if the reading belongs to another thread. Sums computed from context switches have small
 * errors. They keep their value until the kernel's sums exceed it. */
static bool goes_on(const struct omptape_sched *sched, struct omptape_sched_reading *reading)
{
    const uint64_t off = sched->switches > 0 ? (uint64_t)tolerance_ns : 0;
    for (unsigned i = 0; i < OMPTAPE_SCHED_MEMBERS; i++) {
        const uint64_t latest = sched->latest.sums[i];
        if (latest > reading->sums[i] && latest - reading->sums[i] > off)
            return false;
        reading->sums[i] = latest > reading->sums[i] ? latest : reading->sums[i];
    }
    return true;
}

struct omptape_sched_reading omptape_sched_last(const struct omptape_location *location)
{
    struct omptape_sched_reading reading = {.time = 0};
    if (location->sched == NULL)
        return reading;
    reading = location->sched->latest;
    for (unsigned i = 0; i < OMPTAPE_SCHED_MEMBERS; i++)
        reading.sums[i] -= location->sched->before.sums[i];
    return reading;
}

void omptape_sched_add(const struct omptape_writer *writer, struct omptape_location *location,
                       const struct omptape_sched_reading *read)
{
    if (location->sched == NULL)
        location->sched = calloc(1, sizeof(*location->sched));
    struct omptape_sched *sched = location->sched;
    if (sched == NULL)
        return;
    struct omptape_sched_reading reading = *read;
    for (unsigned i = 0; i < OMPTAPE_SCHED_MEMBERS; i++)
        reading.sums[i] += sched->before.sums[i];
    if (reading.time <= location->begin || !goes_on(sched, &reading))
        return;
    const struct omptape_sched_reading before = sched->latest;
    sched->latest = reading;
    if (!writer->forgetting)
        insert_change(location, &before, &reading);
}

static bool is_affordable(const struct omptape_writer *writer, const struct omptape_location *location,
                          uint64_t time)
{
    const uint64_t age = (time - location->begin) / (writer->timeline.second + 1);
    return location->sched->switches < omptape_sched_switch_readings(age, events_of(location));
}

void omptape_sched_add_at_switch(const struct omptape_writer *writer, struct omptape_location *location,
                                 const struct omptape_sched_reading *read)
{
    struct omptape_sched *sched = location->sched;
    struct omptape_sched_reading reading = *read;
    if (sched == NULL || reading.time <= location->begin) {
        omptape_sched_add(writer, location, read);
        return;
    }
    for (unsigned i = 0; i < OMPTAPE_SCHED_MEMBERS; i++) {
        reading.sums[i] += sched->before.sums[i];
        reading.sums[i] = reading.sums[i] > sched->latest.sums[i] ? reading.sums[i] : sched->latest.sums[i];
    }
    reading.time = reading.time > sched->latest.time ? reading.time : sched->latest.time;
    reading.time = omptape_location_time(location, reading.time);
    const struct omptape_sched_reading before = sched->latest;
    sched->latest = reading;
    if (writer->forgetting)
        return;
    if (is_affordable(writer, location, reading.time)) {
        keep(location, &reading);
        sched->switches++;
    } else {
        sched->has_gaps = true;
        insert_change(location, &before, &reading);
    }
}

/* Keeps a reading at a later time, until which the thread has run for `ns` more. */
static void keep_at(struct omptape_location *location, uint64_t time, uint64_t ns)
{
    struct omptape_sched_reading *latest = &location->sched->latest;
    if (latest->time == 0 || time <= latest->time)
        return;
    latest->time = time;
    latest->sums[OMPTAPE_MEMBER_RUNNING] += ns;
    keep(location, latest);
}

void omptape_sched_change_thread(const struct omptape_writer *writer, struct omptape_location *location,
                                 uint64_t time)
{
    struct omptape_sched *sched = location->sched;
    if (sched == NULL)
        return;
    /* The previous thread may have ended long before. */
    const uint64_t end = location->last < time ? location->last : time;
    const uint64_t ticks = omptape_minus(end, sched->latest.time);
    keep_at(location, end, omptape_whole((double)ticks * 1e9 / (double)writer->timeline.second));
    keep_at(location, time, 0);
    sched->latest.detailed = 0;
    sched->before = sched->latest;
    sched->anchor = sched->latest;
    sched->anchor.time = 0;
    sched->has_door = false;
    sched->events_then = events_of(location);
}

static void write_value(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                        const struct omptape_sched_reading *reading)
{
    if (!omptape_archive_can_write(&writer->archive, location->events))
        return;
    time = omptape_location_time(location, time);
    book_off_cpu(writer, location, &location->sched->off_cpu, time, reading->sums[OMPTAPE_MEMBER_RUNNING],
                 reading->sums[OMPTAPE_MEMBER_WAITING]);
    /* With distinct times no value is written: readers merge a metric into the following event. */
    if (location->off_written || writer->archive.step != 0)
        return;
    location->last = time;
    omptape_archive_metric(&writer->archive, location->events, time, OMPTAPE_METRIC_SCHED, OTF2_TYPE_UINT64,
                           OMPTAPE_SCHED_MEMBERS, reading->sums);
    location->sched->last_written = reading->time;
}

void omptape_sched_write_begin(struct omptape_writer *writer, struct omptape_location *location)
{
    const struct omptape_sched_reading none = {.time = location->begin};
    if (location->sched != NULL)
        write_value(writer, location, location->begin, &none);
}

void omptape_sched_write(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    struct omptape_sched *sched = location->sched;
    uint32_t done = 0;
    for (; done < sched->count && sched->kept[done].time <= time; done++) {
        /* Earlier readings belong to a time when recording was off. */
        if (sched->kept[done].time >= location->last)
            write_value(writer, location, sched->kept[done].time, &sched->kept[done]);
    }
    sched->count -= done;
    memmove(sched->kept, sched->kept + done, sched->count * sizeof(sched->kept[0]));
}

/* Returns true if the last reading may be written at its time. It may not if the thread continued long
 * after it, because the thread would appear to sleep since then. If it is the only reading, the thread
 * counts as running since then. */
static bool reaches_end(const struct omptape_writer *writer, const struct omptape_location *location)
{
    const uint64_t late = writer->timeline.second / 100;
    struct omptape_sched_reading *latest = &location->sched->latest;
    if (latest->time + late >= location->last)
        return true;
    if (location->sched->last_written != 0)
        return false;
    const double ns = (double)(location->last - latest->time) * 1e9 / (double)writer->timeline.second;
    latest->sums[OMPTAPE_MEMBER_RUNNING] += (uint64_t)ns;
    return true;
}

void omptape_sched_finish(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    struct omptape_sched *sched = location->sched;
    if (sched == NULL)
        return;
    if (omptape_sched_has_pending(location))
        omptape_sched_write(writer, location, time);
    sched->count = 0;
    if (sched->latest.time > sched->last_written && reaches_end(writer, location))
        write_value(writer, location, sched->latest.time < time ? sched->latest.time : time, &sched->latest);
}

void omptape_sched_free(struct omptape_location *location)
{
    if (location->sched != NULL)
        free(location->sched->kept);
    free(location->sched);
    location->sched = NULL;
}
