/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens one event and one ring for each thread: a dummy event that counts nothing and only records context
 * switches.
 */
#include "writers/observe/switches.h"

#include "src/core/clock.h"
#include "writers/observe/ring.h"
#include "writers/regions/contexts.h"
#include "writers/translate/samples.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Size of a ring without samples: PAGES for the first 64 rings, then MIN_PAGES. Locked pages are limited
 * for each user (perf_event_mlock_kb). */
enum { RINGS_WITH_MORE = 64, PAGES = 4, MIN_PAGES = 1 };

/* Shorter times without a processor are not recorded as readings, ns. */
static const uint64_t min_off_ns = 1000000;

/* STATE_UNKNOWN is the state before the first switch. STATE_LOST follows lost records: neither the state nor
 * the time is known. */
enum state { STATE_UNKNOWN, STATE_LOST, STATE_ON, STATE_PREEMPTED, STATE_ASLEEP };

struct omptape_switches {
    uint32_t tid;
    struct omptape_ring ring;
    enum state state;
    bool sampled;                      /* the ring has samples */
    struct omptape_counters *counters; /* the samples have these values; NULL if they have none */
    struct omptape_counter_group group;
    bool starved;     /* samples have no counters because these were rarely counted */
    bool deep;        /* samples have a larger stack copy */
    uint32_t cut;     /* number of stack copies that were too small */
    bool is_recorded; /* the reading at the begin of this time without a processor was recorded */
    bool lost;        /* records were lost since the last reading from /proc */
    uint64_t since;   /* CLOCK_MONOTONIC_RAW, ns */
    uint64_t running;
    uint64_t preempted;              /* run-queue time after preemptions, ns */
    uint64_t woken;                  /* run-queue time after wake-ups, ns, by the newest reading from /proc */
    uint64_t slept_since;            /* begin of the sleep in which the thread was last looked at */
    OTF2_CallingContextRef slept_in; /* its calling context then */
};

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

/* After this number of truncated stacks a thread gets larger stack copies. */
enum { MAX_CUT = 4 };

/* Records copied from a ring and not yet processed. */
enum { MAX_RECORDS = 512 };
static struct switch_record batch[MAX_RECORDS];

/* One moment on both clocks. */
struct moment {
    uint64_t time; /* time of the trace */
    uint64_t raw;  /* CLOCK_MONOTONIC_RAW, ns */
};

static struct moment read_clocks(struct omptape_writer *writer)
{
    return (struct moment){.time = omptape_timeline_now(&writer->timeline), .raw = omptape_clock_raw_ns()};
}

static uint64_t time_of(const struct omptape_writer *writer, const struct moment *now, uint64_t raw)
{
    const double ticks = ((double)raw - (double)now->raw) * (double)writer->timeline.second / 1e9;
    return ticks > -(double)now->time ? now->time + (uint64_t)(int64_t)ticks : 0;
}

