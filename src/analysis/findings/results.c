/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the results in order, and sums up threads, processes and machines (gathering.h).
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/location.h"
#include "src/analysis/loops.h"
#include "src/analysis/outliers.h"
#include "src/analysis/sampled.h"
#include "src/analysis/tasks.h"
#include "src/core/sort.h"

#include <errno.h>
#include <inttypes.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

static void note_teams(struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *one = state->parallels.list[i].value;
        const uint64_t threads = (uint64_t)one->threads * (one->outer > 0 ? one->outer : 1);
        if (one->region != NULL && one->region->team < threads)
            one->region->team = threads;
    }
}

/* Returns how many threads of a process, at most, worked in parallel regions for a tenth of the parallel
 * time. A rare nested team does not count. */
static uint64_t usual_threads(const struct analysis_state *state)
{
    enum { GOOD_PART = 10 };
    uint64_t all = 0;
    uint64_t usual = 1;
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        omptape_add(&all, parallel->outer > 1 ? 0 : parallel->wall);
    }
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *one = state->parallels.list[i].value;
        uint64_t threads = (uint64_t)one->threads * one->outer;
        uint64_t wall = 0;
        for (uint32_t j = 0; j < state->parallels.count && threads > usual; j++) {
            const struct analysis_parallel *other = state->parallels.list[j].value;
            if ((uint64_t)other->threads * other->outer >= threads)
                omptape_add(&wall, other->wall / other->outer);
        }
        if (omptape_times(GOOD_PART, wall) >= all && threads > usual)
            usual = threads;
    }
    return usual;
}

/* Returns how many initial threads were in teams or computed at once, for at least a tenth of the time with
 * several. Returns 0 if there never were several, or if the process has one initial thread. */
static uint32_t usual_available(const struct analysis_process *process)
{
    enum { GOOD_PART = 10 };
    uint64_t all = 0;
    uint64_t wall = 0;
    for (uint32_t i = 2; i < ANALYSIS_CONCURRENCY_BINS; i++)
        omptape_add(&all, process->wall_by_available[i]);
    for (uint32_t i = ANALYSIS_CONCURRENCY_BINS - 1; i >= 2 && all > 0; i--) {
        omptape_add(&wall, process->wall_by_available[i]);
        if (omptape_times(GOOD_PART, wall) >= all)
            return i;
    }
    return 0;
}

/* Drops the serial time of processes with several initial threads without early readings, as in a profile. It
 * is unknown which of these threads computed outside of all regions. */
static void forget_serial(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    for (uint32_t i = 0; i < result->process_count; i++) {
        struct analysis_process *process = &result->processes[i];
        uint32_t initial = 0;
        for (uint32_t j = 0; j < result->thread_count; j++) {
            const struct analysis_thread *thread = &result->thread_list[j];
            initial += thread->process == i && thread->parts[OMPTAPE_BUCKET_SERIAL] > 0;
        }
        if (initial < 2 || omptape_analysis_has_several(process))
            continue;
        result->serial_unknown = true;
        process->serial = 0;
    }
}

static void add_up_threads(const struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    uint64_t usual = usual_threads(state);
    for (uint32_t i = 0; i < result->thread_count; i++) {
        struct analysis_thread *thread = &result->thread_list[i];
        struct analysis_process *process = &result->processes[thread->process];
        omptape_parts_add(process->parts, thread->parts);
        omptape_add(&process->running_ns, thread->running_ns);
        omptape_add(&process->queued_ns, thread->queued_ns);
        omptape_add(&process->starting, thread->starting);
        process->longest_in_mpi = omptape_greater(
            process->longest_in_mpi, omptape_minus(thread->parts[OMPTAPE_BUCKET_MPI], thread->starting));
    }
    for (uint32_t i = 0; i < result->process_count; i++) {
        struct analysis_process *process = &result->processes[i];
        const uint32_t available = usual_available(process);
        if (available > 0)
            process->most_threads = available;
        else if (process->most_threads > usual)
            process->most_threads = (uint32_t)usual;
        /* Limits the number by the definitions, so that loops over threads end for a damaged archive. */
        if (process->most_threads > state->reader->definition_count)
            process->most_threads = state->reader->definition_count;
    }
}

static int by_node(const void *left, const void *right)
{
    const struct analysis_process *one = *(const struct analysis_process *const *)left;
    const struct analysis_process *other = *(const struct analysis_process *const *)right;
    return strcmp(one->node, other->node);
}

