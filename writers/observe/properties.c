/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes what was observed into the archive's properties and the report, and explains what is missing
 * (observe.h). Called by report.c.
 */
#include "src/core/whole.h"
#include "src/core/words.h"
#include "writers/observe/observer.h"
#include "writers/regions/contexts.h"
#include "writers/state/locations.h"
#include <inttypes.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A smaller rest may be an error of the kernel's clock tick. */
static const uint64_t min_rest_ns = 30000000;

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
    *unsure = omptape_times(omptape_minus(writer->thread_count, read_last), OMPTAPE_OBSERVER_PERIOD_NS);
    return sum;
}

/* Returns the processor time of other threads without a location. It is the larger of two values: the time of
 * ended threads that were read, and the process's time without all known threads. Only the second includes
 * threads that start and end between two lists. */
static uint64_t rest_ns(const struct omptape_writer *writer)
{
    const struct omptape_observer *observer = writer->observer;
    uint64_t unsure;
    const uint64_t known = add_known_threads(writer, &unsure);
    const uint64_t all = omptape_minus(observer->at_end.processor_ns, observer->gone_ns);
    const uint64_t rest = omptape_minus(all, omptape_plus(known, unsure));
    if (rest < min_rest_ns || rest < observer->others.rest_ns)
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
    const struct omptape_surroundings *start = &observer->at_start;
    const struct omptape_surroundings *end = &observer->at_end;
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
    if (!observer->is_nice)
        set_number(writer, OMPTAPE_KEY_PROCESSORS_NICE, omptape_minus(end->times.nice, start->times.nice));
    set_number(writer, OMPTAPE_KEY_PROCESSORS_STOLEN, omptape_minus(end->times.stolen, start->times.stolen));
    set_number(writer, OMPTAPE_KEY_PROCESSORS_TIME, omptape_minus(end->times.all, start->times.all));
}

static void report_memory(struct omptape_writer *writer)
{
    const struct omptape_observer *observer = writer->observer;
    const uint64_t faults = omptape_minus(observer->at_end.numa_faults, observer->at_start.numa_faults);
    if (observer->peak_memory > 0)
        set_number(writer, OMPTAPE_KEY_PEAK_MEMORY, observer->peak_memory);
    if (faults > 0)
        set_number(writer, OMPTAPE_KEY_NUMA_FAULTS, faults);
    const uint32_t forks = writer->shm != NULL ? atomic_load(&writer->shm->forks) : 0;
    if (forks > 0)
        set_number(writer, OMPTAPE_KEY_FORKS, forks);
}

/* Writes why some threads have no samples by perf_event_open or by signal. Returns false if none lack any. */
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

/* Writes which files of sampled functions were compiled without optimisation. */
static void report_unoptimised(struct omptape_writer *writer)
{
    enum { LIST_BYTES = 2048 };
    char list[LIST_BYTES] = "";
    const struct omptape_sources *sources = &writer->contexts->sources;
    for (uint32_t i = 0; i < sources->known; i++) {
        const char *file = sources->list[i].file;
        if (!sources->list[i].is_unoptimised || file == NULL || omptape_is_system_path(file) ||
            omptape_has_line(list, file) || strlen(list) + strlen(file) + 2 > sizeof(list))
            continue;
        omptape_append_item(list, sizeof(list), "\n", "%s", file);
    }
    if (list[0] != '\0')
        set_text(writer, OMPTAPE_KEY_UNOPTIMISED, list);
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
    report_unoptimised(writer);
}

static void report_counters(struct omptape_writer *writer)
{
    const struct omptape_counters *counters = &writer->observer->rings.counters;
    char names[OMPTAPE_MAX_COUNTERS * OMPTAPE_COUNTER_NAME_BYTES] = "";
    for (uint32_t i = 1; i < counters->count; i++)
        omptape_append_item(names, sizeof(names), " ", "%s", counters->list[i].name);
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
    const uint64_t cost = omptape_switches_cost(&writer->observer->rings, writer);
    if (cost > 0)
        set_number(writer, OMPTAPE_KEY_SWITCH_TIME, cost);
    report_counters(writer);
    report_memory(writer);
    report_energy(writer);
    report_processors(writer);
    report_quota(writer);
    if (rest == 0)
        return;
    set_number(writer, OMPTAPE_KEY_OTHER_THREADS, writer->observer->others.rest_count);
    set_number(writer, OMPTAPE_KEY_OTHER_TIME, rest);
}
