/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the rings' records: context switches become times on a processor, in a run queue and asleep, and
 * samples are queued for the merge.
 */
#include "writers/observe/switch_state.h"

#include "writers/regions/contexts.h"
#include "writers/translate/created_threads.h"
#include "writers/translate/samples.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <unistd.h>

/* Shorter times without a processor are not recorded as readings, ns. */
static const uint64_t min_off_ns = 1000000;

/* Layout of PERF_RECORD_SWITCH with PERF_SAMPLE_TID and PERF_SAMPLE_TIME. With counters it also has
 * PERF_SAMPLE_ID, and PERF_SAMPLE_CPU if migrations are counted. */
struct switch_record {
    struct perf_event_header header;
    uint32_t pid;
    uint32_t tid;
    uint64_t time;
    uint64_t number;
    uint32_t processor;
    uint32_t reserved;
};
enum { MIN_RECORD = offsetof(struct switch_record, number) };

/* Layout of PERF_RECORD_FORK and PERF_RECORD_EXIT. */
struct task_record {
    struct perf_event_header header;
    uint32_t pid;
    uint32_t parent_pid;
    uint32_t tid;
    uint32_t parent_tid;
    uint64_t time;
};

/* Records copied from a ring and not yet processed. */
enum { MAX_RECORDS = 512 };
static struct switch_record batch[MAX_RECORDS];

static uint64_t time_of(const struct omptape_writer *writer, const struct omptape_switch_moment *now,
                        uint64_t raw)
{
    const double ticks = ((double)raw - (double)now->raw) * (double)writer->timeline.second / 1e9;
    return ticks > -(double)now->time ? now->time + (uint64_t)(int64_t)ticks : 0;
}

static uint64_t queued_of(const struct omptape_switches *switches)
{
    return switches->preempted + switches->woken;
}

/* Records a reading. Not after lost records: the sums are wrong until the next reading from /proc. */
static void add_reading(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    if (location->switches->lost)
        return;
    struct omptape_sched_reading reading = omptape_sched_last(location);
    reading.time = time;
    reading.sums[OMPTAPE_MEMBER_RUNNING] = location->switches->running;
    reading.sums[OMPTAPE_MEMBER_WAITING] = queued_of(location->switches);
    omptape_sched_add_at_switch(writer, location, &reading);
}

/* Records the reading at the begin of a time without a processor, as soon as this time is long enough. */
static void add_begin(struct omptape_writer *writer, struct omptape_location *location,
                      const struct omptape_switch_moment *now, uint64_t until)
{
    struct omptape_switches *switches = location->switches;
    const bool off = switches->state == OMPTAPE_SWITCH_PREEMPTED || switches->state == OMPTAPE_SWITCH_ASLEEP;
    if (!off || switches->is_recorded || until < switches->since + min_off_ns)
        return;
    add_reading(writer, location, time_of(writer, now, switches->since));
    switches->is_recorded = true;
}

/* Notes that the thread continues on a processor. `wake_up` is its run-queue time if it slept before, ns. */
static void switch_in(struct omptape_writer *writer, struct omptape_location *location,
                      const struct omptape_switch_moment *now, uint64_t raw, uint64_t wake_up)
{
    struct omptape_switches *switches = location->switches;
    add_begin(writer, location, now, raw);
    switches->count++;
    if (switches->state == OMPTAPE_SWITCH_PREEMPTED)
        switches->preempted += raw - switches->since;
    else if (switches->state == OMPTAPE_SWITCH_ASLEEP || switches->state == OMPTAPE_SWITCH_UNKNOWN)
        switches->woken += wake_up < raw - switches->since ? wake_up : raw - switches->since;
    if (switches->is_recorded)
        add_reading(writer, location, time_of(writer, now, raw));
    switches->state = OMPTAPE_SWITCH_ON;
    switches->since = raw;
    switches->is_recorded = false;
}

