/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects the figures of a run once, as lines "key=value", for the archive's properties and for the command.
 */
#include "writers/report.h"
#include "src/core/words.h"

#include "src/core/clock.h"
#include "src/core/guarded_child.h"
#include "src/core/process_stat.h"
#include "src/job/report_file.h"
#include "writers/clock_sync.h"
#include "writers/devices/report.h"
#include "writers/observe/observe.h"
#include "writers/processors.h"
#include "writers/profile/profile.h"
#include "writers/regions/references.h"
#include "writers/regions/region_filter.h"
#include "writers/state/locations.h"
#include "writers/symbols/symbols.h"
#include "writers/translate/mpi_communicators.h"
#include "writers/translate/translators.h"
#include <ctype.h>
#include <fcntl.h>
#include <omptape/properties.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

/* Returns true if the program reached a construct, even a hidden one. If `asked`, only constructs that
 * --events can select count. */
static bool had_constructs(const struct omptape_writer *writer, bool asked)
{
    for (uint32_t i = 0; i < writer->references->count; i++) {
        enum omptape_region_kind kind = writer->references->list[i].kind;
        bool always = kind == OMPTAPE_REGION_PARALLEL || kind == OMPTAPE_REGION_TEAMS ||
                      kind == OMPTAPE_REGION_CONTROL_TOOL;
        if (kind != OMPTAPE_REGION_PROGRAM && (!asked || !always))
            return true;
    }
    return false;
}

/* Returns true if some events are missing, so that an archive that looks empty may not be. */
static bool lost_events(const struct omptape_writer *writer)
{
    return writer->dropped > 0 || writer->archive.disk_reserve.full || writer->window_begin != 0;
}

static const char *why_empty(const struct omptape_writer *writer)
{
    const struct omptape_settings *options = writer->settings;
    if (options->paused != 0 && !writer->was_started)
        return "nothing was recorded: --start=paused, and the program never started it with "
               "omp_control_tool(omp_control_tool_start, ...)";
    if (lost_events(writer))
        return NULL;
    if (!had_constructs(writer, false))
        return "the program reached no OpenMP construct: the archive has no events of any";
    if (options->some_events != 0 && !had_constructs(writer, true))
        return "--events left nothing but parallel regions: the program had none of these events";
    if (writer->filter != NULL && !omptape_region_filter_shows_any(writer))
        return "--filter left nothing: the program had only constructs that it hides";
    return NULL;
}

/* Calls `add` for each request of the user without effect: an empty archive, or rules that matched
 * nothing. Called when all locations are closed. */
static void write_remarks(struct omptape_writer *writer,
                          void (*add)(struct omptape_writer *writer, const char *text))
{
    char text[512];
    const char *why = why_empty(writer);
    if (why != NULL)
        add(writer, why);
    if (had_constructs(writer, false) && !lost_events(writer) &&
        omptape_region_filter_unmatched(writer, text, sizeof(text)))
        add(writer, text);
}

/* The lines collected by omptape_report_properties and sent by omptape_report_send. */
static char lines[16384];
static size_t used;
static unsigned warnings;

/* `property` is the key in the properties, or NULL if it has none. `key` is the key in the lines. */
static void put_line(struct omptape_writer *writer, const char *property, const char *key, const char *value)
{
    if (property != NULL)
        omptape_archive_property(&writer->archive, OMPTAPE_PROPERTY_PREFIX, property, value);
    char escaped[OMPTAPE_PATH_BYTES];
    size_t start = used;
    int n = snprintf(lines + used, sizeof(lines) - used, "%s=%s\n", key,
                     omptape_report_file_escape(value, escaped, sizeof(escaped)));
    if (n < 0 || (size_t)n >= sizeof(lines) - used)
        return;
    used += (size_t)n;
    for (size_t i = start; lines[i] != '='; i++)
        lines[i] = (char)tolower((unsigned char)lines[i]);
}

