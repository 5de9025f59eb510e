/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules the readings of observe.h and stores their results. Called by main.c, recorder.c, finish.c and
 * report.c.
 */
#include "writers/observe/observe.h"

#include "src/core/clock.h"
#include "src/core/process_stat.h"
#include "src/core/whole.h"
#include "writers/observe/energy.h"
#include "writers/observe/others.h"
#include "writers/observe/quota.h"
#include "writers/observe/sleepers.h"
#include "writers/observe/switches.h"
#include "writers/observe/thread_files.h"
#include "writers/regions/contexts.h"
#include "writers/state/locations.h"
#include "writers/state/sched.h"
#include <omptape/properties.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Number of threads read at a time: each of a thousand threads is read every one to two seconds. */
enum { THREADS_AT_ONCE = 64 };

/* Threads are read ten times a second, and more often in the beginning. The runtime may end its threads
 * before it reports the program's end, so a short program's threads must have been read earlier. */
static const uint64_t longest_period_ns = 100000000;
static const uint64_t shortest_period_ns = 10000000;
enum { PART_A_PERIOD = 4 };
/* Factor by which rings fill faster if page faults are sampled. */
enum { PART_WITH_FAULTS = 4 };

/* Time limit of the last reading, because the program waits for it. */
static const uint64_t longest_ns = 250000000;

/* Details are read only while this has taken less than 1/500 of the time since the start. */
enum { PART_FOR_DETAILS = 500 };
/* Time that details may take in the program's first moments, ns. */
static const uint64_t details_at_start_ns = 2000000;

/* Threads are listed again if their number has changed, and after this time at the latest. */
static const uint64_t list_period_ns = 1000000000;

/* A smaller rest may be an error of the kernel's clock tick. */
static const uint64_t least_rest_ns = 30000000;

/* State of the machine and the process, read once at the start and once at the end. */
struct surroundings {
    struct omptape_quota quota;
    struct omptape_processor_times times;
    bool times_known;
    uint64_t processor_ns; /* processor time of all of the process's threads, also ended ones; 0 if unknown */
};

struct omptape_observer {
    int process; /* descriptor of the program's folder in /proc; owned by the watch */
    int tasks;   /* descriptor of its folder "task" */
    struct omptape_thread_files files;
    uint64_t begin;
    uint64_t next;
    uint64_t details_ns; /* time that reading details has taken */
    uint32_t at;         /* last thread read, an index of omptape_others_thread_at */
    uint64_t next_list;
    uint64_t links; /* link count of the folder "task", which grows with the number of threads */
    struct omptape_others others;
    struct omptape_switch_rings rings;
    struct omptape_sleepers sleepers;
    struct omptape_energy energy;
    struct omptape_processor_set allowed; /* processors of the process at the start; .count is 0 if unknown */
    struct surroundings at_start;
    struct surroundings at_end;
    uint64_t gone_ns;  /* processor time of threads that ended before the start, part of processor_ns */
    uint64_t end_time; /* time of the trace at which the last reading began */
    bool ended;
    bool incomplete; /* the recording ended before the program: some threads of OpenMP may be unknown */
};

/* Returns true if /proc shows the process numbers of the program's and the writer's PID namespace. */
static bool has_own_numbers(void)
{
    char text[32];
    ssize_t n = readlink("/proc/self", text, sizeof(text) - 1);
    text[n > 0 ? n : 0] = '\0';
    return strtol(text, NULL, 10) == (long)getpid();
}

/* Returns the process's processor time in ns, in steps of the kernel's clock tick, or 0 if unknown. */
static uint64_t read_processor_time(int process)
{
    static const uint64_t second_ns = 1000000000;
    struct omptape_process_stat stat;
    const long ticks = sysconf(_SC_CLK_TCK);
    return ticks > 0 && omptape_process_stat(process, "stat", &stat) == 0
               ? stat.processor * (second_ns / (uint64_t)ticks)
               : 0;
}

