/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Selects the processes to analyse, and the locations of each (plan.h).
 */
#include "src/analysis/reduce/plan.h"

#include "src/analysis/state.h"

#include <errno.h>
#include <stdlib.h>

enum { SHORT_IDLE_NS = 10000, CREATION_CAP_NS = 3000, SHORT_SLICE_NS = 500000 };

static bool is_wanted(const struct omptape_analysis_options *options, int64_t process)
{
    return options == NULL || options->wants_process == NULL ||
           options->wants_process(options->data, process);
}

static bool is_process(const struct omptape_definition *group)
{
    return group->value[0] == OTF2_LOCATION_GROUP_TYPE_PROCESS;
}

static int list_processes(struct analysis_plan *plan)
{
    const struct omptape_reader *reader = plan->reader;
    uint32_t groups = 0;
    OMPTAPE_EACH_DEFINITION(group, reader, OMPTAPE_DEF_LOCATION_GROUP)
        groups += is_process(group);
    plan->processes = omptape_arena_alloc(&plan->arena, (groups + (size_t)1) * sizeof(*plan->processes));
    if (plan->processes == NULL)
        return -ENOMEM;
    OMPTAPE_EACH_DEFINITION(group, reader, OMPTAPE_DEF_LOCATION_GROUP) {
        int64_t number = is_process(group) ? omptape_reader_process_number(reader, group->id) : -1;
        if (!is_process(group) || !is_wanted(plan->options, number))
            continue;
        struct analysis_planned *process = &plan->processes[plan->count];
        *process = (struct analysis_planned){.group = group, .number = number, .index = plan->count++};
        if (omptape_pairs_put(&plan->process_of, 0, group->id, process) != 0)
            return -ENOMEM;
    }
    return 0;
}

/* Assigns each device's group to a process: to the one of its number, to the only one, or to its creator. */
static int list_devices(struct analysis_plan *plan)
{
    const struct omptape_reader *reader = plan->reader;
    struct omptape_pairs numbers = {0};
    int status = 0;
    for (uint32_t i = plan->count; i-- > 0 && status == 0;)
        if (plan->processes[i].number >= 0)
            status = omptape_pairs_put(&numbers, 0, (uint64_t)plan->processes[i].number, &plan->processes[i]);
    for (const struct omptape_definition *group = reader->first[OMPTAPE_DEF_LOCATION_GROUP];
         group != NULL && status == 0; group = group->next) {
        if (omptape_pairs_get(&plan->process_of, 0, group->id) != NULL)
            continue;
        int64_t number = omptape_reader_process_number(reader, group->id);
        struct analysis_planned *process =
            number >= 0 ? omptape_pairs_get(&numbers, 0, (uint64_t)number) : NULL;
        if (process == NULL && !is_process(group))
            process = plan->count == 1 ? &plan->processes[0]
                                       : omptape_pairs_get(&plan->process_of, 0, group->refs[2].id);
        if (process != NULL)
            status = omptape_pairs_put(&plan->process_of, 0, group->id, process);
    }
    omptape_pairs_free(&numbers);
    return status;
}

/* Returns the process of a location; NULL if it is unwanted. */
static struct analysis_planned *planned_of(const struct analysis_plan *plan,
                                           const struct omptape_definition *location)
{
    return omptape_pairs_get(&plan->process_of, 0, location->refs[1].id);
}

static void announce(struct analysis_plan *plan, struct analysis_planned *process, uint64_t events)
{
    if (__builtin_add_overflow(process->events, events, &process->events))
        process->events = UINT64_MAX;
    if (__builtin_add_overflow(plan->events, events, &plan->events))
        plan->events = UINT64_MAX;
}

static int list_locations(struct analysis_plan *plan)
{
    OMPTAPE_EACH_DEFINITION(location, plan->reader, OMPTAPE_DEF_LOCATION) {
        struct analysis_planned *process = planned_of(plan, location);
        if (process != NULL)
            process->location_count++;
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        struct analysis_planned *process = &plan->processes[i];
        process->locations =
            omptape_arena_alloc(&plan->arena, (process->location_count + (size_t)1) * sizeof(uint64_t));
        if (process->locations == NULL)
            return -ENOMEM;
        process->location_count = 0;
    }
    OMPTAPE_EACH_DEFINITION(location, plan->reader, OMPTAPE_DEF_LOCATION) {
        struct analysis_planned *process = planned_of(plan, location);
        if (process == NULL)
            continue;
        process->locations[process->location_count++] = location->id;
        announce(plan, process, location->value[1]);
    }
    return 0;
}

static int make_first(struct analysis_plan *plan)
{
    const struct omptape_analysis_options *options = plan->options;
    struct analysis_state *state = omptape_arena_alloc(&plan->arena, sizeof(*state));
    uint64_t resolution = plan->reader->clock_resolution;
    if (state == NULL)
        return -ENOMEM;
    plan->first = state;
    state->plan = plan;
    state->process_of = &plan->process_of;
    state->reader = plan->reader;
    state->options = options;
    state->ns_per_tick = 1e9 / (resolution > 0 ? (double)resolution : 1e9);
    state->short_idle = (uint64_t)((double)SHORT_IDLE_NS / state->ns_per_tick) + 1;
    state->creation_cap = (uint64_t)((double)CREATION_CAP_NS / state->ns_per_tick) + 1;
    state->short_slice = (uint64_t)((double)SHORT_SLICE_NS / state->ns_per_tick) + 1;
    state->from = options != NULL ? options->from : 0;
    state->to = options != NULL && options->to > 0 ? options->to : UINT64_MAX;
    state->windowed = state->from > 0 || state->to < UINT64_MAX;
    state->inside = true;
    omptape_durations_list_bins(state->bins, state->ns_per_tick);
    return 0;
}

int omptape_analysis_plan_make(struct analysis_plan *plan, struct omptape_reader *reader,
                               const struct omptape_analysis_options *options)
{
    *plan = (struct analysis_plan){.reader = reader, .options = options};
    int status = list_processes(plan);
    if (status == 0)
        status = list_devices(plan);
    if (status == 0)
        status = list_locations(plan);
    return status == 0 ? make_first(plan) : status;
}

void omptape_analysis_plan_free(struct analysis_plan *plan)
{
    omptape_pairs_free(&plan->process_of);
    omptape_arena_free(&plan->arena);
}

static int compare_sizes(const void *left, const void *right, void *data)
{
    const struct analysis_planned *processes = data;
    const struct analysis_planned *one = &processes[*(const uint32_t *)left];
    const struct analysis_planned *other = &processes[*(const uint32_t *)right];
    if (one->events != other->events)
        return one->events > other->events ? -1 : 1;
    return (one->index > other->index) - (one->index < other->index);
}

void omptape_analysis_plan_sort(const struct analysis_plan *plan, uint32_t *processes, uint32_t count)
{
    qsort_r(processes, count, sizeof(*processes), compare_sizes, plan->processes);
}