static void add_to_node(struct analysis_node *node, const struct analysis_process *process)
{
    node->begin = node->processes == 0 || process->begin < node->begin ? process->begin : node->begin;
    node->end = process->end > node->end ? process->end : node->end;
    node->processes++;
    omptape_add_narrow(&node->threads, process->threads);
    omptape_add(&node->serial, process->serial);
    omptape_add(&node->running_ns, process->running_ns);
    omptape_add(&node->queued_ns, process->queued_ns);
    bool fewer = process->team_processors > 0 && process->team_processors < process->processors;
    uint64_t processors = fewer ? 0 : process->processors;
    if (node->processes == 1 || processors < node->processors)
        node->processors = processors;
    omptape_parts_add(node->parts, process->parts);
}

/* The begin of a process (`count` is 1) or its end (-1). */
struct change {
    uint64_t time;
    int count;
    const struct analysis_process *process;
};

/* An end precedes a begin at the same time. */
static int by_time(const void *left, const void *right)
{
    const struct change *one = left;
    const struct change *other = right;
    return one->time != other->time ? (one->time < other->time ? -1 : 1) : one->count - other->count;
}

static void raise_to(uint32_t *most, int64_t number)
{
    *most = number > *most && number <= UINT32_MAX ? (uint32_t)number : *most;
}

/* Finds the most that ran at one time. Processes may have run one after the other, as in a script. Those
 * outside of the window have no time; if all are, each counts alone. The array `changes` holds two for each
 * process. */
static struct analysis_most find_most(const struct analysis_process *const *list, uint32_t count,
                                      struct change *changes)
{
    struct analysis_most most = {.processes = 1};
    int64_t processes = 0;
    int64_t threads = 0;
    int64_t members = 0;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i]->end <= list[i]->begin)
            continue;
        changes[used++] = (struct change){list[i]->begin, 1, list[i]};
        changes[used++] = (struct change){list[i]->end, -1, list[i]};
    }
    for (size_t i = 0; i < count && used == 0; i++) {
        raise_to(&most.threads, list[i]->threads);
        raise_to(&most.members, list[i]->most_threads);
    }
    omptape_sort(changes, used, sizeof(*changes), by_time);
    for (size_t i = 0; i < used; i++) {
        processes += changes[i].count;
        threads += changes[i].count * (int64_t)changes[i].process->threads;
        members += changes[i].count * (int64_t)changes[i].process->most_threads;
        raise_to(&most.processes, processes);
        raise_to(&most.threads, threads);
        raise_to(&most.members, members);
    }
    return most;
}

/* Sums up the processes by node; sorting makes the processes of a node adjacent. */
static int add_up_nodes(struct omptape_analysis *result)
{
    const struct analysis_process **list = omptape_calloc((size_t)result->process_count + 1, sizeof(void *));
    result->nodes =
        omptape_arena_alloc(&result->arena, ((size_t)result->process_count + 1) * sizeof(*result->nodes));
    struct change *changes = omptape_calloc(2 * (size_t)result->process_count + 1, sizeof(*changes));
    int status = list == NULL || changes == NULL || result->nodes == NULL ? -ENOMEM : 0;
    if (status != 0)
        goto out;
    for (uint32_t i = 0; i < result->process_count; i++)
        list[i] = &result->processes[i];
    omptape_sort(list, result->process_count, sizeof(*list), by_node);
    for (uint32_t i = 0; i < result->process_count; i++) {
        if (i == 0 || by_node(&list[i - 1], &list[i]) != 0)
            result->nodes[result->node_count++].name = list[i]->node;
        add_to_node(&result->nodes[result->node_count - 1], list[i]);
    }
    const struct analysis_most most = find_most(list, result->process_count, changes);
    result->at_once = most.processes;
    result->threads = most.members;
    const struct analysis_process **first = list;
    for (uint32_t i = 0; i < result->node_count; first += result->nodes[i++].processes)
        result->nodes[i].most = find_most(first, result->nodes[i].processes, changes);
out:
    free(list);
    free(changes);
    return status;
}

static bool is_of_function(const struct analysis_region *one, const struct analysis_region *other)
{
    return one->function[0] != '\0' && strcmp(one->function, other->function) == 0 &&
           strcmp(one->file, other->file) == 0;
}

/* Returns the usual time from the previous event to a creation. If a function creates tasks at several places
 * (recursion to the left and right), the smallest median has the least other work in it. */
static uint64_t usual_before(const struct analysis_state *state, const struct analysis_task_site *site)
{
    const struct analysis_region *region = site->result.region;
    uint64_t least = omptape_durations_median(&site->before, state->reader->clock_resolution);
    for (uint32_t i = 0; i < state->task_sites.count && region != NULL; i++) {
        const struct analysis_task_site *other = state->task_sites.list[i].value;
        if (other->result.region == NULL || other->before.count < ANALYSIS_MIN_INSTANCES ||
            !is_of_function(region, other->result.region))
            continue;
        uint64_t median = omptape_durations_median(&other->before, state->reader->clock_resolution);
        least = median < least ? median : least;
    }
    return least;
}