static void read_surroundings(struct omptape_observer *observer, struct surroundings *surroundings)
{
    omptape_energy_read(&observer->energy, UINT64_MAX);
    surroundings->processor_ns = read_processor_time(observer->process);
    omptape_quota_read(&surroundings->quota, observer->process, "/proc/self/mountinfo");
    surroundings->times_known = observer->allowed.count > 0 &&
                                omptape_machine_times("/proc/stat", &observer->allowed, &surroundings->times);
}

/* Returns the main thread's processor time, ns. */
static uint64_t read_main_thread(struct omptape_observer *observer, uint32_t tid)
{
    struct omptape_sched_reading reading = {.time = 0};
    (void)omptape_thread_files_times(&observer->files, tid, &reading);
    return reading.sums[OMPTAPE_MEMBER_RUNNING];
}

/* Returns the number of processors in the set, or of all online ones if the set is empty. */
static uint32_t count_processors(const struct omptape_processor_set *set)
{
    uint32_t count = 0;
    for (size_t i = 0; i < set->count; i++)
        count += (uint32_t)__builtin_popcountll(set->words[i]);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 || online <= 0 ? count : (uint32_t)online;
}

void omptape_observe_start(struct omptape_writer *writer, int process,
                           const struct omptape_processor_set *allowed)
{
    if (writer->settings->no_sched != 0 || process < 0 || !has_own_numbers())
        return;
    int tasks = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct omptape_observer *observer = tasks >= 0 ? calloc(1, sizeof(*observer)) : NULL;
    if (observer == NULL) {
        if (tasks >= 0)
            close(tasks);
        return;
    }
    observer->process = process;
    observer->tasks = tasks;
    omptape_thread_files_init(&observer->files, tasks);
    observer->begin = omptape_clock_raw_ns();
    observer->allowed = *allowed;
    omptape_switches_start(&observer->rings, &observer->files, &observer->others, writer,
                           count_processors(allowed));
    for (uint32_t i = 0; i < observer->rings.counters.count; i++)
        writer->counter_names[i] = observer->rings.counters.list[i].name;
    writer->archive.counters = observer->rings.counters.count;
    omptape_sleepers_start(&observer->sleepers, writer);
    omptape_energy_start(&observer->energy, "/sys/class/powercap");
    read_surroundings(observer, &observer->at_start);
    observer->gone_ns = omptape_minus(observer->at_start.processor_ns,
                                      read_main_thread(observer, (uint32_t)writer->settings->pid));
    writer->observer = observer;
}

void omptape_observe_stop(struct omptape_writer *writer)
{
    if (writer->observer == NULL)
        return;
    omptape_switches_stop(&writer->observer->rings, writer);
    omptape_thread_files_close(&writer->observer->files);
    close(writer->observer->tasks);
    omptape_others_free(&writer->observer->others);
    omptape_energy_stop(&writer->observer->energy);
    free(writer->observer);
    writer->observer = NULL;
}

static uint64_t hash_of(const struct omptape_processor_set *set)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < set->count; i++)
        hash = (hash ^ set->words[i]) * UINT64_C(0x100000001b3);
    return hash != 0 ? hash : 1;
}

/* Notes a change of the processors that the thread may use. The first comparison is with its binding in its
 * first team, if there is one. */
static void note_allowed(struct omptape_location *location)
{
    struct omptape_processor_set set;
    if (!omptape_machine_allowed(location->tid, &set) || hash_of(&set) == location->allowed_hash)
        return;
    const char *before = location->allowed != NULL ? location->allowed : location->binding;
    const bool is_first = location->allowed_hash == 0;
    char *text = omptape_processor_list(set.words, set.count);
    location->allowed_hash = hash_of(&set);
    if (text == NULL || (before != NULL ? strcmp(text, before) == 0 : is_first)) {
        free(text);
        return;
    }
    free(location->allowed);
    location->allowed = text;
    location->allowed_changes++;
}

static void note_name(struct omptape_location *location, const char *name)
{
    if (location->other == NULL || strcmp(location->other, name) == 0)
        return;
    char *copy = strdup(name);
    if (copy == NULL)
        return;
    free(location->other);
    location->other = copy;
}