static void switch_out(struct omptape_switches *switches, bool preempted, uint64_t raw)
{
    if (switches->state == OMPTAPE_SWITCH_ON || switches->state == OMPTAPE_SWITCH_UNKNOWN)
        switches->running += raw - switches->since;
    switches->state = preempted ? OMPTAPE_SWITCH_PREEMPTED : OMPTAPE_SWITCH_ASLEEP;
    switches->since = raw;
    switches->is_recorded = false;
}

/* Adds the counters' values of a sample record to the location's sums. Returns false if there are none. */
static bool decode_counters(struct omptape_location *location, unsigned char *record, size_t *bytes,
                            bool *timed)
{
    struct omptape_switches *switches = location->switches;
    uint64_t *sums = omptape_samples_sums(location);
    return switches->counters != NULL && sums != NULL &&
           omptape_counters_decode(switches->counters, &switches->group, record, bytes, timed, sums);
}

/* Returns true if the ring's records are of the location's thread and are recorded now. */
static bool is_recorded(const struct omptape_writer *writer, const struct omptape_location *location)
{
    return !location->closed && location->tid == location->switches->tid &&
           omptape_others_are_recorded(writer, location);
}

/* Decodes the ring's next record, a sample, and adds it to the location. */
static void decode_sample(struct omptape_writer *writer, struct omptape_location *location,
                          const struct omptape_switch_moment *now, size_t bytes)
{
    static unsigned char record[UINT16_MAX + 1];
    struct omptape_switches *switches = location->switches;
    const uint64_t cut = writer->contexts->truncated;
    uint64_t raw = 0;
    omptape_ring_copy(&switches->ring, record, bytes);
    if (!is_recorded(writer, location))
        return;
    bool timed = true;
    const bool counted = decode_counters(location, record, &bytes, &timed);
    const OTF2_CallingContextRef context = omptape_sampling_decode(writer, record, bytes, &raw);
    switches->cut += writer->contexts->truncated != cut;
    if (context == OTF2_UNDEFINED_CALLING_CONTEXT || (!timed && !counted))
        return;
    omptape_samples_queue(location, time_of(writer, now, raw),
                          (struct omptape_sample){.context = context, .counted = counted, .timed = timed});
}

static void count_lost(struct omptape_writer *writer, const struct omptape_switches *switches)
{
    struct lost_record {
        struct perf_event_header header;
        uint64_t id;
        uint64_t lost;
    } record;
    omptape_ring_copy(&switches->ring, &record, sizeof(record));
    if (record.header.size >= sizeof(record))
        writer->contexts->lost += record.lost;
}

static void note_created(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                         struct omptape_location *location, const struct task_record *task, uint64_t time)
{
    const uint32_t number = is_recorded(writer, location) ? omptape_created_threads_number(writer) : 0;
    omptape_others_note_created(
        rings->list, &(struct omptape_created_thread){
                         .tid = task->tid, .creator = task->parent_tid, .number = number, .time = time});
    omptape_created_threads_queue(location, time, OMPTAPE_RECORD_THREAD_CREATE, number);
}

/* Notes a thread that the ring's thread has created. The end of the ring's thread becomes a switch: the
 * kernel records no further one. Returns false if `record` remains empty. */
static bool decode_task(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                        struct omptape_location *location, const struct omptape_switch_moment *now,
                        struct switch_record *record)
{
    struct task_record task;
    if (record->header.size < sizeof(task))
        return false;
    omptape_ring_copy(&location->switches->ring, &task, sizeof(task));
    const uint64_t time = time_of(writer, now, task.time);
    if (task.header.type == PERF_RECORD_FORK) {
        if (task.pid == task.parent_pid)
            note_created(rings, writer, location, &task, time);
        return false;
    }
    /* The location of a thread of OpenMP is closed before. */
    if (location->tid == location->switches->tid && omptape_others_are_recorded(writer, location))
        omptape_others_note_ended(rings->list, writer, location, time);
    record->header = (struct perf_event_header){
        .type = PERF_RECORD_SWITCH, .misc = PERF_RECORD_MISC_SWITCH_OUT, .size = task.header.size};
    record->time = task.time;
    return true;
}

