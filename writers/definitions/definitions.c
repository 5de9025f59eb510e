/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the definitions after the last event: system tree, locations, regions with their source positions,
 * teams, attributes, clock.
 */
#include "writers/definitions/definitions.h"

#include "src/core/whole.h"
#include "src/core/words.h"
#include "writers/definitions/regions.h"
#include "writers/devices/definitions.h"
#include "writers/regions/contexts.h"
#include "writers/state/sched.h"
#include "writers/translate/created_threads.h"
#include "writers/translate/mpi_communicators.h"
#include "writers/translate/mpi_files.h"
#include "writers/translate/mpi_windows.h"
#include "writers/translate/teams.h"
#include <omptape/ompt.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Members of the metric of the threads' processor time; their last values are location properties. */

static const struct {
    const char *name;
    const char *description;
    const char *unit;
} members[OMPTAPE_SCHED_MEMBERS] = {
    [OMPTAPE_MEMBER_RUNNING] = {OMPTAPE_LOCATION_RUNNING, "time that the thread was on a processor", "ns"},
    [OMPTAPE_MEMBER_WAITING] = {OMPTAPE_LOCATION_WAITING,
                                "time that the thread could have run, but had no processor", "ns"},
    [OMPTAPE_MEMBER_SYSTEM] = {OMPTAPE_LOCATION_SYSTEM, "time of that on a processor in the kernel", "ns"},
    [OMPTAPE_MEMBER_MINOR_FAULTS] = {OMPTAPE_LOCATION_MINOR_FAULTS,
                                     "page faults that the kernel served without a disk", "#"},
    [OMPTAPE_MEMBER_MAJOR_FAULTS] = {OMPTAPE_LOCATION_MAJOR_FAULTS, "page faults that needed a disk", "#"},
    [OMPTAPE_MEMBER_VOLUNTARY] = {OMPTAPE_LOCATION_VOLUNTARY,
                                  "times that the thread left its processor to wait for something", "#"},
    [OMPTAPE_MEMBER_INVOLUNTARY] = {OMPTAPE_LOCATION_INVOLUNTARY,
                                    "times that another thread took the thread's processor", "#"},
};

/* Returns true if the archive has a reading of the location's counters. The first is the processor time. */
static bool is_counted(const struct omptape_location *location)
{
    return location->samples.counters != NULL && location->samples.counters->written.sums[0] > 0;
}

static OTF2_StringRef string_ref(struct omptape_writer *writer, const char *text)
{
    return omptape_archive_string(&writer->strings, text);
}

static void write_location_property(struct omptape_writer *writer, const struct omptape_location *location,
                                    const char *name, const char *value)
{
    OTF2_AttributeValue text = {.stringRef = string_ref(writer, value)};
    OMPTAPE_DEFINE(&writer->archive, LocationProperty, location->ref, string_ref(writer, name),
                   OTF2_TYPE_STRING, text);
}

static void write_location_number(struct omptape_writer *writer, const struct omptape_location *location,
                                  const char *name, uint64_t value)
{
    OTF2_AttributeValue number = {.uint64 = value};
    OMPTAPE_DEFINE(&writer->archive, LocationProperty, location->ref, string_ref(writer, name),
                   OTF2_TYPE_UINT64, number);
}

/* Writes the location's last values. Called after its definition. */
static void write_last_values(struct omptape_writer *writer, const struct omptape_location *location)
{
    for (uint32_t i = 0; i < writer->archive.counters && is_counted(location); i++)
        write_location_number(writer, location, writer->counter_names[i],
                              location->samples.counters->written.sums[i]);
    if (location->sched == NULL || location->sched->latest.time == 0)
        return;
    for (unsigned i = 0; i < OMPTAPE_SCHED_MEMBERS; i++)
        write_location_number(writer, location, members[i].name, location->sched->latest.sums[i]);
    if (location->sched->seen_blocked == 0)
        return;
    write_location_number(writer, location, OMPTAPE_LOCATION_SEEN_BLOCKED, location->sched->seen_blocked);
    write_location_number(writer, location, OMPTAPE_LOCATION_SEEN_DISK, location->sched->seen_disk);
    if (location->sched->seen_stopped > 0)
        write_location_number(writer, location, OMPTAPE_LOCATION_SEEN_STOPPED, location->sched->seen_stopped);
}

