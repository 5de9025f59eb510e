/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens one event and one ring for each thread. The event is a dummy that counts nothing and records context
 * switches, with samples and counters if these are enabled. Closes and replaces rings.
 */
#include "writers/observe/switch_state.h"

#include "src/core/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Size of a ring without samples: PAGES for the first 64 rings, then MIN_PAGES. Locked pages are limited
 * for each user (perf_event_mlock_kb). */
enum { RINGS_WITH_MORE = 64, PAGES = 4, MIN_PAGES = 1 };

/* After this number of truncated stacks a thread gets larger stack copies. */
enum { MAX_CUT = 4 };

/* What the time namespace adds to CLOCK_MONOTONIC_RAW, ns. */
static int64_t clock_offset;

/* Returns the namespace's offset, ns; 0 on kernels without time namespaces. */
static int64_t read_clock_offset(void)
{
    char text[128];
    long long seconds;
    long long ns;
    (void)omptape_read_text(AT_FDCWD, "/proc/self/timens_offsets", text, sizeof(text));
    return sscanf(text, "monotonic %lld %lld", &seconds, &ns) == 2 ? seconds * 1000000000 + ns : 0;
}

uint64_t omptape_switches_raw_ns(void)
{
    return omptape_clock_raw_ns() - (uint64_t)clock_offset;
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
                                      .task = 1,
                                      .use_clockid = 1,
                                      .clockid = CLOCK_MONOTONIC_RAW,
                                      .exclude_kernel = 1,
                                      .exclude_hv = 1};
    if (sampling != NULL)
        omptape_sampling_configure(sampling, switches->deep, event);
    if (counters != NULL)
        omptape_counters_configure(counters, event);
    return omptape_ring_open(event, switches->tid, -1);
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

int omptape_switches_map(struct omptape_switch_rings *rings, struct omptape_switches *switches,
                         uint32_t pages)
{
    const bool samples = rings->sampling.period_ns != 0 && rings->sampling.refused == 0;
    return map_ring(switches, samples ? &rings->sampling : NULL,
                    samples && rings->counters.count > 0 ? &rings->counters : NULL, pages, pages);
}

void omptape_switches_unmap(struct omptape_switches *switches)
{
    omptape_ring_unmap(&switches->ring);
    if (switches->counters != NULL)
        omptape_counters_close(&switches->group);
}

static void unmap_ring(struct omptape_switch_rings *rings, struct omptape_switches *switches)
{
    if (switches->sampled)
        omptape_sampling_closed(&rings->sampling, omptape_ring_bytes(&switches->ring));
    omptape_switches_unmap(switches);
    free(switches);
}

static void close_ring(struct omptape_switch_rings *rings, struct omptape_location *location)
{
    struct omptape_switches *switches = location->switches;
    if (switches == NULL)
        return;
    rings->switched += switches->count;
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
        switches->since = omptape_switches_raw_ns();
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
                            struct omptape_others *list, const struct omptape_writer *writer,
                            uint32_t processors)
{
    *rings = (struct omptape_switch_rings){.files = files, .list = list, .owner = getpid()};
    clock_offset = read_clock_offset();
    omptape_sampling_start(&rings->sampling, writer, processors);
    omptape_counters_start(&rings->counters, writer->settings, "/sys/bus/event_source/devices");
}

/* Replaces the thread's ring by one with other samples. One that has ended gets none, but it was sampled. */
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
    const struct omptape_switch_moment now = omptape_switches_clocks(writer);
    omptape_switches_read(rings, writer, largest, &now);
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
    const struct omptape_switch_moment now = omptape_switches_clocks(writer);
    for (uint32_t i = 0; i < omptape_others_thread_count(rings->list, writer); i++) {
        struct omptape_location *location = omptape_others_thread_at(rings->list, writer, i);
        if (location->switches != NULL)
            omptape_switches_read(rings, writer, location, &now);
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

void omptape_switches_close(struct omptape_switch_rings *rings, struct omptape_writer *writer,
                            struct omptape_location *location)
{
    /* In a forked child something else may be mapped at these addresses. */
    if (location->switches == NULL || rings->owner != getpid())
        return;
    const struct omptape_switch_moment now = omptape_switches_clocks(writer);
    omptape_switches_read(rings, writer, location, &now);
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