static int open_event(const struct omptape_switches *switches, const struct omptape_sampling *sampling,
                      const struct omptape_counters *counters, struct perf_event_attr *event)
{
    *event = (struct perf_event_attr){.size = sizeof(*event),
                                      .type = PERF_TYPE_SOFTWARE,
                                      .config = PERF_COUNT_SW_DUMMY,
                                      .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
                                      .sample_id_all = 1,
                                      .context_switch = 1,
                                      .use_clockid = 1,
                                      .clockid = CLOCK_MONOTONIC_RAW,
                                      .exclude_kernel = 1,
                                      .exclude_hv = 1};
    if (sampling != NULL)
        omptape_sampling_configure(sampling, switches->deep, event);
    if (counters != NULL)
        omptape_counters_configure(counters, event);
    const long fd = syscall(SYS_perf_event_open, event, (pid_t)switches->tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd >= 0 ? (int)fd : -errno;
}

/* Opens the event and maps its ring, with samples unless `sampling` is NULL and counters unless `counters` is
 * NULL. Halves `pages` down to `min_pages` until the kernel accepts it. Returns 0 or negative errno: -ESRCH
 * if the thread is gone. */
static int map_ring(struct omptape_switches *switches, const struct omptape_sampling *sampling,
                    struct omptape_counters *counters, uint32_t pages, uint32_t min_pages)
{
    struct perf_event_attr event;
    const int fd = open_event(switches, sampling, counters, &event);
    if (fd < 0)
        return fd;
    int error = omptape_ring_map(&switches->ring, fd, pages, min_pages);
    if (error == 0 && counters != NULL)
        error = omptape_counters_open(counters, fd, switches->tid, &event, &switches->group);
    switches->counters = error == 0 ? counters : NULL;
    if (switches->counters == NULL)
        close(fd);
    if (error != 0)
        omptape_ring_unmap(&switches->ring);
    return error;
}

/* Maps a ring with samples, and with counters if the kernel allows all of them. */
static int map_sampling_ring(struct omptape_switch_rings *rings, struct omptape_switches *switches,
                             uint32_t pages, uint32_t min_pages)
{
    struct omptape_counters *counters = &rings->counters;
    if (counters->count > 0 && !switches->starved) {
        const int error = map_ring(switches, &rings->sampling, counters, pages, min_pages);
        if (error == 0 || error == -ESRCH || error == -ENOMEM)
            return error;
        counters->refused_threads++;
    }
    return map_ring(switches, &rings->sampling, NULL, pages, min_pages);
}

static void unmap_ring(struct omptape_switch_rings *rings, struct omptape_switches *switches)
{
    if (switches->sampled)
        omptape_sampling_closed(&rings->sampling, omptape_ring_bytes(&switches->ring));
    omptape_ring_unmap(&switches->ring);
    if (switches->counters != NULL)
        omptape_counters_close(&switches->group);
    free(switches);
}

static void close_ring(struct omptape_switch_rings *rings, struct omptape_location *location)
{
    struct omptape_switches *switches = location->switches;
    if (switches == NULL)
        return;
    unmap_ring(rings, switches);
    location->switches = NULL;
    rings->open--;
}

static bool shrink_largest(struct omptape_switch_rings *rings, struct omptape_writer *writer);

/* Maps a ring with samples and switches. If the kernel refuses the usual size, other rings are made smaller.
 */
static int map_sampled_ring(struct omptape_switch_rings *rings, struct omptape_writer *writer,
                            struct omptape_switches *switches)
{
    struct omptape_sampling *sampling = &rings->sampling;
    const uint32_t min_pages = (uint32_t)(omptape_sampling_min_bytes() / omptape_ring_page_bytes());
    int error;
    do {
        const uint64_t wanted =
            omptape_sampling_ring_bytes(sampling, rings->open) / omptape_ring_page_bytes();
        error = map_sampling_ring(rings, switches, (uint32_t)wanted,
                                  min_pages > MIN_PAGES ? min_pages : MIN_PAGES);
    } while (error == -ENOMEM && shrink_largest(rings, writer));
    if (error != 0)
        return error;
    switches->sampled = true;
    omptape_sampling_opened(sampling, omptape_ring_bytes(&switches->ring));
    return 0;
}

/* Maps a ring with samples and switches, or with switches alone if the kernel refuses samples. */
static int map_some_ring(struct omptape_switch_rings *rings, struct omptape_writer *writer,
                         struct omptape_switches *switches)
{
    if (rings->sampling.period_ns != 0) {
        const int error = map_sampled_ring(rings, writer, switches);
        if (error == 0 || error == -ESRCH)
            return error;
        omptape_sampling_refused(&rings->sampling, error,
                                 omptape_thread_files_are_private(rings->files->tasks, switches->tid));
    }
    return map_ring(switches, NULL, NULL, rings->open < RINGS_WITH_MORE ? PAGES : MIN_PAGES, MIN_PAGES);
}

/* Opens the thread's ring. The sums start with the kernel's values. */
static void open_ring(struct omptape_switch_rings *rings, struct omptape_writer *writer,
                      struct omptape_location *location, bool deep, bool starved)
{
    struct omptape_sched_reading reading = omptape_sched_last(location);
    struct omptape_switches *switches = calloc(1, sizeof(*switches));
    location->switches_tid = location->tid;
    if (switches == NULL)
        return;
    switches->tid = location->tid;
    switches->deep = deep;
    switches->starved = starved;
    int error = map_some_ring(rings, writer, switches);
    if (error == 0)
        error = omptape_thread_files_times(rings->files, location->tid, &reading);
    if (error == 0) {
        switches->since = omptape_clock_raw_ns();
        switches->running = reading.sums[OMPTAPE_MEMBER_RUNNING];
        switches->woken = reading.sums[OMPTAPE_MEMBER_WAITING];
        location->switches = switches;
        rings->open++;
        rings->threads++;
        rings->others += location->other != NULL;
        return;
    }
    if (error != -ESRCH)
        rings->refused = true;
    unmap_ring(rings, switches);
}

static uint64_t queued_of(const struct omptape_switches *switches)
{
    return switches->preempted + switches->woken;
}

/* Records a reading. Does nothing after lost records, because the sums are wrong until the next reading from
 * /proc. */
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
                      const struct moment *now, uint64_t until)
{
    struct omptape_switches *switches = location->switches;
    const bool off = switches->state == STATE_PREEMPTED || switches->state == STATE_ASLEEP;
    if (!off || switches->is_recorded || until < switches->since + min_off_ns)
        return;
    add_reading(writer, location, time_of(writer, now, switches->since));
    switches->is_recorded = true;
}