/* Returns true if details may be read: the time spent on them, multiplied by `times`, is within the limit. */
static bool can_afford_details(const struct omptape_observer *observer, uint64_t now, unsigned times)
{
    return times * observer->details_ns < details_at_start_ns + (now - observer->begin) / PART_FOR_DETAILS;
}

static void note_state(struct omptape_location *location, char state)
{
    const bool stopped = state == 'T' || state == 't';
    if (location->sched == NULL || (state != 'S' && state != 'D' && !stopped))
        return;
    location->sched->seen_blocked++;
    location->sched->seen_disk += state == 'D';
    location->sched->seen_stopped += stopped;
}

/* Reads the details of a thread that has run since the last reading, at the end without a time limit. Details
 * that cannot be read keep their values. */
static void read_details(struct omptape_observer *observer, struct omptape_location *location, bool at_end,
                         struct omptape_sched_reading *reading)
{
    struct omptape_thread_details details;
    const uint64_t begin = omptape_clock_raw_ns();
    if (!at_end && !can_afford_details(observer, begin, 1))
        return;
    if (omptape_thread_files_details(observer->tasks, location->tid, reading, &details) == 0) {
        note_name(location, details.name);
        /* At the program's end LLVM's runtime resets the initial thread's affinity to its first processors.
         */
        if (!at_end)
            note_allowed(location);
        if (!at_end)
            note_state(location, details.state);
    }
    observer->details_ns += omptape_clock_raw_ns() - begin;
}

/* Reads how a thread sleeps that has not run since the last reading. Its limit is lower, so that threads that
 * have run are preferred. */
static void read_state(struct omptape_observer *observer, struct omptape_location *location)
{
    const uint64_t begin = omptape_clock_raw_ns();
    if (!can_afford_details(observer, begin, 2))
        return;
    note_state(location, omptape_thread_files_state(observer->tasks, location->tid));
    observer->details_ns += omptape_clock_raw_ns() - begin;
}

static void read_thread(struct omptape_writer *writer, struct omptape_location *location, bool at_end)
{
    struct omptape_observer *observer = writer->observer;
    struct omptape_sched_reading reading = omptape_sched_last(location);
    if (omptape_thread_files_times(&observer->files, location->tid, &reading) != 0) {
        if (at_end)
            omptape_switches_note_last(&observer->rings, writer, location);
        return;
    }
    omptape_switches_correct(&observer->rings, writer, location, &reading);
    reading.time = omptape_timeline_now(&writer->timeline);
    if (reading.sums[OMPTAPE_MEMBER_RUNNING] != reading.detailed)
        read_details(observer, location, at_end, &reading);
    else if (!at_end)
        read_state(observer, location);
    omptape_sched_add(writer, location, &reading);
}

static bool is_readable(const struct omptape_location *location)
{
    return location->device == NULL && !location->closed;
}

/* Returns true if the location's present thread has been read. */
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

uint64_t omptape_observe_max_sleep_ns(const struct omptape_writer *writer, uint64_t most)
{
    if (writer->observer == NULL)
        return most;
    uint64_t period = period_after(omptape_clock_raw_ns() - writer->observer->begin);
    const struct omptape_switch_rings *rings = &writer->observer->rings;
    const uint64_t sleep_ns = omptape_counters_sampled(&rings->counters) > 0
                                  ? rings->sampling.sleep_ns / PART_WITH_FAULTS
                                  : rings->sampling.sleep_ns;
    period = sleep_ns < period ? sleep_ns : period;
    return omptape_sleepers_max_sleep_ns(&writer->observer->sleepers, period < most ? period : most);
}

uint32_t omptape_observe_thread_count(const struct omptape_writer *writer)
{
    return writer->observer != NULL ? omptape_others_thread_count(&writer->observer->others, writer) : 0;
}