static void add_figure(struct omptape_writer *writer, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_figure(struct omptape_writer *writer, const char *key, const char *format, ...)
{
    char value[OMPTAPE_PATH_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof(value), format, arguments);
    va_end(arguments);
    put_line(writer, key, key, value);
}

static void add_count(struct omptape_writer *writer, const char *key, uint64_t count)
{
    add_figure(writer, key, "%llu", (unsigned long long)count);
}

static char advice[600];

static void add_warning(struct omptape_writer *writer, const char *text)
{
    char property[32];
    snprintf(property, sizeof(property), warnings > 0 ? OMPTAPE_KEY_WARNING ".%u" : OMPTAPE_KEY_WARNING,
             warnings);
    warnings++;
    put_line(writer, property, OMPTAPE_KEY_WARNING, text);
}

/* Adds a warning with a remedy for the next run. Keeps the first one as advice. */
static void add_advice(struct omptape_writer *writer, const char *text)
{
    if (advice[0] == '\0')
        snprintf(advice, sizeof(advice), "%s", text);
    add_warning(writer, text);
}

const char *omptape_report_advice(void)
{
    return advice;
}

/* Adds the library's messages about constructs that it does not record. */
static void add_unrecorded(struct omptape_writer *writer)
{
    char *info = omptape_runtime_info_copy(writer);
    char *rest = NULL;
    char text[sizeof(advice)];
    for (char *line = info != NULL ? strtok_r(info, "\n", &rest) : NULL; line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *phrase = strchr(line, '=');
        if (phrase == NULL || !omptape_starts_with(line, OMPTAPE_INFO_UNRECORDED))
            continue;
        snprintf(text, sizeof(text), OMPTAPE_WARNING_UNRECORDED "%s", phrase + 1);
        add_advice(writer, text);
    }
    free(info);
}

/* Adds why source lines are missing: a file whose debug information cannot be read. */
static void add_unread(struct omptape_writer *writer)
{
    char text[512];
    const char *replaced = omptape_symbols_replaced(writer->symbols);
    if (replaced != NULL) {
        snprintf(text, sizeof(text),
                 OMPTAPE_WARNING_LINES "%.300s: the file was deleted or replaced while the program ran",
                 replaced);
        add_advice(writer, text);
    }
    if (writer->references->packed[0] == '\0')
        return;
    snprintf(text, sizeof(text),
             OMPTAPE_WARNING_LINES "%s: its debug information is compressed in a way that "
                                   "libdw cannot read here (build it with -gz=zlib, or without -gz)",
             writer->references->packed);
    add_advice(writer, text);
}

static void add_warnings(struct omptape_writer *writer, uint64_t resolution)
{
    char text[256];
    add_unrecorded(writer);
    add_unread(writer);
    const char *names = omptape_user_names_warn(writer, text, sizeof(text));
    if (names != NULL)
        add_advice(writer, names);
    write_remarks(writer, add_advice);
    if (writer->dropped > 0 && atomic_load(&writer->shm->chunks_missing) == OMPTAPE_MISSING_REFUSED)
        add_advice(writer, OMPTAPE_WARNING_MEMORY "the kernel refused it for the buffers, or the addresses "
                                                  "for it (a limit, or a filter of system calls)");
    if (omptape_observe_explain(writer, text, sizeof(text)))
        add_advice(writer, text);
    if (omptape_observe_explain_counters(writer, text, sizeof(text)))
        add_advice(writer, text);
    struct omptape_rivals rivals;
    const bool known = omptape_observe_rivals(writer, &rivals);
    if (omptape_processors_describe(writer, resolution, known ? &rivals : NULL, text, sizeof(text)))
        add_warning(writer, text);
    snprintf(text, sizeof(text),
             "%llu parallel region%s shown without some of the threads: these began late, or never",
             (unsigned long long)writer->incomplete_teams, writer->incomplete_teams == 1 ? " is" : "s are");
    if (writer->incomplete_teams > 0)
        add_warning(writer, text);
    if (omptape_region_filter_error(writer)[0] != '\0')
        add_warning(writer, omptape_region_filter_error(writer));
    char why[256];
    if (omptape_disk_reserve_describe(&writer->archive.disk_reserve, why, sizeof(why)))
        add_warning(writer, why);
    omptape_device_warnings(writer, add_warning);
}

/* Uses long double, because ticks of a thousand threads over a month need more than 64 bits. */
static uint64_t to_ns(long double ticks, uint64_t resolution)
{
    long double ns = ticks * 1e9L / (long double)resolution;
    return ns < 1.8e19L ? (uint64_t)ns : UINT64_MAX;
}

/* Returns the lifetime of all OpenMP and MPI threads in ticks; for a flight recorder within its window. */
static long double time_lived(const struct omptape_writer *writer)
{
    long double sum = 0;
    for (uint32_t i = 0; i < writer->location_count; i++)
        if (writer->locations[i]->other == NULL)
            sum += (long double)omptape_locations_lived(writer, writer->locations[i]);
    return sum;
}

static void add_times(struct omptape_writer *writer, uint64_t resolution)
{
    long double sum = 0;
    add_count(writer, OMPTAPE_KEY_TIME_LIVED, to_ns(time_lived(writer), resolution));
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        long double before = sum;
        for (uint32_t i = 0; i < writer->location_count; i++)
            if (writer->locations[i]->other == NULL)
                sum += (long double)writer->locations[i]->stack.bucket_ticks[bucket];
        /* Rounded so that the buckets add up to the total. */
        add_count(writer, omptape_buckets[bucket].key, to_ns(sum, resolution) - to_ns(before, resolution));
    }
}