/* Notes that the thread continues on a processor. `wake_up` is its run-queue time if it slept before, ns. */
static void switch_in(struct omptape_writer *writer, struct omptape_location *location,
                      const struct moment *now, uint64_t raw, uint64_t wake_up)
{
    struct omptape_switches *switches = location->switches;
    add_begin(writer, location, now, raw);
    if (switches->state == STATE_PREEMPTED)
        switches->preempted += raw - switches->since;
    else if (switches->state == STATE_ASLEEP || switches->state == STATE_UNKNOWN)
        switches->woken += wake_up < raw - switches->since ? wake_up : raw - switches->since;
    if (switches->is_recorded)
        add_reading(writer, location, time_of(writer, now, raw));
    switches->state = STATE_ON;
    switches->since = raw;
    switches->is_recorded = false;
}

static void switch_out(struct omptape_switches *switches, bool preempted, uint64_t raw)
{
    if (switches->state == STATE_ON || switches->state == STATE_UNKNOWN)
        switches->running += raw - switches->since;
    switches->state = preempted ? STATE_PREEMPTED : STATE_ASLEEP;
    switches->since = raw;
    switches->is_recorded = false;
}

/* Reads the counters' values from a sample record and adds them to the location's sums. Returns false if
 * there are none. */
static bool decode_counters(struct omptape_location *location, unsigned char *record, size_t *bytes,
                            bool *timed)
{
    struct omptape_switches *switches = location->switches;
    uint64_t *sums = omptape_samples_sums(location);
    return switches->counters != NULL && sums != NULL &&
           omptape_counters_decode(switches->counters, &switches->group, record, bytes, timed, sums);
}