static void list_threads(struct omptape_writer *writer, uint64_t now)
{
    struct omptape_observer *observer = writer->observer;
    struct stat status;
    uint32_t *tids;
    if (fstat(observer->tasks, &status) != 0 ||
        (status.st_nlink == observer->links && now < observer->next_list))
        return;
    observer->links = status.st_nlink;
    observer->next_list = now + list_period_ns;
    int count = omptape_thread_files_list(observer->tasks, &tids);
    /* An empty list means that the process is gone; the known threads stay as they are. */
    if (count > 0)
        omptape_others_update(&observer->others, &observer->rings, writer, tids, (uint32_t)count,
                              omptape_timeline_now(&writer->timeline));
    free(tids);
}

void omptape_observe_switches(struct omptape_writer *writer)
{
    if (writer->observer != NULL)
        omptape_switches_serve(&writer->observer->rings, writer);
}

void omptape_observe_serve(struct omptape_writer *writer)
{
    struct omptape_observer *observer = writer->observer;
    if (observer == NULL || atomic_load(&writer->shm->chunk_waiters) != 0)
        return;
    omptape_sleepers_serve(&observer->sleepers, &observer->others, writer, observer->tasks);
    uint64_t now = omptape_clock_raw_ns();
    if (now < observer->next)
        return;
    observer->next = now + period_after(now - observer->begin);
    omptape_energy_read(&observer->energy, now);
    list_threads(writer, now);
    uint32_t read = 0;
    for (uint32_t looked = 0;
         looked < omptape_others_thread_count(&observer->others, writer) && read < THREADS_AT_ONCE;
         looked++) {
        observer->at = (observer->at + 1) % omptape_others_thread_count(&observer->others, writer);
        struct omptape_location *location = omptape_others_thread_at(&observer->others, writer, observer->at);
        if (!is_readable(location))
            continue;
        read_thread(writer, location, false);
        read++;
    }
}

/* Reads all threads for the last time, or only those that were never read if `fresh`. */
static void read_threads(struct omptape_writer *writer, bool fresh)
{
    const struct omptape_observer *observer = writer->observer;
    uint64_t begin = omptape_clock_raw_ns();
    for (uint32_t i = 0; i < omptape_others_thread_count(&observer->others, writer); i++) {
        struct omptape_location *location = omptape_others_thread_at(&observer->others, writer, i);
        if (!is_readable(location) || (fresh && was_read(location)))
            continue;
        read_thread(writer, location, true);
        if (omptape_clock_raw_ns() - begin > longest_ns)
            break;
    }
}

void omptape_observe_end(struct omptape_writer *writer, bool is_there)
{
    struct omptape_observer *observer = writer->observer;
    if (observer == NULL)
        return;
    omptape_observe_switches(writer);
    /* The threads are read last: the kernel updates a thread's time when it sleeps, and the thread that
     * reported the end is about to sleep. */
    read_surroundings(observer, &observer->at_end);
    observer->end_time = omptape_timeline_now(&writer->timeline);
    if (is_there) {
        list_threads(writer, UINT64_MAX);
        read_threads(writer, false);
    }
    for (uint32_t i = 0; i < omptape_others_thread_count(&observer->others, writer); i++)
        omptape_switches_count_last(&observer->rings, writer,
                                    omptape_others_thread_at(&observer->others, writer, i));
    observer->ended = true;
    observer->incomplete = writer->ended;
}

void omptape_observe_read_remaining(struct omptape_writer *writer, bool is_there)
{
    if (writer->observer == NULL)
        return;
    omptape_others_move_remaining(&writer->observer->others, &writer->observer->rings, writer);
    if (is_there)
        read_threads(writer, true);
}

void omptape_observe_adopt(struct omptape_writer *writer, uint64_t time)
{
    if (writer->observer == NULL)
        return;
    /* The archive of a checkpoint or a snapshot is written before the program's end. */
    if (!writer->observer->ended)
        read_surroundings(writer->observer, &writer->observer->at_end);
    if (!writer->observer->incomplete)
        omptape_others_adopt(&writer->observer->others, &writer->observer->rings, writer, time);
}

void omptape_observe_thread_registered(struct omptape_writer *writer, struct omptape_location *location)
{
    if (writer->observer != NULL)
        omptape_others_move_to_location(&writer->observer->others, &writer->observer->rings, location);
}