/* Estimates the cost of creation from the short times around it; longer times are other work. */
static void estimate_creation(const struct analysis_state *state, struct analysis_task_site *site)
{
    uint64_t usual = omptape_times(3, usual_before(state, site));
    usual = usual < state->creation_cap ? usual : state->creation_cap;
    uint64_t sum = 0;
    for (unsigned bin = 0; bin < ANALYSIS_BINS; bin++) {
        uint64_t most = omptape_times(omptape_plus(site->before.bins[bin], site->after.bins[bin]), usual);
        omptape_add(&sum, site->bin_sums[bin] < most ? site->bin_sums[bin] : most);
    }
    site->result.creation = sum;
}

static const char *name_of(struct analysis_state *state, enum omptape_definition_kind kind, uint64_t id)
{
    return omptape_reader_text(&state->result->arena, omptape_reader_name(state->reader, kind, id));
}

/* Sets what the definitions contain about processes, devices and loops. */
static void name_things(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    for (uint32_t i = 0; i < result->process_count; i++) {
        struct analysis_process *process = &result->processes[i];
        process->name = name_of(state, OMPTAPE_DEF_LOCATION_GROUP, process->group->id);
        process->node = name_of(state, OMPTAPE_DEF_SYSTEM_TREE_NODE, process->group->refs[1].id);
        process->processors = omptape_reader_number_of(state->reader, process->number, "INFO::PROCS");
        process->team_processors =
            omptape_reader_number_of(state->reader, process->number, OMPTAPE_KEY_PROCESSORS);
    }
    for (uint32_t i = 0; i < state->devices.count; i++) {
        struct analysis_device *device = state->devices.list[i].value;
        device->name = name_of(state, OMPTAPE_DEF_LOCATION_GROUP, device->group->id);
    }
    for (uint32_t i = 0; i < state->loops.count; i++)
        omptape_analysis_loop_name_schedule(state, state->loops.list[i].value);
}

/* Names the threads. One that several threads used has the first one's and the number of the others. */
static void name_threads(struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->locations.count; i++) {
        const struct analysis_location *location = state->locations.list[i].value;
        if (location->thread == NULL)
            continue;
        const uint64_t threads = omptape_rivals_number(state, location->id, OMPTAPE_LOCATION_THREADS);
        location->thread->name = name_of(state, OMPTAPE_DEF_LOCATION, location->id);
        if (threads > 1 && location->thread->name != NULL)
            location->thread->name =
                omptape_sentence(state, "%s and %" PRIu64 " more", location->thread->name, threads - 1);
    }
}

/* Lists the threads in the archive's order. */
static void list_threads(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    const struct omptape_reader *reader = state->reader;
    result->thread_list = omptape_arena_alloc(&result->arena, (state->locations.count + (size_t)1) *
                                                                  sizeof(*result->thread_list));
    for (const struct omptape_definition *definition = reader->first[OMPTAPE_DEF_LOCATION];
         definition != NULL && result->thread_list != NULL; definition = definition->next) {
        const struct analysis_location *location = omptape_pairs_get(&state->locations, 0, definition->id);
        if (location != NULL && location->thread != NULL)
            result->thread_list[result->thread_count++] = *location->thread;
    }
}

/* Adds all MPI functions to the table, including those that transfer nothing. */
static void list_mpi(struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->regions.count; i++) {
        struct analysis_region *region = state->regions.list[i].value;
        if (region->kind != OMPTAPE_REGION_MPI || region->visits.count == 0)
            continue;
        (void)omptape_analysis_at_region(state, &state->mpi, region, sizeof(struct analysis_mpi));
    }
}

static bool gather(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    result->begin = state->whole.begin;
    result->end = state->whole.end;
    result->events = state->whole.events;
    name_things(state);
    name_threads(state);
    list_threads(state);
    list_mpi(state);
    return omptape_sampled_finish(state) && !omptape_out_of_memory;
}

int omptape_analysis_results(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    if (!gather(state))
        return -ENOMEM;
    forget_serial(state);
    add_up_threads(state);
    if (add_up_nodes(result) != 0)
        return -ENOMEM;
    for (uint32_t i = 0; i < state->task_sites.count; i++)
        estimate_creation(state, state->task_sites.list[i].value);
    omptape_analysis_perturbation(state);
    omptape_analysis_loops_finish(state);
    note_teams(state);
    omptape_analysis_efficiency(state);
    omptape_findings_name_places(state);
    omptape_outliers_finish(state);
    omptape_outliers_choose(state);
    omptape_steps_finish(state);
    omptape_analysis_findings(state);
    omptape_analysis_warn(state);
    if (omptape_analysis_list_rows(state) != 0)
        return -ENOMEM;
    result->serial_count = result->serial_unknown ? 0 : result->serial_count;
    return omptape_out_of_memory ? -ENOMEM : 0;
}