/* Decodes the ring's next record, a sample, and adds it to the location. */
static void decode_sample(struct omptape_writer *writer, struct omptape_location *location,
                          const struct moment *now, size_t bytes)
{
    static unsigned char record[UINT16_MAX + 1];
    struct omptape_switches *switches = location->switches;
    const uint64_t cut = writer->contexts->truncated;
    uint64_t raw = 0;
    omptape_ring_copy(&switches->ring, record, bytes);
    if (location->closed || location->tid != switches->tid || !omptape_others_are_recorded(writer, location))
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

static bool is_switch_out(const struct switch_record *record)
{
    return (record->header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
}

/* Copies up to MAX_RECORDS switch records from the ring into `batch` and adds the samples to the location.
 * Returns the number of records in the batch. */
static unsigned fetch_records(struct omptape_writer *writer, struct omptape_location *location,
                              const struct moment *now)
{
    struct omptape_switches *switches = location->switches;
    const uint64_t end = omptape_ring_end(&switches->ring);
    unsigned count = 0;
    while (count < MAX_RECORDS && omptape_ring_next(&switches->ring, end, &batch[count].header)) {
        struct switch_record *record = &batch[count];
        const bool sampled = record->header.type == PERF_RECORD_SAMPLE;
        if (sampled)
            decode_sample(writer, location, now, record->header.size);
        else if (record->header.size >= MIN_RECORD)
            omptape_ring_copy(&switches->ring, record,
                              record->header.size < sizeof(*record) ? MIN_RECORD : sizeof(*record));
        if (record->header.type == PERF_RECORD_LOST)
            count_lost(writer, switches);
        if (record->header.type == PERF_RECORD_SWITCH && switches->counters != NULL)
            omptape_counters_note_switch(&switches->group, is_switch_out(record), record->processor);
        switches->ring.read += record->header.size;
        count += !sampled && (record->header.type == PERF_RECORD_LOST || record->header.size >= MIN_RECORD);
    }
    omptape_ring_release(&switches->ring);
    return count;
}

static bool is_preempted(const struct switch_record *record)
{
    return (record->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
}

/* Returns the run-queue time of each wake-up among `count` records, ns; 0 if no wake-up ends a long sleep.
 * The kernel only has one sum of run-queue time after wake-ups and preemptions; the rest is distributed
 * evenly. */
static uint64_t share_of_wake_up(const struct omptape_switch_rings *rings,
                                 const struct omptape_switches *switches, unsigned count)
{
    struct omptape_sched_reading reading = {.time = 0};
    uint64_t preempted = 0;
    uint64_t since = switches->since;
    enum state state = switches->state;
    unsigned wake_ups = 0;
    bool matters = false;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t off = batch[i].time > since ? batch[i].time - since : 0;
        if (batch[i].header.type != PERF_RECORD_SWITCH)
            return 0;
        if (!is_switch_out(&batch[i]) && state == STATE_PREEMPTED)
            preempted += off;
        if (!is_switch_out(&batch[i]) && (state == STATE_ASLEEP || state == STATE_UNKNOWN)) {
            wake_ups++;
            matters = matters || off >= min_off_ns;
        }
        state = !is_switch_out(&batch[i]) ? STATE_ON
                : is_preempted(&batch[i]) ? STATE_PREEMPTED
                                          : STATE_ASLEEP;
        since = batch[i].time;
    }
    if (!matters || omptape_thread_files_times(rings->files, switches->tid, &reading) != 0)
        return 0;
    const uint64_t known = queued_of(switches) + preempted;
    const uint64_t queued = reading.sums[OMPTAPE_MEMBER_WAITING];
    return queued > known ? (queued - known) / wake_ups : 0;
}

static void handle_record(struct omptape_writer *writer, struct omptape_location *location,
                          const struct moment *now, const struct switch_record *record, uint64_t wake_up)
{
    struct omptape_switches *switches = location->switches;
    if (record->header.type == PERF_RECORD_LOST) {
        switches->lost = true;
        switches->state = STATE_LOST;
        switches->is_recorded = false;
    }
    if (record->header.type != PERF_RECORD_SWITCH || record->time < switches->since)
        return;
    if (is_switch_out(record))
        switch_out(switches, is_preempted(record), record->time);
    else
        switch_in(writer, location, now, record->time, wake_up);
}

static void handle_records(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                           struct omptape_location *location, const struct moment *now)
{
    unsigned count;
    while ((count = fetch_records(writer, location, now)) > 0) {
        const uint64_t wake_up = share_of_wake_up(rings, location->switches, count);
        for (unsigned i = 0; i < count; i++)
            handle_record(writer, location, now, &batch[i], wake_up);
        if (count < MAX_RECORDS)
            break;
    }
    add_begin(writer, location, now, now->raw);
}

static bool is_over(const struct omptape_location *location)
{
    return location->closed || location->end != 0 || location->switches->tid != location->tid;
}

static bool wants_ring(const struct omptape_switch_rings *rings, const struct omptape_writer *writer,
                       const struct omptape_location *location, uint64_t now)
{
    return location->switches == NULL && location->switches_tid != location->tid &&
           location->device == NULL && !location->closed && location->end == 0 && !rings->refused &&
           omptape_others_should_have_ring(writer, location, now);
}

void omptape_switches_start(struct omptape_switch_rings *rings, struct omptape_thread_files *files,
                            const struct omptape_others *list, const struct omptape_writer *writer,
                            uint32_t processors)
{
    *rings = (struct omptape_switch_rings){.files = files, .list = list, .owner = getpid()};
    omptape_sampling_start(&rings->sampling, writer, processors);
    omptape_counters_start(&rings->counters, writer->settings, "/sys/bus/event_source/devices");
}

/* Replaces the thread's ring by one with another kind of samples. A thread that has ended meanwhile gets
 * none, but it was sampled. */
static void replace_ring(struct omptape_switch_rings *rings, struct omptape_writer *writer,
                         struct omptape_location *location, bool deep, bool starved)
{
    const struct omptape_switch_rings before = *rings;
    close_ring(rings, location);
    open_ring(rings, writer, location, deep, starved);
    rings->threads = before.threads;
    rings->others = before.others;
    rings->sampling.threads = before.sampling.threads;
}

/* Makes the largest sampling ring smaller. Returns false if all have the least size. */
static bool shrink_largest(struct omptape_switch_rings *rings, struct omptape_writer *writer)
{
    struct omptape_location *largest = NULL;
    uint32_t pages = (uint32_t)(omptape_sampling_min_bytes() / omptape_ring_page_bytes());
    for (uint32_t i = 0; i < omptape_others_thread_count(rings->list, writer); i++) {
        struct omptape_location *location = omptape_others_thread_at(rings->list, writer, i);
        const struct omptape_switches *switches = location->switches;
        if (switches == NULL || !switches->sampled || switches->ring.count <= pages)
            continue;
        largest = location;
        pages = switches->ring.count;
    }
    if (largest == NULL)
        return false;
    const struct moment now = read_clocks(writer);
    handle_records(rings, writer, largest, &now);
    rings->sampling.max_ring_bytes = pages / 2 * omptape_ring_page_bytes();
    replace_ring(rings, writer, largest, largest->switches->deep, largest->switches->starved);
    return true;
}

/* Gives the thread another ring: with larger stack copies if these are often too small, or without counters
 * if these are rarely counted. */
static void adapt_sampling(struct omptape_switch_rings *rings, struct omptape_writer *writer,
                           struct omptape_location *location)
{
    const struct omptape_switches *switches = location->switches;
    if (switches == NULL || !switches->sampled)
        return;
    const bool deep = switches->deep || switches->cut >= MAX_CUT;
    const bool starved =
        switches->starved || (switches->counters != NULL && omptape_counters_is_starved(&switches->group));
    if (deep == switches->deep && starved == switches->starved)
        return;
    rings->counters.refused_threads += starved && !switches->starved;
    replace_ring(rings, writer, location, deep, starved);
}

void omptape_switches_serve(struct omptape_switch_rings *rings, struct omptape_writer *writer)
{
    const struct moment now = read_clocks(writer);
    for (uint32_t i = 0; i < omptape_others_thread_count(rings->list, writer); i++) {
        struct omptape_location *location = omptape_others_thread_at(rings->list, writer, i);
        if (location->switches != NULL)
            handle_records(rings, writer, location, &now);
        if (location->switches != NULL && is_over(location))
            close_ring(rings, location);
        adapt_sampling(rings, writer, location);
        if (!wants_ring(rings, writer, location, now.time))
            continue;
        if (rings->open < OMPTAPE_MAX_RINGS)
            open_ring(rings, writer, location, false, false);
        else if (rings->sampling.refused == 0 && rings->sampling.period_ns != 0)
            omptape_sampling_refused(&rings->sampling, -EMFILE, false);
    }
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
    const struct moment now = read_clocks(writer);
    if (rings->owner == getpid())
        handle_records(rings, writer, location, &now);
    uint64_t *running = &reading->sums[OMPTAPE_MEMBER_RUNNING];
    uint64_t *queued = &reading->sums[OMPTAPE_MEMBER_WAITING];
    if (switches->lost && *running > switches->running)
        switches->running = *running;
    switches->lost = false;
    if (*queued > queued_of(switches))
        switches->woken = *queued - switches->preempted;
    const uint64_t counted = *running;
    *running = switches->running;
    if (switches->state == STATE_ON && now.raw > switches->since)
        *running += now.raw - switches->since;
    /* The kernel's sum is a lower bound: the times of switches are slightly inexact. */
    if (counted > *running) {
        switches->running += counted - *running;
        *running = counted;
    }
    *queued = queued_of(switches);
    if (switches->state == STATE_PREEMPTED && now.raw > switches->since)
        *queued += now.raw - switches->since;
}

void omptape_switches_note_last(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                                struct omptape_location *location)
{
    const struct omptape_switches *switches = location->switches;
    if (switches == NULL || switches->tid != location->tid || rings->owner != getpid())
        return;
    const struct moment now = read_clocks(writer);
    handle_records(rings, writer, location, &now);
    if (switches->state == STATE_ASLEEP || switches->state == STATE_PREEMPTED)
        add_reading(writer, location, time_of(writer, &now, switches->since));
}

bool omptape_switches_may_sleep(const struct omptape_location *location)
{
    const struct omptape_switches *switches = location->switches;
    if (switches == NULL || switches->state == STATE_UNKNOWN || switches->state == STATE_LOST)
        return true;
    return switches->state == STATE_ASLEEP;
}

bool omptape_switches_get_sleep_context(const struct omptape_location *location,
                                        OTF2_CallingContextRef *context)
{
    const struct omptape_switches *switches = location->switches;
    if (switches == NULL || switches->state != STATE_ASLEEP || switches->slept_since != switches->since)
        return false;
    *context = switches->slept_in;
    return true;
}

void omptape_switches_set_sleep_context(struct omptape_location *location, OTF2_CallingContextRef context)
{
    struct omptape_switches *switches = location->switches;
    if (switches == NULL || switches->state != STATE_ASLEEP)
        return;
    switches->slept_since = switches->since;
    switches->slept_in = context;
}

void omptape_switches_close(struct omptape_switch_rings *rings, struct omptape_writer *writer,
                            struct omptape_location *location)
{
    /* In a forked child something else may be mapped at these addresses. */
    if (location->switches == NULL || rings->owner != getpid())
        return;
    const struct moment now = read_clocks(writer);
    handle_records(rings, writer, location, &now);
    close_ring(rings, location);
}

void omptape_switches_discard(struct omptape_switch_rings *rings, struct omptape_location *other)
{
    /* In a forked child something else may be mapped at these addresses. */
    if (other->switches == NULL || rings->owner != getpid())
        return;
    rings->threads--;
    rings->others--;
    rings->sampling.threads -= other->switches->sampled;
    close_ring(rings, other);
}

void omptape_switches_move_ring(struct omptape_switch_rings *rings, struct omptape_location *other,
                                struct omptape_location *location)
{
    if (other->switches == NULL || location->switches != NULL || other->tid != location->tid)
        return;
    location->switches = other->switches;
    location->switches_tid = other->switches_tid;
    other->switches = NULL;
    rings->others--;
}

void omptape_switches_stop(struct omptape_switch_rings *rings, struct omptape_writer *writer)
{
    /* In a forked child something else may be mapped at the rings' addresses. */
    for (uint32_t i = 0; i < omptape_others_thread_count(rings->list, writer) && rings->owner == getpid();
         i++)
        close_ring(rings, omptape_others_thread_at(rings->list, writer, i));
}