static void set_text(struct omptape_writer *writer, const char *key, const char *value)
{
    omptape_archive_property(&writer->archive, OMPTAPE_PROPERTY_PREFIX, key, value);
}

static void set_number(struct omptape_writer *writer, const char *key, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64, number);
    set_text(writer, key, text);
}

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* Computes how often the limit throttled the process during the recording. Returns false if there is no
 * limit, or if there was another one at the start. */
static bool find_throttling(const struct omptape_observer *observer, struct omptape_throttling *throttling)
{
    const struct omptape_quota *start = &observer->at_start.quota;
    const struct omptape_quota *end = &observer->at_end.quota;
    if (!start->limited || !end->limited || strcmp(start->group, end->group) != 0)
        return false;
    *throttling =
        (struct omptape_throttling){.periods = omptape_minus(end->now.periods, start->now.periods),
                                    .throttled = omptape_minus(end->now.throttled, start->now.throttled),
                                    .ns = omptape_minus(end->now.ns, start->now.ns)};
    return true;
}

static uint64_t running_ns(const struct omptape_location *location)
{
    return location->sched != NULL ? location->sched->latest.sums[OMPTAPE_MEMBER_RUNNING] : 0;
}

/* Returns the processor time of all locations. `unsure` receives an upper bound of the time that is missing
 * because threads ended after they were last read. */
static uint64_t add_known_threads(const struct omptape_writer *writer, uint64_t *unsure)
{
    uint64_t sum = 0;
    uint64_t read_last = 0;
    for (uint32_t i = 0; i < writer->location_count; i++) {
        const struct omptape_location *location = writer->locations[i];
        sum = omptape_plus(sum, running_ns(location));
        read_last += omptape_location_is_of_openmp(location) && location->sched != NULL &&
                     location->sched->latest.time >= writer->observer->end_time;
    }
    *unsure = omptape_times(omptape_minus(writer->thread_count, read_last), longest_period_ns);
    return sum;
}

/* Returns the processor time of other threads without a location. It is the larger of two values: the time of
 * ended threads that were read, and the process's time minus that of all known threads. Only the second
 * includes threads that start and end between two lists. */
static uint64_t rest_ns(const struct omptape_writer *writer)
{
    const struct omptape_observer *observer = writer->observer;
    uint64_t unsure;
    const uint64_t known = add_known_threads(writer, &unsure);
    const uint64_t all = omptape_minus(observer->at_end.processor_ns, observer->gone_ns);
    const uint64_t rest = omptape_minus(all, omptape_plus(known, unsure));
    if (rest < least_rest_ns || rest < observer->others.rest_ns)
        return observer->others.rest_ns;
    return rest;
}

/* Fills in the fields of `rivals` about other threads. */
static void add_threads(const struct omptape_writer *writer, struct omptape_rivals *rivals)
{
    uint64_t most = 0;
    rivals->threads = seconds(rest_ns(writer));
    for (uint32_t i = 0; i < writer->location_count; i++) {
        const struct omptape_location *location = writer->locations[i];
        if (location->other == NULL)
            continue;
        rivals->threads += seconds(running_ns(location));
        if (running_ns(location) > most)
            snprintf(rivals->thread, sizeof(rivals->thread), "%s (%" PRIu32 ")", location->other,
                     location->first_tid);
        most = running_ns(location) > most ? running_ns(location) : most;
    }
}

bool omptape_observe_rivals(const struct omptape_writer *writer, struct omptape_rivals *rivals)
{
    const struct omptape_observer *observer = writer->observer;
    struct omptape_throttling throttling;
    *rivals = (struct omptape_rivals){.threads = 0};
    if (observer == NULL || !observer->at_start.times_known || !observer->at_end.times_known)
        return false;
    uint64_t unsure;
    const uint64_t known = add_known_threads(writer, &unsure);
    add_threads(writer, rivals);
    const double own = seconds(known) + seconds(rest_ns(writer)) + seconds(writer->processor_ns);
    const double busy = seconds(omptape_minus(observer->at_end.times.busy, observer->at_start.times.busy));
    rivals->programs = busy > own ? busy - own : 0;
    rivals->hypervisor =
        seconds(omptape_minus(observer->at_end.times.stolen, observer->at_start.times.stolen));
    if (find_throttling(observer, &throttling)) {
        rivals->quota = seconds(throttling.ns);
        rivals->processors =
            (double)observer->at_end.quota.quota_ns / (double)observer->at_end.quota.period_ns;
    }
    return true;
}