/* Most members of a metric class. */
enum { MAX_MEMBERS = OMPTAPE_MAX_COUNTERS };
_Static_assert((int)OMPTAPE_SCHED_MEMBERS <= MAX_MEMBERS, "a class of sums must fit");

/* Writes a metric class and its members, which `levels` describe. Events refer to the classes directly: ViTE
 * crashes on a metric instance, and other readers support none. */
static void write_class(struct omptape_archive *archive, uint32_t metric, const struct omptape_level *levels,
                        uint32_t count)
{
    OTF2_MetricMemberRef refs[MAX_MEMBERS];
    for (uint32_t i = 0; i < count; i++) {
        const struct omptape_level *level = &levels[i];
        refs[i] = omptape_archive_member_ref(archive, metric) + i;
        OMPTAPE_DEFINE(archive, MetricMember, refs[i], level->name, level->description, level->source,
                       level->mode, level->type, OTF2_BASE_DECIMAL, 0, level->unit);
    }
    OMPTAPE_DEFINE(archive, MetricClass, omptape_archive_metric_ref(archive, metric), (uint8_t)count, refs,
                   OTF2_METRIC_ASYNCHRONOUS, levels[0].recorder);
}

/* Writes a class of a thread's sums. */
static void write_sums(struct omptape_writer *writer, uint32_t metric, OTF2_Type type, uint32_t count)
{
    const bool counted = metric == OMPTAPE_METRIC_COUNTERS;
    struct omptape_level levels[MAX_MEMBERS];
    for (uint32_t i = 0; i < count; i++)
        levels[i] = (struct omptape_level){
            .name = string_ref(writer, counted ? writer->counter_names[i] : members[i].name),
            .description = string_ref(writer, counted ? "as the kernel counts it for the thread"
                                                      : members[i].description),
            .unit = string_ref(writer, counted ? (i == 0 ? "ns" : "#") : members[i].unit),
            .type = type,
            .source = OTF2_METRIC_TYPE_OTHER,
            .mode = OTF2_METRIC_ACCUMULATED_START,
            .recorder = OTF2_RECORDER_KIND_CPU};
    write_class(&writer->archive, metric, levels, count);
}

static bool is_shown(const struct omptape_location *location)
{
    return location->sched != NULL && location->sched->last_written != 0;
}

static void write_recorder(struct omptape_archive *archive, uint32_t metric, OTF2_LocationRef location)
{
    OMPTAPE_DEFINE(archive, MetricClassRecorder, omptape_archive_metric_ref(archive, metric), location);
}

/* Writes the metrics. Called after all locations. */
static void write_metrics(struct omptape_writer *writer)
{
    struct omptape_archive *archive = &writer->archive;
    bool needed = archive->level_count > 0;
    for (uint32_t i = 0; i < writer->location_count && !needed; i++)
        needed = is_shown(writer->locations[i]) || is_counted(writer->locations[i]);
    if (needed)
        write_sums(writer, OMPTAPE_METRIC_SCHED, OTF2_TYPE_UINT64, OMPTAPE_SCHED_MEMBERS);
    if (needed && archive->counters > 0)
        write_sums(writer, OMPTAPE_METRIC_COUNTERS, OTF2_TYPE_INT64, archive->counters);
    for (uint32_t i = 0; i < writer->location_count && archive->counters > 0; i++)
        if (is_counted(writer->locations[i]))
            write_recorder(archive, OMPTAPE_METRIC_COUNTERS, writer->locations[i]->ref);
    for (uint32_t i = 0; i < writer->location_count; i++)
        if (is_shown(writer->locations[i]))
            write_recorder(archive, OMPTAPE_METRIC_SCHED, writer->locations[i]->ref);
    for (uint32_t i = 0; i < archive->level_count; i++)
        write_class(archive, OMPTAPE_METRIC_LEVEL + i, &archive->levels[i], 1);
    for (uint32_t i = 0; i < archive->level_place_count; i++)
        write_recorder(archive, archive->level_places[i].metric, archive->level_places[i].location);
}