static void add_devices(struct omptape_writer *writer)
{
    struct omptape_device_counts sum = omptape_device_sum(writer);
    if (sum.kernels + sum.transfers == 0)
        return;
    add_count(writer, OMPTAPE_KEY_DEVICE_KERNELS, sum.kernels);
    add_count(writer, OMPTAPE_KEY_DEVICE_TRANSFERS, sum.transfers);
    add_count(writer, OMPTAPE_KEY_DEVICE_BYTES, sum.bytes);
}

static void add_info(struct omptape_writer *writer)
{
    char *text = omptape_runtime_info_copy(writer);
    char *rest = NULL;
    for (char *line = text != NULL ? strtok_r(text, "\n", &rest) : NULL; line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, '=');
        if (value == NULL)
            continue;
        *value++ = '\0';
        if (omptape_starts_with(line, OMPTAPE_INFO_UNRECORDED))
            continue;
        omptape_archive_property(&writer->archive, OMPTAPE_INFO_PREFIX, line, value);
    }
    free(text);
}

static void ask_kernel(void *data)
{
    (void)adjtimex(data);
}

/* Returns the kernel's estimate of the wall clock's error, us; 0 if unknown. */
static uint64_t estimate_error(void)
{
    struct timex kernel = {.modes = 0};
    return omptape_guarded_is_safe(ask_kernel, &kernel) && adjtimex(&kernel) >= 0 && kernel.esterror > 0
               ? (uint64_t)kernel.esterror
               : 0;
}

/* Adds the wall clock time, to align traces of several hosts. The error is the kernel's estimate plus the
 * time that the reading took. */
static void add_wall_clock(struct omptape_writer *writer, uint64_t resolution)
{
    struct omptape_clock_anchor now;
    uint64_t before = omptape_clock_now();
    omptape_clock_anchor(&now);
    uint64_t bracket = to_ns(
        (long double)omptape_timeline_ticks(&writer->timeline, omptape_clock_now() - before), resolution);
    add_count(writer, OMPTAPE_KEY_CLOCK_END_TICKS, omptape_timeline_of(&writer->timeline, now.ticks));
    add_count(writer, OMPTAPE_KEY_CLOCK_END_REALTIME, now.realtime_ns);
    add_count(writer, OMPTAPE_KEY_CLOCK_ERROR, bracket + estimate_error() * 1000);
}

/* Adds the program's comparisons with clocks of other hosts. */
static void add_comparisons(struct omptape_writer *writer)
{
    char samples[256];
    char reference[256];
    if (!omptape_clock_sync_describe(writer, samples, sizeof(samples), reference, sizeof(reference)))
        return;
    add_figure(writer, OMPTAPE_KEY_CLOCK_SYNC, "%s", samples);
    add_figure(writer, OMPTAPE_KEY_CLOCK_SYNC_WITH, "%s", reference);
}