static void report_quota(struct omptape_writer *writer)
{
    const struct omptape_quota *start = &writer->observer->at_start.quota;
    const struct omptape_quota *end = &writer->observer->at_end.quota;
    /* At the end the process and its cgroup may be gone. */
    const struct omptape_quota *quota = end->found ? end : start;
    if (!quota->limited)
        return;
    set_number(writer, OMPTAPE_KEY_QUOTA, quota->quota_ns * 1000 / quota->period_ns);
    set_text(writer, OMPTAPE_KEY_QUOTA_GROUP, quota->group);
    set_number(writer, OMPTAPE_KEY_QUOTA_PERIOD, quota->period_ns);
    struct omptape_throttling throttling;
    if (!find_throttling(writer->observer, &throttling))
        return;
    set_number(writer, OMPTAPE_KEY_QUOTA_PERIODS, throttling.periods);
    set_number(writer, OMPTAPE_KEY_QUOTA_THROTTLED, throttling.throttled);
    set_number(writer, OMPTAPE_KEY_QUOTA_THROTTLED_TIME, throttling.ns);
}

static void report_processors(struct omptape_writer *writer)
{
    const struct omptape_observer *observer = writer->observer;
    const struct surroundings *start = &observer->at_start;
    const struct surroundings *end = &observer->at_end;
    char *allowed = omptape_processor_list(observer->allowed.words, observer->allowed.count);
    uint64_t changes = 0;
    if (allowed != NULL)
        set_text(writer, OMPTAPE_KEY_ALLOWED, allowed);
    free(allowed);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (online > 0)
        set_number(writer, OMPTAPE_KEY_ONLINE, (uint64_t)online);
    for (uint32_t i = 0; i < writer->location_count; i++)
        changes += writer->locations[i]->allowed_changes;
    if (changes > 0)
        set_number(writer, OMPTAPE_KEY_ALLOWED_CHANGES, changes);
    if (!start->times_known || !end->times_known)
        return;
    set_number(writer, OMPTAPE_KEY_PROCESSORS_BUSY, omptape_minus(end->times.busy, start->times.busy));
    set_number(writer, OMPTAPE_KEY_PROCESSORS_STOLEN, omptape_minus(end->times.stolen, start->times.stolen));
    set_number(writer, OMPTAPE_KEY_PROCESSORS_TIME, omptape_minus(end->times.all, start->times.all));
}

/* Writes why some threads have no samples by perf_event_open or by signal. Returns false if there is no
 * reason. */
static bool find_cause(const struct omptape_writer *writer, char *text, size_t bytes)
{
    if (writer->settings->sample_by_signal != 0)
        return omptape_sampling_cause_of_own(writer->settings, text, bytes);
    return omptape_sampling_cause(&writer->observer->rings.sampling, text, bytes);
}

static void report_energy(struct omptape_writer *writer)
{
    char text[OMPTAPE_ENERGY_ZONES * (OMPTAPE_ENERGY_NAME_BYTES + 24)];
    const struct omptape_energy *energy = &writer->observer->energy;
    if (omptape_energy_describe(energy, text, sizeof(text)))
        set_text(writer, OMPTAPE_KEY_ENERGY, text);
}