enum { MACHINE = 0, NODE = OMPTAPE_DEFINED_NODE, PROCESS = OMPTAPE_DEFINED_PROCESS };

static void write_attributes(struct omptape_writer *writer)
{
    for (unsigned i = 0; i < OMPTAPE_ATTRIBUTE_NUM; i++)
        OMPTAPE_DEFINE(&writer->archive, Attribute, i, string_ref(writer, omptape_attribute_infos[i].name),
                       string_ref(writer, omptape_attribute_infos[i].description),
                       omptape_attribute_infos[i].type);
    for (unsigned i = 0; i < OMPTAPE_PARAMETER_NUM; i++)
        OMPTAPE_DEFINE(&writer->archive, Parameter, i, string_ref(writer, omptape_parameter_infos[i].name),
                       omptape_parameter_infos[i].type);
}

static void write_paradigm_of_mpi(struct omptape_writer *writer)
{
    OTF2_AttributeValue comm = {.stringRef = string_ref(writer, "MPI Communicator ${id}")};
    OTF2_AttributeValue no = {.uint8 = OTF2_FALSE};
    OMPTAPE_DEFINE(&writer->archive, Paradigm, OTF2_PARADIGM_MPI, string_ref(writer, "MPI"),
                   OTF2_PARADIGM_CLASS_PROCESS);
    OMPTAPE_DEFINE(&writer->archive, ParadigmProperty, OTF2_PARADIGM_MPI,
                   OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING, comm);
    OMPTAPE_DEFINE(&writer->archive, ParadigmProperty, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_ONLY,
                   OTF2_TYPE_UINT8, no);
}

