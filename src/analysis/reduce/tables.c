/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Defines the tables of table.h, and finds and creates their entries. A new table needs a row at the end; a
 * new field needs one in its struct's list.
 */
#include "src/analysis/reduce/table.h"

#include "src/analysis/causes.h"
#include "src/analysis/devices.h"
#include "src/analysis/location.h"
#include "src/analysis/locks.h"
#include "src/analysis/opens.h"
#include "src/analysis/outliers.h"
#include "src/analysis/phases.h"
#include "src/analysis/sampled.h"
#include "src/analysis/serial.h"
#include "src/analysis/tasks.h"
#include "src/analysis/values.h"

#include <stddef.h>

#define SIZE(Struct, member) sizeof(((Struct *)0)->member)
/* Arrays must consist of uint64_t. */
#define FIELD(Rule, What, Struct, member)                                                                    \
    {.offset = offsetof(Struct, member),                                                                     \
     .bytes = SIZE(Struct, member),                                                                          \
     .size = SIZE(Struct, member) == sizeof(uint32_t) ? sizeof(uint32_t) : sizeof(uint64_t),                 \
     .rule = ANALYSIS_##Rule,                                                                                \
     .what = ANALYSIS_##What}
#define SUM(What, Struct, member) FIELD(SUM, What, Struct, member)
#define MAX(What, Struct, member) FIELD(MAX, What, Struct, member)
#define MIN_NONZERO(What, Struct, member) FIELD(MIN_NONZERO, What, Struct, member)
#define WORST(What, Struct, member) FIELD(WORST, What, Struct, member)
#define OF_WORST(What, Struct, member) FIELD(OF_WORST, What, Struct, member)
#define OF_WORST_INSTANCE(Struct, member)                                                                    \
    OF_WORST(TIME, Struct, member.begin), OF_WORST(TIME, Struct, member.end),                                \
        OF_WORST(LOCATION, Struct, member.location)
#define WITHIN(Struct, member)                                                                               \
    MIN_NONZERO(REGION, Struct, member.first), MAX(REGION, Struct, member.last),                             \
        SUM(COUNT, Struct, member.outside)
#define DERIVED(Struct, member) FIELD(DERIVED, COUNT, Struct, member)
#define DURATIONS(Struct, member)                                                                            \
    SUM(COUNT, Struct, member.count), SUM(TICKS, Struct, member.sum), WORST(TICKS, Struct, member.longest),  \
        OF_WORST(TIME, Struct, member.longest_begin), OF_WORST(LOCATION, Struct, member.longest_location),   \
        SUM(COUNT, Struct, member.bins)

static const struct analysis_field of_process[] = {
    DERIVED(struct analysis_process, group),
    DERIVED(struct analysis_process, name),
    DERIVED(struct analysis_process, node),
    DERIVED(struct analysis_process, number),
    MIN_NONZERO(TIME, struct analysis_process, begin),
    MAX(TIME, struct analysis_process, end),
    DERIVED(struct analysis_process, threads),
    MAX(COUNT, struct analysis_process, most_threads),
    DERIVED(struct analysis_process, processors),
    DERIVED(struct analysis_process, parts),
    SUM(TICKS, struct analysis_process, serial),
    SUM(TICKS, struct analysis_process, communication),
    DERIVED(struct analysis_process, team_processors),
    SUM(TICKS, struct analysis_process, wall_by_computing),
    DERIVED(struct analysis_process, running_ns),
    DERIVED(struct analysis_process, queued_ns),
    SUM(TICKS, struct analysis_process, serial_queued),
    SUM(TICKS, struct analysis_process, late_queued),
    SUM(TICKS, struct analysis_process, asleep_outside),
    SUM(TICKS, struct analysis_process, wall_by_available),
};

static const struct analysis_field of_thread[] = {
    DERIVED(struct analysis_thread, location),
    DERIVED(struct analysis_thread, process),
    DERIVED(struct analysis_thread, name),
    MIN_NONZERO(TIME, struct analysis_thread, begin),
    MAX(TIME, struct analysis_thread, end),
    SUM(COUNT, struct analysis_thread, events),
    SUM(TICKS, struct analysis_thread, parts),
    SUM(COUNT, struct analysis_thread, running_ns),
    SUM(COUNT, struct analysis_thread, queued_ns),
    SUM(TICKS, struct analysis_thread, stalled),
    SUM(TICKS, struct analysis_thread, computed),
    SUM(COUNT, struct analysis_thread, messages),
    SUM(COUNT, struct analysis_thread, queued_work_ns),
    SUM(TICKS, struct analysis_thread, reading_ticks),
    SUM(COUNT, struct analysis_thread, counted),
};

static const struct analysis_field of_region[] = {
    DERIVED(struct analysis_region, definition),   DERIVED(struct analysis_region, kind),
    DERIVED(struct analysis_region, label),        DERIVED(struct analysis_region, shown),
    DERIVED(struct analysis_region, function),     DERIVED(struct analysis_region, file),
    DERIVED(struct analysis_region, line),         DURATIONS(struct analysis_region, visits),
    SUM(TICKS, struct analysis_region, inclusive), SUM(TICKS, struct analysis_region, parts),
    SUM(TICKS, struct analysis_region, system),    SUM(TICKS, struct analysis_region, system_parts),
    SUM(COUNT, struct analysis_region, faults),    SUM(COUNT, struct analysis_region, major_faults),
    SUM(TICKS, struct analysis_region, charged),   DERIVED(struct analysis_region, gain),
    DERIVED(struct analysis_region, team),         MAX(TICKS, struct analysis_region, silent),
    WITHIN(struct analysis_region, within),        SUM(COUNT, struct analysis_region, counted),
};

static const struct analysis_field of_cause[] = {
    DERIVED(struct analysis_cause, kind),
    DERIVED(struct analysis_cause, region),
    DERIVED(struct analysis_cause, parallel),
    DERIVED(struct analysis_cause, charged),
    SUM(TICKS, struct analysis_cause, gain_parts),
    SUM(TICKS, struct analysis_cause, waited),
    SUM(TICKS, struct analysis_cause, blocked_time),
    SUM(COUNT, struct analysis_cause, blocked_threads),
    SUM(COUNT, struct analysis_cause, count),
    WORST(TICKS, struct analysis_cause, worst.ticks),
    OF_WORST_INSTANCE(struct analysis_cause, worst),
};

static const struct analysis_field of_parallel[] = {
    DERIVED(struct analysis_parallel, region),
    SUM(COUNT, struct analysis_parallel, instances),
    SUM(TICKS, struct analysis_parallel, wall),
    SUM(TICKS, struct analysis_parallel, useful),
    SUM(TICKS, struct analysis_parallel, task_work),
    SUM(TICKS, struct analysis_parallel, task_chain),
    MAX(COUNT, struct analysis_parallel, threads),
    MAX(COUNT, struct analysis_parallel, outer),
    SUM(COUNT, struct analysis_parallel, records),
    DERIVED(struct analysis_parallel, tiny_with),
    DERIVED(struct analysis_parallel, is_better_alone),
    SUM(TICKS, struct analysis_parallel, attributed_wall),
    SUM(TICKS, struct analysis_parallel, concurrent_time),
    SUM(COUNT, struct analysis_parallel, single),
    SUM(COUNT, struct analysis_parallel, denied),
    MAX(COUNT, struct analysis_parallel, asked),
    MAX(COUNT, struct analysis_parallel, within),
};

static const struct analysis_field of_task_site[] = {
    DERIVED(struct analysis_task_site, result.region),
    DURATIONS(struct analysis_task_site, result.grain),
    SUM(COUNT, struct analysis_task_site, result.created),
    DERIVED(struct analysis_task_site, result.creation),
    SUM(TICKS, struct analysis_task_site, result.handling),
    SUM(TICKS, struct analysis_task_site, result.starved),
    MAX(COUNT, struct analysis_task_site, result.most_at_once),
    MAX(TICKS, struct analysis_task_site, result.chain),
    DURATIONS(struct analysis_task_site, before),
    DURATIONS(struct analysis_task_site, after),
    SUM(TICKS, struct analysis_task_site, bin_sums),
    SUM(TICKS, struct analysis_task_site, handling_parts),
    SUM(COUNT, struct analysis_task_site, handling_records),
    MAX(COUNT, struct analysis_task_site, threads),
    SUM(COUNT, struct analysis_task_site, created_inside),
    DERIVED(struct analysis_task_site, at_once),
    DERIVED(struct analysis_task_site, ran),
    DERIVED(struct analysis_task_site, ran_until),
    SUM(COUNT, struct analysis_task_site, dependent),
    DERIVED(struct analysis_task_site, begun),
    SUM(TICKS, struct analysis_task_site, outlasted),
    SUM(TICKS, struct analysis_task_site, unserved),
};

static const struct analysis_field of_lock_site[] = {
    DERIVED(struct analysis_lock_site, result.region),
    DURATIONS(struct analysis_lock_site, result.wait),
    DURATIONS(struct analysis_lock_site, result.hold),
    SUM(TICKS, struct analysis_lock_site, result.slept),
    SUM(COUNT, struct analysis_lock_site, result.contended),
    SUM(TICKS, struct analysis_lock_site, result.handover),
    SUM(COUNT, struct analysis_lock_site, result.threads),
    SUM(TICKS, struct analysis_lock_site, result.contended_wait),
    SUM(COUNT, struct analysis_lock_site, result.queue),
    MAX(COUNT, struct analysis_lock_site, result.longest_queue),
    DERIVED(struct analysis_lock_site, askers),
};

static const struct analysis_field of_lock_holder[] = {
    DERIVED(struct analysis_lock_holder, asker),
    DERIVED(struct analysis_lock_holder, holder),
    SUM(TICKS, struct analysis_lock_holder, waited),
    SUM(COUNT, struct analysis_lock_holder, count),
    WORST(TICKS, struct analysis_lock_holder, worst),
    OF_WORST(TIME, struct analysis_lock_holder, worst_begin),
    OF_WORST(LOCATION, struct analysis_lock_holder, worst_location),
};

static const struct analysis_field of_phase[] = {
    DERIVED(struct analysis_phase, region),
    SUM(COUNT, struct analysis_phase, count),
    SUM(COUNT, struct analysis_phase, steps),
    SUM(TICKS, struct analysis_phase, wall),
    SUM(TICKS, struct analysis_phase, parts),
    SUM(TICKS, struct analysis_phase, known),
    WORST(TICKS, struct analysis_phase, longest),
    OF_WORST(TIME, struct analysis_phase, longest_begin),
    OF_WORST(COUNT, struct analysis_phase, longest_number),
    OF_WORST(TICKS, struct analysis_phase, longest_parts),
    SUM(TICKS, struct analysis_phase, serial),
    SUM(TICKS, struct analysis_phase, communication),
    DERIVED(struct analysis_phase, efficiency),
    DERIVED(struct analysis_phase, step_list),
    DERIVED(struct analysis_phase, step_count),
    DERIVED(struct analysis_phase, name),
    DERIVED(struct analysis_phase, comparable),
    DERIVED(struct analysis_phase, comparable_count),
    DERIVED(struct analysis_phase, median),
};

static const struct analysis_field of_phase_share[] = {
    SUM(TICKS, struct analysis_phase_share, wall),
    SUM(TICKS, struct analysis_phase_share, in_mpi),
    SUM(TICKS, struct analysis_phase_share, communication),
};

static const struct analysis_field of_step[] = {
    DERIVED(struct analysis_step, region),
    SUM(COUNT, struct analysis_step, count),
    SUM(COUNT, struct analysis_step, atypical),
    SUM(TICKS, struct analysis_step, wall),
    SUM(TICKS, struct analysis_step, parts),
    WORST(TICKS, struct analysis_step, longest),
    OF_WORST(TIME, struct analysis_step, longest_begin),
    OF_WORST(TIME, struct analysis_step, longest_end),
    OF_WORST(COUNT, struct analysis_step, number),
    WORST(TICKS, struct analysis_step, most),
    OF_WORST(LOCATION, struct analysis_step, most_location),
    OF_WORST(TICKS, struct analysis_step, most_parts),
    OF_WORST(CONTEXT, struct analysis_step, most_context),
    OF_WORST(COUNT, struct analysis_step, most_there),
    OF_WORST(COUNT, struct analysis_step, most_samples),
};

static const struct analysis_field of_value[] = {
    DERIVED(struct analysis_value, id),
    DERIVED(struct analysis_value, name),
    SUM(COUNT, struct analysis_value, count),
    SUM(COUNT, struct analysis_value, not_finite),
    MIN_NONZERO(COUNT, struct analysis_value, smallest),
    MAX(COUNT, struct analysis_value, largest),
    WORST(TIME, struct analysis_value, last_time),
    OF_WORST(COUNT, struct analysis_value, last),
};

static const struct analysis_field of_sampled[] = {
    DERIVED(struct analysis_sampled, region),   DERIVED(struct analysis_sampled, serial),
    DERIVED(struct analysis_sampled, thread),   DERIVED(struct analysis_sampled, context),
    SUM(COUNT, struct analysis_sampled, count), SUM(COUNT, struct analysis_sampled, waiting),
    DERIVED(struct analysis_sampled, blocked),  SUM(COUNT, struct analysis_sampled, counted),
};

/* Samples in serial parts are never in a wait, because waits are in a construct. */
static const struct analysis_field of_serial_sampled[] = {
    DERIVED(struct analysis_sampled, region),   DERIVED(struct analysis_sampled, serial),
    DERIVED(struct analysis_sampled, thread),   DERIVED(struct analysis_sampled, context),
    SUM(COUNT, struct analysis_sampled, count), DERIVED(struct analysis_sampled, waiting),
    DERIVED(struct analysis_sampled, blocked),  SUM(COUNT, struct analysis_sampled, counted),
};

/* For threads that OpenMP does not know. */
static const struct analysis_field of_other_sampled[] = {
    DERIVED(struct analysis_sampled, region),   DERIVED(struct analysis_sampled, serial),
    DERIVED(struct analysis_sampled, thread),   DERIVED(struct analysis_sampled, context),
    SUM(COUNT, struct analysis_sampled, count), DERIVED(struct analysis_sampled, waiting),
    DERIVED(struct analysis_sampled, blocked),  DERIVED(struct analysis_sampled, counted),
};

static const struct analysis_field of_loop[] = {
    DERIVED(struct analysis_loop, region),
    DERIVED(struct analysis_loop, schedule),
    MIN_NONZERO(STRING, struct analysis_loop, schedule_text),
    MIN_NONZERO(REGION, struct analysis_loop, parallel_number),
    DERIVED(struct analysis_loop, parallel),
    SUM(COUNT, struct analysis_loop, instances),
    SUM(COUNT, struct analysis_loop, iterations),
    SUM(COUNT, struct analysis_loop, chunks),
    DURATIONS(struct analysis_loop, gaps),
    SUM(TICKS, struct analysis_loop, wall),
    SUM(TICKS, struct analysis_loop, mean),
    SUM(TICKS, struct analysis_loop, lost_few),
    SUM(TICKS, struct analysis_loop, lost_iterations),
    SUM(TICKS, struct analysis_loop, lost_cost),
    SUM(COUNT, struct analysis_loop, late_instances),
    SUM(TICKS, struct analysis_loop, lost_late),
    MAX(TICKS, struct analysis_loop, lost_worst),
    DERIVED(struct analysis_loop, lost_processor),
    DERIVED(struct analysis_loop, reason),
    DERIVED(struct analysis_loop, threads),
    DERIVED(struct analysis_loop, thread_list),
    DERIVED(struct analysis_loop, slowest),
};

static const struct analysis_field of_loop_thread[] = {
    SUM(TICKS, struct analysis_loop_thread, time),
    SUM(COUNT, struct analysis_loop_thread, iterations),
    SUM(TICKS, struct analysis_loop_thread, late),
    WORST(TICKS, struct analysis_loop_thread, longest),
    OF_WORST(LOCATION, struct analysis_loop_thread, longest_location),
};

static const struct analysis_field of_serial[] = {
    DERIVED(struct analysis_serial, after),
    DERIVED(struct analysis_serial, before),
    SUM(COUNT, struct analysis_serial, count),
    SUM(TICKS, struct analysis_serial, sum),
    SUM(TICKS, struct analysis_serial, blocked),
    SUM(TICKS, struct analysis_serial, forking),
    WORST(TICKS, struct analysis_serial, longest),
    OF_WORST(TIME, struct analysis_serial, longest_begin),
    OF_WORST(LOCATION, struct analysis_serial, longest_location),
    WITHIN(struct analysis_serial, within),
};

static const struct analysis_field of_outliers[] = {
    DERIVED(struct analysis_outliers, region),
    DERIVED(struct analysis_outliers, before),
    DERIVED(struct analysis_outliers, kind),
    DERIVED(struct analysis_outliers, is_same),
    DERIVED(struct analysis_outliers, is_explained),
    DURATIONS(struct analysis_outliers, times),
    DERIVED(struct analysis_outliers, limit),
    DERIVED(struct analysis_outliers, next),
    SUM(COUNT, struct analysis_outliers, bins),
    SUM(TICKS, struct analysis_outliers, sums),
    SUM(COUNT, struct analysis_outliers, without_processor),
    WORST(TICKS, struct analysis_outliers, worst.ticks),
    OF_WORST_INSTANCE(struct analysis_outliers, worst),
    OF_WORST(COUNT, struct analysis_outliers, worst_number),
    OF_WORST(COUNT, struct analysis_outliers, worst_parts),
    OF_WORST(TICKS, struct analysis_outliers, worst_work),
    DERIVED(struct analysis_outliers, repeated),
    WORST(COUNT, struct analysis_outliers, most_frequent.count),
    OF_WORST(COUNT, struct analysis_outliers, most_frequent.number),
    OF_WORST(COUNT, struct analysis_outliers, most_frequent.parts),
    OF_WORST(TICKS, struct analysis_outliers, most_frequent.ticks),
    OF_WORST(TICKS, struct analysis_outliers, most_frequent.worst.ticks),
    OF_WORST_INSTANCE(struct analysis_outliers, most_frequent.worst),
    DERIVED(struct analysis_outliers, median),
    DERIVED(struct analysis_outliers, count),
    DERIVED(struct analysis_outliers, cost),
};

static const struct analysis_field of_transfer[] = {
    DERIVED(struct analysis_transfer, region),           DURATIONS(struct analysis_transfer, times),
    SUM(COUNT, struct analysis_transfer, bytes),         SUM(TICKS, struct analysis_transfer, overhead),
    SUM(COUNT, struct analysis_transfer, repeated),      SUM(COUNT, struct analysis_transfer, repeated_bytes),
    SUM(TICKS, struct analysis_transfer, repeated_time), SUM(COUNT, struct analysis_transfer, records),
};

static const struct analysis_field of_device[] = {
    DERIVED(struct analysis_device, group),
    DERIVED(struct analysis_device, name),
    SUM(TICKS, struct analysis_device, busy),
    SUM(COUNT, struct analysis_device, kernels),
    SUM(TICKS, struct analysis_device, kernel_time),
    SUM(COUNT, struct analysis_device, transfers),
    SUM(TICKS, struct analysis_device, transfer_time),
    SUM(COUNT, struct analysis_device, bytes),
    SUM(TICKS, struct analysis_device, overlap),
    SUM(TICKS, struct analysis_device, waited),
    SUM(TICKS, struct analysis_device, idle),
};

static const struct analysis_field of_mpi[] = {
    DERIVED(struct analysis_mpi, region),       SUM(COUNT, struct analysis_mpi, sent),
    SUM(COUNT, struct analysis_mpi, received),  SUM(COUNT, struct analysis_mpi, read),
    SUM(COUNT, struct analysis_mpi, written),   DERIVED(struct analysis_mpi, waited),
    DERIVED(struct analysis_mpi, unknown_wait), DERIVED(struct analysis_mpi, in_row),
    DERIVED(struct analysis_mpi, in_row_time),
};

/* Each entry is a location, whose process is in only one pass: nothing is added up. */
static const struct analysis_field of_open[] = {
    MAX(COUNT, struct analysis_open, kind),    MAX(REGION, struct analysis_open, region),
    MAX(REGION, struct analysis_open, left),   MAX(TIME, struct analysis_open, begin),
    MAX(TIME, struct analysis_open, end),      MAX(TICKS, struct analysis_open, before),
    MAX(COUNT, struct analysis_open, awaited), MAX(COUNT, struct analysis_open, awaited_count),
    MAX(REGION, struct analysis_open, held),   MAX(TIME, struct analysis_open, held_since),
    MAX(COUNT, struct analysis_open, doubled), MAX(COUNT, struct analysis_open, running),
    DERIVED(struct analysis_open, why),        DERIVED(struct analysis_open, any),
    DERIVED(struct analysis_open, polls),      DERIVED(struct analysis_open, locked),
    DERIVED(struct analysis_open, has_tag),    DERIVED(struct analysis_open, tag),
    DERIVED(struct analysis_open, other),      DERIVED(struct analysis_open, other_tag),
    DERIVED(struct analysis_open, untraced),
};

static const struct analysis_field of_whole[] = {
    MIN_NONZERO(TIME, struct analysis_whole, begin),
    MAX(TIME, struct analysis_whole, end),
    SUM(COUNT, struct analysis_whole, events),
    SUM(TICKS, struct analysis_whole, release_time),
};

static struct omptape_pairs *pairs_of(const struct analysis_state *state, const struct analysis_table *table)
{
    return (struct omptape_pairs *)((char *)state + table->pairs);
}

static bool at_pair(const struct analysis_state *state, const struct analysis_table *table, uint32_t number,
                    struct analysis_entry *entry)
{
    const struct omptape_pairs *pairs = pairs_of(state, table);
    if (number >= pairs->count)
        return false;
    const struct omptape_pair *pair = &pairs->list[number];
    *entry = (struct analysis_entry){.key = {pair->high, pair->low}, .value = pair->value};
    return true;
}

static void *make_region(struct analysis_state *state, const uint64_t key[2])
{
    return omptape_analysis_region(state, key[1]);
}

/* Looks up a region that may be none. Returns false if the region does not exist. */
static bool find_region(struct analysis_state *state, uint64_t id, uint64_t none,
                        struct analysis_region **region)
{
    *region = id == none ? NULL : omptape_analysis_region(state, id);
    return id == none || *region != NULL;
}

/* Returns true for kinds that a pass charges; other kinds are derived from the sums. */
static bool is_charged(uint64_t kind)
{
    return kind < OMPTAPE_FINDING_KINDS && kind != OMPTAPE_FINDING_OVERSUBSCRIPTION &&
           kind != OMPTAPE_FINDING_OUTLIER && kind != OMPTAPE_FINDING_SMALL_TRANSFERS &&
           kind != OMPTAPE_FINDING_REPEATED_TRANSFERS && kind != OMPTAPE_FINDING_SMALL_MESSAGES;
}

static void *make_cause(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *region = omptape_analysis_region(state, key[0] & UINT32_MAX);
    struct analysis_region *parallel;
    uint64_t kind = key[0] >> 32;
    if (!is_charged(kind) || region == NULL || !find_region(state, key[1], UINT64_MAX, &parallel))
        return NULL;
    return omptape_analysis_cause(state, (enum omptape_finding_kind)kind, region, parallel);
}

static void *make_sampled(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *region;
    return find_region(state, key[0], UINT64_MAX, &region) ? omptape_sampled_in_region(state, region, key[1])
                                                           : NULL;
}

static void *make_serial_sampled(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *after;
    struct analysis_region *before;
    if (!find_region(state, key[0] >> 32, UINT32_MAX, &after) ||
        !find_region(state, key[0] & UINT32_MAX, UINT32_MAX, &before))
        return NULL;
    const struct analysis_serial *serial = omptape_analysis_serial(state, after, before);
    return serial != NULL ? omptape_sampled_in_serial(state, serial, key[1]) : NULL;
}

static void *make_other_sampled(struct analysis_state *state, const uint64_t key[2])
{
    return omptape_sampled_in_other(state, key[0], key[1]);
}

static void *make_serial(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *after;
    struct analysis_region *before;
    if (!find_region(state, key[0], UINT64_MAX, &after) || !find_region(state, key[1], UINT64_MAX, &before))
        return NULL;
    return omptape_analysis_serial(state, after, before);
}

static void *make_phase_share(struct analysis_state *state, const uint64_t key[2])
{
    const struct analysis_process *process = omptape_analysis_process(state, key[1]);
    const struct analysis_region *region = omptape_analysis_region(state, key[0]);
    return process == NULL || region == NULL ? NULL : omptape_phases_share(state, region, process);
}

static void *make_outliers(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *region = omptape_analysis_region(state, key[0] & UINT32_MAX);
    struct analysis_region *before;
    const uint64_t kind = key[0] >> 32;
    if (kind >= ANALYSIS_OUTLIER_KINDS || region == NULL ||
        !find_region(state, key[1], UINT64_MAX, &before) ||
        (kind == ANALYSIS_OUTLIER_SERIAL) != (before != NULL))
        return NULL;
    return omptape_outliers_at(state, (enum analysis_outlier_kind)kind, region, before);
}

static void *make_lock_holder(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *asker = omptape_analysis_region(state, key[0]);
    struct analysis_region *holder = omptape_analysis_region(state, key[1]);
    return asker == NULL || holder == NULL ? NULL : omptape_analysis_lock_holding(state, asker, holder);
}

/* Task sites are stored by the text of their place; their entries have the region's id as key. */
static bool at_task_site(const struct analysis_state *state, const struct analysis_table *table,
                         uint32_t number, struct analysis_entry *entry)
{
    if (!at_pair(state, table, number, entry))
        return false;
    const struct analysis_task_site *site = entry->value;
    entry->key[0] = 0;
    entry->key[1] = site->result.region->definition->id; /* set since its first task */
    return true;
}

/* Returns true if `one` represents a site better: a task's region rather than its creation's, else the
 * smaller id. */
static bool is_better(const struct analysis_region *one, const struct analysis_region *other)
{
    bool task = one->kind != OMPTAPE_REGION_TASK_CREATE;
    if (task != (other->kind != OMPTAPE_REGION_TASK_CREATE))
        return task;
    return one->definition->id < other->definition->id;
}

static void *make_task_site(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *region = omptape_analysis_region(state, key[1]);
    struct analysis_task_site *site = region == NULL ? NULL : omptape_analysis_task_site(state, region);
    if (site != NULL && (site->result.region == NULL || is_better(region, site->result.region)))
        site->result.region = region;
    return site;
}

/* A thread number must be below the number of definitions: a team cannot have more members. */
static void *make_loop_thread(struct analysis_state *state, const uint64_t key[2])
{
    if (omptape_pairs_get(&state->loops, 0, key[0]) == NULL || key[1] >= state->reader->definition_count)
        return NULL;
    return omptape_pairs_obtain(&state->loop_threads, &state->result->arena, key[0], key[1],
                                sizeof(struct analysis_loop_thread));
}

static void *make_step(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_region *region = omptape_analysis_region(state, key[0]);
    return region != NULL ? omptape_phases_step(state, region, key[1]) : NULL;
}

static void *make_value(struct analysis_state *state, const uint64_t key[2])
{
    return omptape_values_at(state, key[1]);
}

static void *make_device(struct analysis_state *state, const uint64_t key[2])
{
    return omptape_analysis_device(state,
                                   omptape_reader_find(state->reader, OMPTAPE_DEF_LOCATION_GROUP, key[1]));
}

static bool at_thread(const struct analysis_state *state, const struct analysis_table *table, uint32_t number,
                      struct analysis_entry *entry)
{
    if (!at_pair(state, table, number, entry))
        return false;
    entry->value = ((struct analysis_location *)entry->value)->thread;
    return true;
}

static void *make_thread(struct analysis_state *state, const uint64_t key[2])
{
    const struct analysis_location *location = omptape_analysis_location(state, key[1]);
    return location != NULL ? location->thread : NULL;
}

static void *make_open(struct analysis_state *state, const uint64_t key[2])
{
    const struct analysis_location *location = omptape_analysis_location(state, key[1]);
    if (location == NULL || location->thread == NULL)
        return NULL;
    return omptape_pairs_obtain(&state->opens, &state->arena, 0, key[1], sizeof(struct analysis_open));
}

static bool at_process(const struct analysis_state *state, const struct analysis_table *table,
                       uint32_t number, struct analysis_entry *entry)
{
    struct omptape_analysis *result = state->result;
    (void)table;
    if (number >= result->process_count)
        return false;
    *entry = (struct analysis_entry){.key = {0, result->processes[number].group->id}};
    if (state->processes[number].counted)
        entry->value = &result->processes[number];
    return true;
}

static void *make_process(struct analysis_state *state, const uint64_t key[2])
{
    struct analysis_process *process = omptape_analysis_process(state, key[1]);
    return process != NULL && process->group->id == key[1] ? process : NULL;
}

static bool added_process(struct analysis_state *state, const void *entry)
{
    struct analysis_process_state *process =
        &state->processes[(const struct analysis_process *)entry - state->result->processes];
    bool first = !process->counted;
    process->counted = true;
    return first;
}

static bool at_whole(const struct analysis_state *state, const struct analysis_table *table, uint32_t number,
                     struct analysis_entry *entry)
{
    (void)table;
    *entry = (struct analysis_entry){.value = (struct analysis_whole *)&state->whole};
    return number == 0;
}

static void *make_whole(struct analysis_state *state, const uint64_t key[2])
{
    return key[0] == 0 && key[1] == 0 ? &state->whole : NULL;
}

/* Further members: .at, .make, .added and .is_fixed. */
#define TABLE(Name, list, Struct, place, high, low, ...)                                                     \
    {.name = (Name),                                                                                         \
     .fields = (list),                                                                                       \
     .field_count = sizeof(list) / sizeof((list)[0]),                                                        \
     .bytes = sizeof(Struct),                                                                                \
     .pairs = offsetof(struct analysis_state, place),                                                        \
     .keys = {ANALYSIS_KEY_##high, ANALYSIS_KEY_##low},                                                      \
     __VA_ARGS__}
const struct analysis_table omptape_analysis_tables[] = {
    TABLE("processes", of_process, struct analysis_process, result, NONE, GROUP, .at = at_process,
          .make = make_process, .added = added_process, .is_fixed = true),
    TABLE("threads", of_thread, struct analysis_thread, locations, NONE, LOCATION, .at = at_thread,
          .make = make_thread),
    TABLE("regions", of_region, struct analysis_region, regions, NONE, REGION, .make = make_region),
    TABLE("causes", of_cause, struct analysis_cause, causes, CAUSE, REGION, .make = make_cause),
    TABLE("parallels", of_parallel, struct analysis_parallel, parallels, NONE, REGION, ),
    TABLE("tasks", of_task_site, struct analysis_task_site, task_sites, NONE, REGION, .at = at_task_site,
          .make = make_task_site),
    TABLE("locks", of_lock_site, struct analysis_lock_site, lock_sites, NONE, REGION, ),
    TABLE("lock holders", of_lock_holder, struct analysis_lock_holder, lock_holders, REGION, REGION,
          .make = make_lock_holder),
    TABLE("samples", of_sampled, struct analysis_sampled, sampled, REGION, CONTEXT, .make = make_sampled),
    TABLE("serial samples", of_serial_sampled, struct analysis_sampled, serial_sampled, SERIAL, CONTEXT,
          .make = make_serial_sampled),
    TABLE("other threads' samples", of_other_sampled, struct analysis_sampled, other_sampled, LOCATION,
          CONTEXT, .make = make_other_sampled),
    TABLE("loops", of_loop, struct analysis_loop, loops, NONE, REGION, ),
    TABLE("loop threads", of_loop_thread, struct analysis_loop_thread, loop_threads, REGION, NONE,
          .make = make_loop_thread),
    TABLE("serials", of_serial, struct analysis_serial, serials, REGION, REGION, .make = make_serial),
    TABLE("phases", of_phase, struct analysis_phase, phases, NONE, REGION, ),
    TABLE("phases' shares", of_phase_share, struct analysis_phase_share, phase_shares, REGION, GROUP,
          .make = make_phase_share),
    TABLE("steps", of_step, struct analysis_step, steps, REGION, NONE, .make = make_step),
    TABLE("values", of_value, struct analysis_value, values, NONE, STRING, .make = make_value),
    TABLE("outliers", of_outliers, struct analysis_outliers, outliers, CAUSE, REGION, .make = make_outliers),
    TABLE("transfers", of_transfer, struct analysis_transfer, transfers, NONE, REGION, ),
    TABLE("MPI", of_mpi, struct analysis_mpi, mpi, NONE, REGION, ),
    TABLE("devices", of_device, struct analysis_device, devices, NONE, GROUP, .make = make_device),
    TABLE("opens", of_open, struct analysis_open, opens, NONE, LOCATION, .make = make_open),
    TABLE("whole", of_whole, struct analysis_whole, whole, NONE, NONE, .at = at_whole, .make = make_whole,
          .is_fixed = true),
};
const uint32_t omptape_analysis_table_count =
    sizeof(omptape_analysis_tables) / sizeof(omptape_analysis_tables[0]);

bool omptape_analysis_entry_at(const struct analysis_state *state, const struct analysis_table *table,
                               uint32_t number, struct analysis_entry *entry)
{
    return (table->at != NULL ? table->at : at_pair)(state, table, number, entry);
}

void *omptape_analysis_entry_make(struct analysis_state *state, const struct analysis_table *table,
                                  const uint64_t key[2])
{
    if (table->make != NULL)
        return table->make(state, key);
    struct analysis_region *region = omptape_analysis_region(state, key[1]);
    return region != NULL ? omptape_analysis_at_region(state, pairs_of(state, table), region, table->bytes)
                          : NULL;
}