static bool is_switch_out(const struct switch_record *record)
{
    return (record->header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
}

/* Copies up to MAX_RECORDS switch records from the ring into `batch` and adds the samples to the location.
 * Returns the number of records in the batch. */
static unsigned fetch_records(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                              struct omptape_location *location, const struct omptape_switch_moment *now)
{
    struct omptape_switches *switches = location->switches;
    const uint64_t end = omptape_ring_end(&switches->ring);
    unsigned count = 0;
    while (count < MAX_RECORDS && omptape_ring_next(&switches->ring, end, &batch[count].header)) {
        struct switch_record *record = &batch[count];
        const bool sampled = record->header.type == PERF_RECORD_SAMPLE;
        const bool is_task =
            record->header.type == PERF_RECORD_FORK || record->header.type == PERF_RECORD_EXIT;
        const uint64_t bytes = record->header.size;
        bool is_batched = !sampled && (record->header.type == PERF_RECORD_LOST || bytes >= MIN_RECORD);
        if (sampled)
            decode_sample(writer, location, now, record->header.size);
        else if (is_task)
            is_batched = decode_task(rings, writer, location, now, record);
        else if (record->header.size >= MIN_RECORD)
            omptape_ring_copy(&switches->ring, record,
                              record->header.size < sizeof(*record) ? MIN_RECORD : sizeof(*record));
        if (record->header.type == PERF_RECORD_LOST)
            count_lost(writer, switches);
        if (record->header.type == PERF_RECORD_SWITCH && switches->counters != NULL)
            omptape_counters_note_switch(&switches->group, is_switch_out(record), record->processor);
        switches->ring.read += bytes;
        count += is_batched;
    }
    omptape_ring_release(&switches->ring);
    return count;
}

static bool is_preempted(const struct switch_record *record)
{
    return (record->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
}

/* Returns the run-queue time of each wake-up among `count` records, ns; 0 if no wake-up ends a long sleep.
 * The kernel has one sum of run-queue time after wake-ups and preemptions; the rest is divided evenly. */
static uint64_t share_of_wake_up(const struct omptape_switch_rings *rings,
                                 const struct omptape_switches *switches, unsigned count)
{
    struct omptape_sched_reading reading = {.time = 0};
    uint64_t preempted = 0;
    uint64_t since = switches->since;
    enum omptape_switch_state state = switches->state;
    unsigned wake_ups = 0;
    bool matters = false;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t off = batch[i].time > since ? batch[i].time - since : 0;
        if (batch[i].header.type != PERF_RECORD_SWITCH)
            return 0;
        if (!is_switch_out(&batch[i]) && state == OMPTAPE_SWITCH_PREEMPTED)
            preempted += off;
        if (!is_switch_out(&batch[i]) &&
            (state == OMPTAPE_SWITCH_ASLEEP || state == OMPTAPE_SWITCH_UNKNOWN)) {
            wake_ups++;
            matters = matters || off >= min_off_ns;
        }
        state = !is_switch_out(&batch[i]) ? OMPTAPE_SWITCH_ON
                : is_preempted(&batch[i]) ? OMPTAPE_SWITCH_PREEMPTED
                                          : OMPTAPE_SWITCH_ASLEEP;
        since = batch[i].time;
    }
    if (!matters || omptape_thread_files_times(rings->files, switches->tid, &reading) != 0)
        return 0;
    const uint64_t known = queued_of(switches) + preempted;
    const uint64_t queued = reading.sums[OMPTAPE_MEMBER_WAITING];
    return queued > known ? (queued - known) / wake_ups : 0;
}

static void handle_record(struct omptape_writer *writer, struct omptape_location *location,
                          const struct omptape_switch_moment *now, const struct switch_record *record,
                          uint64_t wake_up)
{
    struct omptape_switches *switches = location->switches;
    if (record->header.type == PERF_RECORD_LOST) {
        switches->lost = true;
        switches->state = OMPTAPE_SWITCH_LOST;
        switches->is_recorded = false;
    }
    if (record->header.type != PERF_RECORD_SWITCH || record->time < switches->since)
        return;
    if (is_switch_out(record))
        switch_out(switches, is_preempted(record), record->time);
    else
        switch_in(writer, location, now, record->time, wake_up);
}

void omptape_switches_read(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                           struct omptape_location *location, const struct omptape_switch_moment *now)
{
    unsigned count;
    while ((count = fetch_records(rings, writer, location, now)) > 0) {
        const uint64_t wake_up = share_of_wake_up(rings, location->switches, count);
        for (unsigned i = 0; i < count; i++)
            handle_record(writer, location, now, &batch[i], wake_up);
        if (count < MAX_RECORDS)
            break;
    }
    add_begin(writer, location, now, now->raw);
}

void omptape_switches_count_last(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                                 struct omptape_location *location)
{
    struct omptape_switches *switches = location->switches;
    uint64_t *sums = omptape_samples_sums(location);
    if (switches == NULL || switches->counters == NULL || sums == NULL || switches->tid != location->tid ||
        location->closed || rings->owner != getpid())
        return;
    if (omptape_counters_read(switches->counters, &switches->group, sums))
        omptape_samples_queue(
            location, omptape_timeline_now(&writer->timeline),
            (struct omptape_sample){.context = OTF2_UNDEFINED_CALLING_CONTEXT, .counted = true});
}

void omptape_switches_correct(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                              struct omptape_location *location, struct omptape_sched_reading *reading)
{
    struct omptape_switches *switches = location->switches;
    if (switches == NULL || switches->tid != location->tid)
        return;
    const struct omptape_switch_moment now = omptape_switches_clocks(writer);
    if (rings->owner == getpid())
        omptape_switches_read(rings, writer, location, &now);
    uint64_t *running = &reading->sums[OMPTAPE_MEMBER_RUNNING];
    uint64_t *queued = &reading->sums[OMPTAPE_MEMBER_WAITING];
    if (switches->lost && *running > switches->running)
        switches->running = *running;
    switches->lost = false;
    if (*queued > queued_of(switches))
        switches->woken = *queued - switches->preempted;
    const uint64_t counted = *running;
    *running = switches->running;
    if (switches->state == OMPTAPE_SWITCH_ON && now.raw > switches->since)
        *running += now.raw - switches->since;
    /* The kernel's sum is a lower bound: the times of switches are slightly inexact. */
    if (counted > *running) {
        switches->running += counted - *running;
        *running = counted;
    }
    *queued = queued_of(switches);
    if (switches->state == OMPTAPE_SWITCH_PREEMPTED && now.raw > switches->since)
        *queued += now.raw - switches->since;
}

void omptape_switches_note_last(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                                struct omptape_location *location)
{
    const struct omptape_switches *switches = location->switches;
    if (switches == NULL || switches->tid != location->tid || rings->owner != getpid())
        return;
    const struct omptape_switch_moment now = omptape_switches_clocks(writer);
    omptape_switches_read(rings, writer, location, &now);
    if (switches->state == OMPTAPE_SWITCH_ASLEEP || switches->state == OMPTAPE_SWITCH_PREEMPTED)
        add_reading(writer, location, time_of(writer, &now, switches->since));
}

bool omptape_switches_may_sleep(const struct omptape_location *location)
{
    const struct omptape_switches *switches = location->switches;
    if (switches == NULL || switches->state == OMPTAPE_SWITCH_UNKNOWN ||
        switches->state == OMPTAPE_SWITCH_LOST)
        return true;
    return switches->state == OMPTAPE_SWITCH_ASLEEP;
}

bool omptape_switches_recall_sleep(const struct omptape_location *location, struct omptape_sleep *sleep)
{
    const struct omptape_switches *switches = location->switches;
    if (switches == NULL || switches->state != OMPTAPE_SWITCH_ASLEEP ||
        switches->slept_since != switches->since)
        return false;
    *sleep = switches->sleep;
    return true;
}

void omptape_switches_keep_sleep(struct omptape_location *location, const struct omptape_sleep *sleep)
{
    struct omptape_switches *switches = location->switches;
    if (switches == NULL || switches->state != OMPTAPE_SWITCH_ASLEEP)
        return;
    switches->slept_since = switches->since;
    switches->sleep = *sleep;
}