static void write_paradigm(struct omptape_writer *writer)
{
    OTF2_AttributeValue template = {.stringRef = string_ref(writer, "Thread team ${id}")};
    OMPTAPE_DEFINE(&writer->archive, Paradigm, OTF2_PARADIGM_OPENMP, string_ref(writer, "OpenMP"),
                   OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
    OMPTAPE_DEFINE(&writer->archive, ParadigmProperty, OTF2_PARADIGM_OPENMP,
                   OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING, template);
    if (writer->communicators->called || omptape_communicators_are_used(writer))
        write_paradigm_of_mpi(writer);
    if (omptape_created_threads_exist(writer))
        OMPTAPE_DEFINE(&writer->archive, Paradigm, OTF2_PARADIGM_PTHREAD, string_ref(writer, "POSIX threads"),
                       OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT);
    omptape_device_definitions_paradigms(writer);
}

/* Returns a short name, because timelines show it before each thread of the process. */
OTF2_StringRef omptape_definitions_process_name(struct omptape_writer *writer)
{
    const struct omptape_job *job = &writer->settings->job;
    const char *program = omptape_base_name(writer->settings->program);
    if (job->launcher[0] != '\0')
        return omptape_archive_format(&writer->strings, "rank %d", (int)job->rank);
    return string_ref(writer, program[0] != '\0' ? program : "Process");
}

static void write_process_property(struct omptape_writer *writer, const char *key, const char *value)
{
    OTF2_AttributeValue text = {.stringRef = string_ref(writer, value)};
    OTF2_StringRef name = omptape_archive_format(&writer->strings, OMPTAPE_PROPERTY_PREFIX "%s", key);
    OMPTAPE_DEFINE(&writer->archive, LocationGroupProperty, PROCESS, name, OTF2_TYPE_STRING, text);
}

static void write_system_tree(struct omptape_writer *writer)
{
    char pid[16];
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    OMPTAPE_DEFINE(&writer->archive, SystemTreeNode, MACHINE, string_ref(writer, "machine"),
                   string_ref(writer, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OMPTAPE_DEFINE(&writer->archive, SystemTreeNodeDomain, MACHINE, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
    OMPTAPE_DEFINE(&writer->archive, SystemTreeNode, NODE, string_ref(writer, host),
                   string_ref(writer, "node"), MACHINE);
    OMPTAPE_DEFINE(&writer->archive, SystemTreeNodeDomain, NODE, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    OMPTAPE_DEFINE(&writer->archive, LocationGroup, PROCESS, omptape_definitions_process_name(writer),
                   OTF2_LOCATION_GROUP_TYPE_PROCESS, NODE, OTF2_UNDEFINED_LOCATION_GROUP);
    snprintf(pid, sizeof(pid), "%d", (int)writer->settings->pid);
    write_process_property(writer, OMPTAPE_KEY_PROGRAM, writer->settings->program);
    write_process_property(writer, OMPTAPE_KEY_PID, pid);
    omptape_communicators_write_connections(writer, PROCESS);
}

static const char *thread_type_name(unsigned type)
{
    static const char *const names[] = {
        [ompt_thread_initial] = "initial", [ompt_thread_worker] = "worker", [ompt_thread_other] = "other"};
    return type < sizeof(names) / sizeof(names[0]) && names[type] != NULL ? names[type] : "unknown";
}

static OTF2_StringRef name_location(struct omptape_writer *writer, const struct omptape_location *location)
{
    if (location->other != NULL)
        return omptape_archive_format(&writer->strings, "%s (%u)",
                                      location->other[0] != '\0' ? location->other : "thread",
                                      location->first_tid);
    if (location->tid == (uint32_t)writer->settings->pid)
        return string_ref(writer, "Master thread");
    if (location->thread_type == ompt_thread_initial)
        return omptape_archive_format(&writer->strings, "Initial thread %u", location->number);
    return omptape_archive_format(&writer->strings, "OMP thread %u", location->number);
}

OTF2_StringRef omptape_definitions_location_name(struct omptape_writer *writer,
                                                 const struct omptape_location *location)
{
    const OTF2_StringRef name = name_location(writer, location);
    if (location->title == NULL)
        return name;
    return omptape_archive_format(&writer->strings, "%s: %s", omptape_archive_text(&writer->strings, name),
                                  location->title);
}

/* The runtime creates its workers itself, so nothing is written for these. */
static void write_origin(struct omptape_writer *writer, const struct omptape_location *location)
{
    const struct omptape_thread_origin *origin = &location->origin;
    if (location->other == NULL && location->thread_type != ompt_thread_initial)
        return;
    if (origin->creator != 0)
        write_location_number(writer, location, OMPTAPE_LOCATION_CREATED_BY, origin->creator);
    if (origin->joiner == 0)
        return;
    write_location_number(writer, location, OMPTAPE_LOCATION_JOINED_BY, origin->joiner);
    write_location_number(writer, location, OMPTAPE_LOCATION_SEEN_JOINING, origin->seen_joining);
}

static void write_location(struct omptape_writer *writer, const struct omptape_location *location)
{
    char number[32];
    if (location->device != NULL || location->on_device.metric) {
        omptape_device_definitions_location(writer, location);
        return;
    }
    OMPTAPE_DEFINE(&writer->archive, Location, location->ref,
                   omptape_definitions_location_name(writer, location), OTF2_LOCATION_TYPE_CPU_THREAD,
                   omptape_archive_written(&writer->archive, location->events), PROCESS);
    snprintf(number, sizeof(number), "%u", location->first_tid);
    write_location_property(writer, location, "OS thread id", number);
    if (location->threads > 1)
        write_location_number(writer, location, OMPTAPE_LOCATION_THREADS, location->threads);
    if (location->other == NULL)
        write_location_property(writer, location, "OpenMP thread type",
                                thread_type_name(location->thread_type));
    else
        write_location_property(writer, location, OMPTAPE_LOCATION_OTHER_THREAD, location->other);
    write_origin(writer, location);
    if (location->binding != NULL)
        write_location_property(writer, location, "binding", location->binding);
    if (location->allowed != NULL) {
        write_location_property(writer, location, OMPTAPE_LOCATION_ALLOWED, location->allowed);
        write_location_number(writer, location, OMPTAPE_LOCATION_ALLOWED_CHANGES, location->allowed_changes);
    }
    if (location->gaps.dropped > 0) {
        snprintf(number, sizeof(number), "%llu", (unsigned long long)location->gaps.dropped);
        write_location_property(writer, location, "events dropped", number);
    }
    if (location->place >= 0) {
        snprintf(number, sizeof(number), "%lld", (long long)location->place);
        write_location_property(writer, location, "place", number);
    }
    write_last_values(writer, location);
}

/* Limits the value, which may be arbitrary in damaged records. */
static int64_t clamped_ns(long double ns)
{
    const long double max = 1e18L; /* 31 years. */
    if (ns > max)
        ns = max;
    return (int64_t)(ns < -max ? -max : ns);
}

static void write_clock(struct omptape_writer *writer, uint64_t resolution)
{
    const struct omptape_settings *settings = writer->settings;
    uint64_t begin = writer->window_begin > writer->begin ? writer->window_begin : writer->begin;
    uint64_t length = writer->last_time > begin ? writer->last_time - begin : 0;
    long double since_start =
        (long double)begin - (long double)omptape_timeline_ticks(&writer->timeline, settings->start_ticks);
    int64_t ns = clamped_ns(since_start * 1e9L / (long double)resolution);
    OMPTAPE_DEFINE(&writer->archive, ClockProperties, resolution, begin, length,
                   settings->start_realtime + (uint64_t)ns);
}

/* Returns a map of `count` numbers, each increased by `by`. */
static OTF2_IdMap *shifted(uint32_t count, uint32_t by)
{
    OTF2_IdMap *map = count > 0 ? OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, count) : NULL;
    for (uint32_t i = 0; map != NULL && i < count; i++)
        OTF2_IdMap_AddIdPair(map, i, i + by);
    return map;
}

/* Returns the first number of the groups of processes. The lists of locations, and one group for each
 * communicator, precede them. */
static OTF2_GroupRef first_group(const struct omptape_writer *writer)
{
    return omptape_teams_comm_count(writer) + 1U + omptape_communicators_are_used(writer) +
           omptape_created_threads_exist(writer);
}

/* Writes a communicator that is no team's. */
static void write_other_comm(struct omptape_writer *writer, uint64_t key, OTF2_GroupRef group)
{
    if (!omptape_created_threads_write_comm(writer, key, group))
        omptape_communicators_write(writer, key, group);
}

static void free_map(OTF2_IdMap *map)
{
    if (map != NULL)
        OTF2_IdMap_Free(map);
}

static void write_map(OTF2_DefWriter *local, OTF2_MappingType type, const OTF2_IdMap *map)
{
    if (map != NULL)
        OTF2_DefWriter_WriteMappingTable(local, type, map);
}

/* Writes a definition file for each location, because readers expect one even if it is empty. libotf2
 * searches its list of writers for each location. With the most threads that have a location of their own,
 * this search takes 4 % of the function's time. */
static void write_local(struct omptape_writer *writer, const OTF2_IdMap *region_map,
                        const struct omptape_context_texts *contexts)
{
    const bool moved = !omptape_device_definitions_has_window(writer);
    OTF2_IdMap *groups = shifted(omptape_communicators_group_count(writer), first_group(writer));
    OTF2_IdMap *windows = NULL;
    if (omptape_mpi_windows_count(writer) > 0 && moved) {
        windows = OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, omptape_mpi_windows_count(writer) + 1);
        for (uint32_t i = 0; windows != NULL && i <= omptape_mpi_windows_count(writer); i++)
            OTF2_IdMap_AddIdPair(windows, i, i > 0 ? i - 1 : 0);
    }
    OTF2_Archive *archive = writer->archive.otf2;
    omptape_archive_check(&writer->archive, OTF2_Archive_OpenDefFiles(archive),
                          "opening the definition files");
    for (uint32_t i = 0; i < writer->location_count; i++) {
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive, writer->locations[i]->ref);
        if (local == NULL)
            continue;
        OTF2_IdMap *own = omptape_definitions_context_map(contexts, writer->locations[i]);
        write_map(local, OTF2_MAPPING_REGION, region_map);
        write_map(local, OTF2_MAPPING_GROUP, groups);
        write_map(local, OTF2_MAPPING_RMA_WIN, windows);
        write_map(local, OTF2_MAPPING_CALLING_CONTEXT, own);
        free_map(own);
        omptape_archive_check(&writer->archive, OTF2_Archive_CloseDefWriter(archive, local),
                              "local definitions");
    }
    omptape_archive_check(&writer->archive, OTF2_Archive_CloseDefFiles(archive),
                          "closing the definition files");
    free_map(groups);
    free_map(windows);
}

static void write_global(struct omptape_writer *writer, uint64_t resolution,
                         const struct omptape_region_texts *texts,
                         const struct omptape_context_texts *contexts)
{
    struct omptape_archive *archive = &writer->archive;
    archive->definitions = OTF2_Archive_GetGlobalDefWriter(archive->otf2);
    if (archive->definitions == NULL) {
        omptape_archive_check(archive, OTF2_ERROR_INVALID, "cannot open the global definitions");
        return;
    }
    write_clock(writer, resolution);
    omptape_archive_strings_write(&writer->strings, archive->definitions);
    write_paradigm(writer); /* Readers expect the paradigms right after the strings. */
    omptape_mpi_files_write_paradigm(writer);
    write_attributes(writer);
    write_system_tree(writer);
    omptape_device_definitions_groups(writer);
    for (uint32_t i = 0; i < writer->location_count; i++)
        write_location(writer, writer->locations[i]);
    omptape_definitions_write_regions(writer, texts);
    omptape_definitions_write_contexts(writer, texts, contexts);
    OTF2_GroupRef group = 0;
    omptape_teams_write_list(writer);
    if (omptape_communicators_are_used(writer))
        omptape_communicators_write_list(writer, ++group);
    if (omptape_created_threads_exist(writer))
        omptape_created_threads_write_list(writer, ++group);
    uint32_t comms = omptape_teams_write(writer, ++group, write_other_comm);
    write_metrics(writer);
    group += comms;
    omptape_communicators_write_groups(writer, group);
    group += omptape_communicators_group_count(writer);
    omptape_device_definitions_rest(writer, group, comms);
    group += omptape_device_definitions_has_window(writer) ? 2 : 0;
    omptape_definitions_write_region_groups(writer, texts, group);
    omptape_mpi_windows_write(writer,
                              OMPTAPE_RMA_WINDOW + (omptape_device_definitions_has_window(writer) ? 1 : 0));
    omptape_mpi_files_write(writer, MACHINE);
    omptape_archive_strings_write(&writer->strings, NULL);
    omptape_archive_check(archive, OTF2_Archive_CloseGlobalDefWriter(archive->otf2, archive->definitions),
                          "closing the global definitions");
    archive->definitions = NULL;
}

/* Returns the length of the longest definition in words: locations, processes, a mapping table, or a text. */
static uint64_t longest_definition(const struct omptape_writer *writer,
                                   const struct omptape_region_texts *texts)
{
    uint64_t longest = omptape_greater(writer->location_count, omptape_communicators_process_count(writer));
    longest = omptape_greater(longest, texts->count);
    longest = omptape_greater(longest, 2 * (uint64_t)writer->contexts->tree.count);
    longest = omptape_greater(longest, (uint64_t)omptape_mpi_windows_count(writer) + 1);
    longest = omptape_greater(longest, omptape_communicators_group_count(writer));
    return omptape_greater(longest, omptape_archive_strings_longest(&writer->strings) / sizeof(uint64_t));
}

void omptape_definitions_write(struct omptape_writer *writer, uint64_t resolution)
{
    struct omptape_region_texts own = {.list = NULL};
    struct omptape_region_texts *texts = writer->region_texts != NULL ? writer->region_texts : &own;
    struct omptape_context_texts contexts = {.final = NULL};
    string_ref(writer, ""); /* The empty string gets reference 0. */
    omptape_device_definitions_number(writer);
    if (!omptape_definitions_describe_regions(writer, texts) ||
        !omptape_definitions_describe_contexts(writer, texts, &contexts)) {
        omptape_archive_check(&writer->archive, OTF2_ERROR_MEM_ALLOC_FAILED, "definitions");
        return;
    }
    omptape_archive_begin_definitions(&writer->archive, longest_definition(writer, texts));
    bool merged = texts->distinct < texts->count;
    OTF2_IdMap *map = merged ? omptape_definitions_region_map(texts) : NULL;
    write_local(writer, map, &contexts);
    write_global(writer, resolution, texts, &contexts);
    free_map(map);
    omptape_definitions_forget_contexts(&contexts);
    omptape_definitions_forget_regions(&own);
}