static void report_begin(struct omptape_writer *writer, uint64_t first, uint64_t resolution)
{
    const struct omptape_settings *settings = writer->settings;
    char value[32];
    uint64_t since = first > settings->start_ticks ? first - settings->start_ticks : 0;
    uint64_t begin = settings->start_realtime + to_ns((long double)since, resolution);
    snprintf(value, sizeof(value), "%llu", (unsigned long long)begin);
    put_line(writer, NULL, OMPTAPE_KEY_BEGIN, value);
}

static const char *policy_name(uint32_t policy)
{
    switch (policy) {
    case OMPTAPE_POLICY_DROP:
        return "drop";
    case OMPTAPE_POLICY_OVERWRITE:
        return "overwrite";
    default:
        return "wait";
    }
}

static void add_job(struct omptape_writer *writer)
{
    const struct omptape_job *job = &writer->settings->job;
    if (job->launcher[0] == '\0')
        return;
    add_figure(writer, OMPTAPE_KEY_LAUNCHER, "%s", job->launcher);
    add_figure(writer, OMPTAPE_KEY_RANK, "%d", (int)job->rank);
    if (job->size > 0)
        add_figure(writer, OMPTAPE_KEY_SIZE, "%d", (int)job->size);
    if (job->local_rank >= 0)
        add_figure(writer, OMPTAPE_KEY_LOCAL_RANK, "%d", (int)job->local_rank);
    if (job->id[0] != '\0')
        add_figure(writer, OMPTAPE_KEY_JOB, "%s", job->id);
    if (job->step[0] != '\0')
        add_figure(writer, OMPTAPE_KEY_STEP, "%s", job->step);
    if (job->parent[0] != '\0')
        add_figure(writer, OMPTAPE_KEY_PARENT, "%s", job->parent);
}

/* Adds the mean duration in picoseconds. */
static void add_timing(struct omptape_writer *writer, const char *key, const struct omptape_timing *timing,
                       uint64_t resolution)
{
    if (timing->count > 0)
        add_count(writer, key,
                  to_ns(1000 * (long double)timing->ticks / (long double)timing->count, resolution));
}

static void add_cost(struct omptape_writer *writer, uint64_t resolution)
{
    const struct omptape_timings timings = omptape_consumer_timings(&writer->consumer);
    add_timing(writer, OMPTAPE_KEY_RECORD_COST, &timings.records, resolution);
    add_timing(writer, OMPTAPE_KEY_CHUNK_COST, &timings.chunks, resolution);
    add_count(writer, OMPTAPE_KEY_WRITER_TIME, writer->processor_ns);
}

