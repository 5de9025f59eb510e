/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules the readings of observe.h and stores their results. Called by main.c, recorder.c and finish.c.
 */
#include "src/core/clock.h"
#include "src/core/process_stat.h"
#include "src/core/quota.h"
#include "src/core/whole.h"
#include "writers/observe/observer.h"
#include "writers/state/locations.h"
#include "writers/translate/created_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Number of threads read at a time: each of a thousand threads is read every one to two seconds. */
enum { THREADS_AT_ONCE = 64 };

/* Threads are read ten times a second, and more often in the beginning. The runtime may end its threads
 * before it reports the program's end, so a short program's threads must have been read earlier. */
static const uint64_t shortest_period_ns = 10000000;
enum { PART_A_PERIOD = 4 };
/* Factor by which rings fill faster if page faults are sampled. */
enum { PART_WITH_FAULTS = 4 };

/* Time limit of the last reading, because the program waits for it. */
static const uint64_t longest_ns = 250000000;
/* The same for a reading in between. */
static const uint64_t refresh_ns = 20000000;

/* Details are read only while this has taken less than 1/500 of the time since the start. */
enum { PART_FOR_DETAILS = 500 };
/* Time that details may take in the program's first moments, ns. */
static const uint64_t details_at_start_ns = 2000000;

/* Threads are listed again if their number has changed, and after this time at the latest. */
static const uint64_t list_period_ns = 1000000000;

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

