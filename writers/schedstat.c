/* SPDX-License-Identifier: BSD-3-Clause
 *
 * /proc/PID/task/TID/schedstat: three numbers, ns on a processor, ns on a run queue, and how often. A read
 * takes about 5 us, and none of the program's time.
 */
#include "writers/schedstat.h"

#include "src/core/clock.h"
#include "writers/model/sched.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

struct omptape_schedstat {
    int tasks; /* the folder of the program's threads */
    uint64_t begin;
    uint64_t next;
    uint32_t at; /* location */
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

static void read_thread(struct omptape_writer *writer, struct omptape_location *location)
{
    char name[32];
    char text[96];
    struct omptape_sched_reading reading;
    snprintf(name, sizeof(name), "%" PRIu32 "/schedstat", location->tid);
    int fd = openat(writer->schedstat->tasks, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    reading.time = omptape_timeline_now(&writer->timeline);
    ssize_t n = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    /* A kernel that does not count says 0. */
    if (sscanf(text, "%" SCNu64 " %" SCNu64, &reading.running, &reading.waiting) == 2 &&
        (reading.running != 0 || reading.waiting != 0))
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
        read_thread(writer, location);
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
        read_thread(writer, location);
        if (omptape_clock_raw_ns() - begin > longest_ns)
            break;
    }
}