void omptape_report_properties(struct omptape_writer *writer, uint64_t resolution, const char *end,
                               const char *warning)
{
    const struct omptape_settings *settings = writer->settings;
    const uint64_t dropped_outside = atomic_load(&writer->shm->dropped_records);
    uint64_t events = 0;
    uint64_t first = writer->location_count > 0 ? writer->locations[0]->begin : writer->begin;
    if (writer->window_begin > first)
        first = writer->window_begin;
    for (uint32_t i = 0; i < writer->location_count; i++)
        events += omptape_archive_written(&writer->archive, writer->locations[i]->events);
    add_figure(writer, OMPTAPE_KEY_VERSION, "%s", OMPTAPE_VERSION);
    add_figure(writer, OMPTAPE_KEY_PROGRAM, "%s", settings->program);
    add_figure(writer, OMPTAPE_KEY_PID, "%d", (int)settings->pid);
    add_figure(writer, OMPTAPE_KEY_HOST, "%s", settings->job.node);
    add_job(writer);
    add_figure(writer, OMPTAPE_KEY_END, "%s", end);
    add_count(writer, OMPTAPE_KEY_EVENTS, events);
    if (writer->profile != NULL)
        add_count(writer, OMPTAPE_KEY_PROFILE, omptape_profile_events(writer->profile));
    add_count(writer, OMPTAPE_KEY_RECORDS, writer->record_count);
    add_figure(writer, OMPTAPE_KEY_THREADS, "%u", writer->thread_count);
    uint32_t processors = omptape_processors_count(writer);
    if (processors > 0)
        add_count(writer, OMPTAPE_KEY_PROCESSORS, processors);
    add_count(writer, OMPTAPE_KEY_DURATION,
              to_ns((long double)(writer->last_time > first ? writer->last_time - first : 0), resolution));
    report_begin(writer, first, resolution);
    add_count(writer, OMPTAPE_KEY_DROPPED, writer->dropped);
    if (dropped_outside > 0)
        add_count(writer, OMPTAPE_KEY_DROPPED_OUTSIDE, dropped_outside);
    if (writer->archive.disk_reserve.unwritten > 0)
        add_count(writer, OMPTAPE_KEY_UNWRITTEN, writer->archive.disk_reserve.unwritten);
    if (writer->forgotten > 0)
        add_count(writer, OMPTAPE_KEY_FORGOTTEN, writer->forgotten);
    if (omptape_communicators_are_used(writer))
        add_count(writer, OMPTAPE_KEY_OVERTAKING, writer->communicators->receives.overtaking);
    add_figure(writer, OMPTAPE_KEY_POLICY, "%s", policy_name(settings->policy));
    add_count(writer, OMPTAPE_KEY_STALLED, to_ns((long double)writer->stalled, resolution));
    add_count(writer, OMPTAPE_KEY_SYNTHESISED, writer->synthesised);
    add_times(writer, resolution);
    add_devices(writer);
    if (settings->distinct_times != 0)
        add_count(writer, OMPTAPE_KEY_DISTINCT_TIMES, 1);
    add_cost(writer, resolution);
    add_figure(writer, OMPTAPE_KEY_CLOCK, "%s",
               omptape_clock_name((enum omptape_clock_kind)settings->clock_kind));
    add_count(writer, OMPTAPE_KEY_CLOCK_JUMPS, writer->timeline.jumps);
    add_wall_clock(writer, resolution);
    add_comparisons(writer);
    if (warning[0] != '\0')
        add_warning(writer, warning);
    add_warnings(writer, resolution);
    omptape_region_filter_report(writer);
    omptape_observe_report(writer);
    add_info(writer);
}

void omptape_report_open(struct omptape_report_file *report, const struct omptape_settings *settings)
{
    char path[32];
    const int owner = omptape_report_file_owner(settings->report);
    report->file = omptape_report_file_open(settings->report);
    report->command = -1;
    snprintf(path, sizeof(path), "/proc/%d", owner);
    if (report->file >= 0 && owner > 0)
        report->command = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool omptape_report_is_read(const struct omptape_report_file *report)
{
    struct omptape_process_stat stat;
    if (report->command < 0)
        return report->file >= 0;
    return omptape_process_stat(report->command, "stat", &stat) == 0 && !omptape_process_is_dead(&stat);
}

/* Writes the text in one call, so that writers' reports do not mix. It fails if the command is gone. */
static void append_to_report(const struct omptape_writer *writer, const char *text, size_t bytes)
{
    if (writer->report.file >= 0)
        (void)!write(writer->report.file, text, bytes);
}

void omptape_report_begin(const struct omptape_writer *writer, const char *folder)
{
    char escaped[OMPTAPE_PATH_BYTES];
    char text[sizeof(escaped) + 32];
    int n = snprintf(text, sizeof(text), "begun=%s\n\n",
                     omptape_report_file_escape(folder, escaped, sizeof(escaped)));
    if (n > 0 && (size_t)n < sizeof(text))
        append_to_report(writer, text, (size_t)n);
}

void omptape_report_send(const struct omptape_writer *writer, const char *folder, const char *job_folder,
                         const char *error)
{
    char place[OMPTAPE_PATH_BYTES];
    char job[OMPTAPE_PATH_BYTES];
    char text[sizeof(lines) + sizeof(place) + sizeof(job) + 512];
    omptape_report_file_escape(error[0] != '\0' ? error : folder, place, sizeof(place));
    omptape_report_file_escape(job_folder, job, sizeof(job));
    int n = error[0] != '\0' ? snprintf(text, sizeof(text), "error=%s\n\n", place)
                             : snprintf(text, sizeof(text), "trace=%s/traces.otf2\njob_folder=%s\n%.*s\n",
                                        place, job, (int)used, lines);
    if (n > 0)
        append_to_report(writer, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}