static void report_samples(struct omptape_writer *writer)
{
    const bool by_signal = writer->settings->sample_by_signal != 0;
    if (writer->settings->sample_ns == 0 || (writer->observer == NULL && !by_signal))
        return;
    const uint32_t threads = by_signal ? writer->contexts->threads : writer->observer->rings.sampling.threads;
    const uint32_t others = by_signal ? 0 : writer->observer->rings.others;
    set_number(writer, OMPTAPE_KEY_SAMPLES, writer->contexts->samples);
    set_number(writer, OMPTAPE_KEY_SAMPLE_PERIOD, writer->settings->sample_ns);
    set_number(writer, OMPTAPE_KEY_SAMPLES_CUT, writer->contexts->truncated);
    set_number(writer, OMPTAPE_KEY_SAMPLES_LOST, writer->contexts->lost);
    set_number(writer, OMPTAPE_KEY_SAMPLED_THREADS, threads);
    set_number(writer, OMPTAPE_KEY_UNSAMPLED_THREADS, omptape_minus(writer->thread_count + others, threads));
    if (by_signal)
        set_text(writer, OMPTAPE_KEY_SAMPLED_BY, "signal");
    char cause[128];
    if (find_cause(writer, cause, sizeof(cause)))
        set_text(writer, OMPTAPE_KEY_SAMPLES_REFUSED, cause);
}

static void report_counters(struct omptape_writer *writer)
{
    const struct omptape_counters *counters = &writer->observer->rings.counters;
    char names[OMPTAPE_MAX_COUNTERS * OMPTAPE_COUNTER_NAME_BYTES] = "";
    size_t used = 0;
    for (uint32_t i = 1; i < counters->count && used < sizeof(names); i++)
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 1 ? " " : "",
                                 counters->list[i].name);
    if (counters->why[0] != '\0')
        set_text(writer, OMPTAPE_KEY_COUNTERS_REFUSED, counters->why);
    if (counters->count == 0)
        return;
    set_text(writer, OMPTAPE_KEY_COUNTERS, names);
    set_number(writer, OMPTAPE_KEY_COUNTERS_READINGS, counters->readings);
    set_number(writer, OMPTAPE_KEY_COUNTERS_SCALED, counters->scaled);
    set_number(writer, OMPTAPE_KEY_COUNTERS_DROPPED, counters->dropped);
    set_number(writer, OMPTAPE_KEY_UNCOUNTED_THREADS, counters->refused_threads);
}

bool omptape_observe_explain_counters(const struct omptape_writer *writer, char *text, size_t bytes)
{
    const char *asked = writer->settings->counters;
    if (writer->observer != NULL)
        return omptape_counters_explain(&writer->observer->rings.counters, text, bytes);
    if (asked[0] == '\0' || strcmp(asked, "off") == 0)
        return false;
    (void)snprintf(text, bytes,
                   "--counters: none: threads are not observed (--sched=off, or /proc is missing)");
    return true;
}

bool omptape_observe_explain(const struct omptape_writer *writer, char *text, size_t bytes)
{
    char why[128];
    if (writer->settings->sample_requested == 0 || writer->settings->sample_ns == 0)
        return false;
    if (writer->settings->sample_by_signal != 0) {
        const bool refused = omptape_sampling_cause_of_own(writer->settings, why, sizeof(why));
        snprintf(text, bytes, "--sample=signal: no samples: %s", refused ? why : "");
        return refused;
    }
    if (writer->observer == NULL) {
        snprintf(text, bytes,
                 "--sample: no samples: threads are not observed (--sched=off, or /proc is missing)");
        return true;
    }
    return omptape_sampling_explain(&writer->observer->rings.sampling, text, bytes);
}

void omptape_observe_report(struct omptape_writer *writer)
{
    report_samples(writer);
    if (writer->observer == NULL)
        return;
    const uint64_t rest = rest_ns(writer);
    if (writer->observer->rings.threads > 0)
        set_number(writer, OMPTAPE_KEY_SWITCHES, writer->observer->rings.threads);
    report_counters(writer);
    report_energy(writer);
    report_processors(writer);
    report_quota(writer);
    if (rest == 0)
        return;
    set_number(writer, OMPTAPE_KEY_OTHER_THREADS, writer->observer->others.rest_count);
    set_number(writer, OMPTAPE_KEY_OTHER_TIME, rest);
}
