/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the threads' files (thread_files.h): those of times each time, the others as often as a budget
 * allows.
 */
#include "writers/observe/schedstat.h"

#include "src/core/clock.h"
#include "writers/model/sched.h"
#include "writers/observe/thread_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Of a thousand threads each is read every second or two. */
enum { THREADS_AT_ONCE = 64 };

/* Ten times a second, more often in the beginning: the runtime may end its threads before it tells of the
 * program's end, and a short program's must have been read by then. */
static const uint64_t longest_period_ns = 100000000;
static const uint64_t shortest_period_ns = 10000000;
enum { PART_A_PERIOD = 4 };

/* The program waits for the last reading. */
static const uint64_t longest_ns = 250000000;

/* Details are read while these have not taken more of the time since the start than a part of it. */
enum { PART_FOR_DETAILS = 400 };
/* They may take so much of the program's first moments, ns. */
static const uint64_t details_at_start_ns = 5000000;

struct omptape_schedstat {
    int tasks; /* the folder of the program's threads */
    uint64_t begin;
    uint64_t next;
    uint64_t details_ns; /* that reading details has taken */
    uint32_t at;         /* location */
};

/* Are the numbers in /proc those that the program and its writer see? */
static bool has_own_numbers(void)
{
    char text[32];
    ssize_t n = readlink("/proc/self", text, sizeof(text) - 1);
    text[n > 0 ? n : 0] = '\0';
    return strtol(text, NULL, 10) == (long)getpid();
}

void omptape_schedstat_start(struct omptape_writer *writer, int process)
{
    if (writer->settings->no_sched != 0 || process < 0 || !has_own_numbers())
        return;
    int tasks = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct omptape_schedstat *schedstat = tasks >= 0 ? calloc(1, sizeof(*schedstat)) : NULL;
    if (schedstat == NULL) {
        if (tasks >= 0)
            close(tasks);
        return;
    }
    schedstat->tasks = tasks;
    schedstat->begin = omptape_clock_raw_ns();
    writer->schedstat = schedstat;
}

void omptape_schedstat_stop(struct omptape_writer *writer)
{
    if (writer->schedstat != NULL)
        close(writer->schedstat->tasks);
    free(writer->schedstat);
    writer->schedstat = NULL;
}

static bool can_afford_details(const struct omptape_schedstat *schedstat, uint64_t now)
{
    return schedstat->details_ns < details_at_start_ns + (now - schedstat->begin) / PART_FOR_DETAILS;
}

/* Details that cannot be read, or cost too much now, are as they were. */
static void read_details(struct omptape_schedstat *schedstat, uint32_t tid, bool must,
                         struct omptape_sched_reading *reading)
{
    const uint64_t begin = omptape_clock_raw_ns();
    if (!must && !can_afford_details(schedstat, begin))
        return;
    (void)omptape_thread_files_details(schedstat->tasks, tid, reading);
    schedstat->details_ns += omptape_clock_raw_ns() - begin;
}

/* `must`: details, too, whatever they cost. */
static void read_thread(struct omptape_writer *writer, struct omptape_location *location, bool must)
{
    struct omptape_schedstat *schedstat = writer->schedstat;
    struct omptape_sched_reading reading = omptape_sched_last(location);
    if (omptape_thread_files_times(schedstat->tasks, location->tid, &reading) != 0)
        return;
    reading.time = omptape_timeline_now(&writer->timeline);
    if (reading.sums[OMPTAPE_MEMBER_RUNNING] != reading.detailed)
        read_details(schedstat, location->tid, must, &reading);
    omptape_sched_note(writer, location, &reading);
}

static bool is_readable(const struct omptape_location *location)
{
    return location->device == NULL && !location->closed;
}

/* Its present thread. */
static bool was_read(const struct omptape_location *location)
{
    return location->sched != NULL &&
           (location->threads < 2 || location->sched->latest.time > location->begin);
}

static uint64_t period_after(uint64_t age)
{
    uint64_t period = age / PART_A_PERIOD;
    if (period < shortest_period_ns)
        return shortest_period_ns;
    return period < longest_period_ns ? period : longest_period_ns;
}

uint64_t omptape_schedstat_patience(const struct omptape_writer *writer, uint64_t most)
{
    if (writer->schedstat == NULL)
        return most;
    uint64_t period = period_after(omptape_clock_raw_ns() - writer->schedstat->begin);
    return period < most ? period : most;
}

void omptape_schedstat_serve(struct omptape_writer *writer)
{
    struct omptape_schedstat *schedstat = writer->schedstat;
    if (schedstat == NULL || writer->location_count == 0 || atomic_load(&writer->shm->chunk_waiters) != 0)
        return;
    uint64_t now = omptape_clock_raw_ns();
    if (now < schedstat->next)
        return;
    schedstat->next = now + period_after(now - schedstat->begin);
    uint32_t read = 0;
    for (uint32_t looked = 0; looked < writer->location_count && read < THREADS_AT_ONCE; looked++) {
        schedstat->at = (schedstat->at + 1) % writer->location_count;
        struct omptape_location *location = writer->locations[schedstat->at];
        if (!is_readable(location))
            continue;
        read_thread(writer, location, false);
        read++;
    }
}

void omptape_schedstat_read(struct omptape_writer *writer, bool fresh)
{
    uint64_t begin = omptape_clock_raw_ns();
    for (uint32_t i = 0; i < writer->location_count && writer->schedstat != NULL; i++) {
        struct omptape_location *location = writer->locations[i];
        if (!is_readable(location) || (fresh && was_read(location)))
            continue;
        read_thread(writer, location, true);
        if (omptape_clock_raw_ns() - begin > longest_ns)
            break;
    }
}