static void read_surroundings(struct omptape_writer *writer, struct omptape_observer *observer,
                              struct omptape_surroundings *surroundings)
{
    omptape_energy_read(&observer->energy, omptape_clock_raw_ns(), omptape_timeline_now(&writer->timeline),
                        true);
    surroundings->numa_faults = omptape_machine_numa_faults("/proc/vmstat");
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

/* Returns true for one process of each node of a job, as far as its launcher says which, and for a process of
 * no job. The children of these by fork are others. */
static bool is_first_of_node(const struct omptape_settings *settings)
{
    const struct omptape_job *job = &settings->job;
    return settings->parent_pid == 0 && (job->local_rank < 0 ? job->rank : job->local_rank) == 0;
}

void omptape_observe_start(struct omptape_writer *writer, int process,
                           const struct omptape_processor_set *allowed)
{
    if (writer->settings->no_sched != 0 || process < 0 || !omptape_process_numbers_are_own())
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
    observer->energy.is_shown = is_first_of_node(writer->settings);
    errno = 0;
    observer->is_nice = getpriority(PRIO_PROCESS, (id_t)writer->settings->pid) > 0 || errno != 0;
    read_surroundings(writer, observer, &observer->at_start);
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

/* Returns true if the thread with this index may be looked at: the time spent on such looks is within the
 * limit. A thread that may not comes first as soon as there is time again, so that each one has its turn. */
static bool take_turn(struct omptape_observer *observer, uint32_t index, uint64_t now)
{
    if (observer->has_next && index != observer->next_look)
        return false;
    observer->has_next =
        observer->details_ns >= details_at_start_ns + (now - observer->begin) / PART_FOR_DETAILS;
    observer->next_look = index;
    return !observer->has_next;
}

/* Forgets the turn of a thread that is not read. */
static void skip_turn(struct omptape_observer *observer, uint32_t index)
{
    observer->has_next = observer->has_next && index != observer->next_look;
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

/* Reads the details of a thread that has run since the last reading. Details that cannot be read keep their
 * values. */
static void read_details(struct omptape_observer *observer, struct omptape_location *location, bool at_end,
                         struct omptape_sched_reading *reading)
{
    struct omptape_thread_details details;
    if (omptape_thread_files_details(observer->tasks, location->tid, reading, &details) == 0) {
        note_name(location, details.name);
        observer->peak_memory = omptape_greater(observer->peak_memory, details.peak_memory);
        /* At the program's end LLVM's runtime resets the initial thread's affinity to its first processors.
         */
        if (!at_end)
            note_allowed(location);
        if (!at_end)
            note_state(location, details.state);
    }
}

/* Looks at the thread: at its details if it has run since the last reading, otherwise at how it sleeps. Does
 * nothing if it is not the thread's turn; at the end there is no limit. */
static void look_at(struct omptape_observer *observer, uint32_t index, struct omptape_location *location,
                    bool at_end, struct omptape_sched_reading *reading)
{
    const bool has_run = reading->sums[OMPTAPE_MEMBER_RUNNING] != reading->detailed;
    const uint64_t begin = omptape_clock_thread_ns();
    if (at_end ? !has_run : !take_turn(observer, index, omptape_clock_raw_ns()))
        return;
    if (has_run)
        read_details(observer, location, at_end, reading);
    else
        note_state(location, omptape_thread_files_state(observer->tasks, location->tid));
    observer->details_ns += omptape_clock_thread_ns() - begin;
}

/* `index`: of omptape_others_thread_at. */
static void read_thread(struct omptape_writer *writer, uint32_t index, bool at_end)
{
    struct omptape_observer *observer = writer->observer;
    struct omptape_location *location = omptape_others_thread_at(&observer->others, writer, index);
    struct omptape_sched_reading reading = omptape_sched_last(location);
    if (omptape_thread_files_times(&observer->files, location->tid, &reading) != 0) {
        skip_turn(observer, index);
        if (at_end)
            omptape_switches_note_last(&observer->rings, writer, location);
        return;
    }
    omptape_switches_correct(&observer->rings, writer, location, &reading);
    reading.time = omptape_timeline_now(&writer->timeline);
    look_at(observer, index, location, at_end, &reading);
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
    return period < OMPTAPE_OBSERVER_PERIOD_NS ? period : OMPTAPE_OBSERVER_PERIOD_NS;
}

uint64_t omptape_observe_max_sleep_ns(const struct omptape_writer *writer, uint64_t max_ns)
{
    if (writer->observer == NULL)
        return max_ns;
    uint64_t period = period_after(omptape_clock_raw_ns() - writer->observer->begin);
    const struct omptape_switch_rings *rings = &writer->observer->rings;
    const uint64_t sleep_ns = omptape_counters_sampled(&rings->counters) > 0
                                  ? rings->sampling.sleep_ns / PART_WITH_FAULTS
                                  : rings->sampling.sleep_ns;
    period = sleep_ns < period ? sleep_ns : period;
    return omptape_sleepers_max_sleep_ns(&writer->observer->sleepers, period < max_ns ? period : max_ns);
}

uint32_t omptape_observe_thread_count(const struct omptape_writer *writer)
{
    return writer->observer != NULL ? omptape_others_thread_count(&writer->observer->others, writer) : 0;
}

uint32_t omptape_observe_other_count(const struct omptape_writer *writer)
{
    return writer->observer != NULL ? writer->observer->others.alive_count : 0;
}

const struct omptape_location *omptape_observe_other(const struct omptape_writer *writer, uint32_t index)
{
    const struct omptape_location *location = writer->observer->others.alive[index];
    return location->sched != NULL ? location : NULL;
}

void omptape_observe_mark_others(struct omptape_writer *writer)
{
    for (uint32_t i = 0; i < omptape_observe_other_count(writer); i++) {
        struct omptape_sched *sched = writer->observer->others.alive[i]->sched;
        if (sched != NULL)
            sched->marked = sched->latest;
    }
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
    if (writer->observer == NULL)
        return;
    writer->observed = omptape_timeline_now(&writer->timeline);
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
    omptape_energy_read(&observer->energy, now, omptape_timeline_now(&writer->timeline), false);
    list_threads(writer, now);
    if (observer->next_look >= omptape_others_thread_count(&observer->others, writer))
        observer->has_next = false;
    uint32_t read = 0;
    for (uint32_t looked = 0;
         looked < omptape_others_thread_count(&observer->others, writer) && read < THREADS_AT_ONCE;
         looked++) {
        observer->at = (observer->at + 1) % omptape_others_thread_count(&observer->others, writer);
        if (!is_readable(omptape_others_thread_at(&observer->others, writer, observer->at))) {
            skip_turn(observer, observer->at);
            continue;
        }
        read_thread(writer, observer->at, false);
        read++;
    }
}

/* Reads all threads, or only those that were never read if `fresh`. Stops after `most_ns`. */
static void read_threads(struct omptape_writer *writer, bool fresh, bool at_end, uint64_t most_ns)
{
    const struct omptape_observer *observer = writer->observer;
    uint64_t begin = omptape_clock_raw_ns();
    for (uint32_t i = 0; i < omptape_others_thread_count(&observer->others, writer); i++) {
        const struct omptape_location *location = omptape_others_thread_at(&observer->others, writer, i);
        if (!is_readable(location) || (fresh && was_read(location)))
            continue;
        read_thread(writer, i, at_end);
        if (omptape_clock_raw_ns() - begin > most_ns)
            break;
    }
}

void omptape_observe_refresh(struct omptape_writer *writer)
{
    if (writer->observer == NULL || writer->observer->ended || atomic_load(&writer->shm->chunk_waiters) != 0)
        return;
    omptape_observe_switches(writer);
    read_threads(writer, false, false, refresh_ns);
}

void omptape_observe_end(struct omptape_writer *writer, bool is_there)
{
    struct omptape_observer *observer = writer->observer;
    if (observer == NULL)
        return;
    omptape_observe_switches(writer);
    writer->observed = 0;
    /* The threads are read last: the kernel updates a thread's time when it sleeps, and the thread that
     * reported the end is about to sleep. */
    read_surroundings(writer, observer, &observer->at_end);
    observer->end_time = omptape_timeline_now(&writer->timeline);
    if (is_there) {
        list_threads(writer, UINT64_MAX);
        read_threads(writer, false, true, longest_ns);
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
        read_threads(writer, true, true, longest_ns);
}

void omptape_observe_adopt(struct omptape_writer *writer, uint64_t time)
{
    if (writer->observer == NULL)
        return;
    /* The archive of a checkpoint or a snapshot is written before the program's end. */
    if (!writer->observer->ended)
        read_surroundings(writer, writer->observer, &writer->observer->at_end);
    if (writer->observer->incomplete)
        return;
    omptape_others_adopt(&writer->observer->others, &writer->observer->rings, writer, time);
    omptape_energy_adopt(&writer->observer->energy, writer, time);
}

void omptape_observe_thread_registered(struct omptape_writer *writer, struct omptape_location *location)
{
    if (writer->observer == NULL)
        return;
    omptape_others_move_to_location(&writer->observer->others, &writer->observer->rings, location);
    omptape_created_threads_begin_initial(writer, location);
}
