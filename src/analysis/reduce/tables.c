/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Defines the tables of table.h. A new table needs a row at the end; a new field needs one in its struct's
 * list.
 */
#include "src/analysis/reduce/table.h"

#include "src/analysis/causes.h"
#include "src/analysis/locks.h"
#include "src/analysis/opens.h"
#include "src/analysis/outliers.h"
#include "src/analysis/tasks.h"

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
#define WITHIN(Struct, member)                                                                               \
    MIN_NONZERO(REGION, Struct, member.first), MAX(REGION, Struct, member.last),                             \
        SUM(COUNT, Struct, member.outside)
#define DERIVED(Struct, member) FIELD(DERIVED, COUNT, Struct, member)
#define OF_DURATIONS(Rule, What, Struct, member, part)                                                       \
    {.offset = offsetof(Struct, member) + offsetof(struct analysis_durations, part),                         \
     .bytes = SIZE(struct analysis_durations, part),                                                         \
     .size = sizeof(uint64_t),                                                                               \
     .rule = ANALYSIS_##Rule,                                                                                \
     .what = ANALYSIS_##What}
#define DURATIONS(Struct, member)                                                                            \
    OF_DURATIONS(SUM, COUNT, Struct, member, count), OF_DURATIONS(SUM, TICKS, Struct, member, sum),          \
        OF_DURATIONS(WORST, TICKS, Struct, member, longest),                                                 \
        OF_DURATIONS(OF_WORST, TIME, Struct, member, longest_begin),                                         \
        OF_DURATIONS(OF_WORST, LOCATION, Struct, member, longest_location),                                  \
        OF_DURATIONS(SUM, COUNT, Struct, member, bins)

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
    WORST(TICKS, struct analysis_cause, worst),
    OF_WORST(TIME, struct analysis_cause, worst_begin),
    OF_WORST(TIME, struct analysis_cause, worst_end),
    OF_WORST(LOCATION, struct analysis_cause, worst_location),
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
    WORST(TICKS, struct analysis_outliers, worst),
    OF_WORST(TIME, struct analysis_outliers, worst_begin),
    OF_WORST(TIME, struct analysis_outliers, worst_end),
    OF_WORST(LOCATION, struct analysis_outliers, worst_location),
    OF_WORST(COUNT, struct analysis_outliers, worst_number),
    OF_WORST(COUNT, struct analysis_outliers, worst_parts),
    OF_WORST(TICKS, struct analysis_outliers, worst_work),
    DERIVED(struct analysis_outliers, repeated),
    WORST(COUNT, struct analysis_outliers, most_frequent.count),
    OF_WORST(COUNT, struct analysis_outliers, most_frequent.number),
    OF_WORST(COUNT, struct analysis_outliers, most_frequent.parts),
    OF_WORST(TICKS, struct analysis_outliers, most_frequent.ticks),
    OF_WORST(TICKS, struct analysis_outliers, most_frequent.worst),
    OF_WORST(TIME, struct analysis_outliers, most_frequent.worst_begin),
    OF_WORST(TIME, struct analysis_outliers, most_frequent.worst_end),
    OF_WORST(LOCATION, struct analysis_outliers, most_frequent.worst_location),
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

#define TABLE(Name, list, Struct, place, high, low, how_at, how_make, ...)                                   \
    {.name = (Name),                                                                                         \
     .fields = (list),                                                                                       \
     .field_count = sizeof(list) / sizeof((list)[0]),                                                        \
     .bytes = sizeof(Struct),                                                                                \
     .pairs = offsetof(struct analysis_state, place),                                                        \
     .at = (how_at),                                                                                         \
     .make = (how_make),                                                                                     \
     .keys = {ANALYSIS_KEY_##high, ANALYSIS_KEY_##low},                                                      \
     __VA_ARGS__}
const struct analysis_table omptape_analysis_tables[] = {
    TABLE("processes", of_process, struct analysis_process, result, NONE, GROUP, omptape_analysis_at_process,
          omptape_analysis_make_process, .added = omptape_analysis_added_process, .is_fixed = true),
    TABLE("threads", of_thread, struct analysis_thread, locations, NONE, LOCATION, omptape_analysis_at_thread,
          omptape_analysis_make_thread, ),
    TABLE("regions", of_region, struct analysis_region, regions, NONE, REGION, omptape_analysis_at_pair,
          omptape_analysis_make_region, ),
    TABLE("causes", of_cause, struct analysis_cause, causes, CAUSE, REGION, omptape_analysis_at_pair,
          omptape_analysis_make_cause, ),
    TABLE("parallels", of_parallel, struct analysis_parallel, parallels, NONE, REGION,
          omptape_analysis_at_pair, omptape_analysis_make_at_region, ),
    TABLE("tasks", of_task_site, struct analysis_task_site, task_sites, NONE, REGION,
          omptape_analysis_at_task_site, omptape_analysis_make_task_site, ),
    TABLE("locks", of_lock_site, struct analysis_lock_site, lock_sites, NONE, REGION,
          omptape_analysis_at_pair, omptape_analysis_make_at_region, ),
    TABLE("lock holders", of_lock_holder, struct analysis_lock_holder, lock_holders, REGION, REGION,
          omptape_analysis_at_pair, omptape_analysis_make_lock_holder, ),
    TABLE("samples", of_sampled, struct analysis_sampled, sampled, REGION, CONTEXT, omptape_analysis_at_pair,
          omptape_analysis_make_sampled, ),
    TABLE("serial samples", of_serial_sampled, struct analysis_sampled, serial_sampled, SERIAL, CONTEXT,
          omptape_analysis_at_pair, omptape_analysis_make_serial_sampled, ),
    TABLE("other threads' samples", of_other_sampled, struct analysis_sampled, other_sampled, LOCATION,
          CONTEXT, omptape_analysis_at_pair, omptape_analysis_make_other_sampled, ),
    TABLE("loops", of_loop, struct analysis_loop, loops, NONE, REGION, omptape_analysis_at_pair,
          omptape_analysis_make_at_region, ),
    TABLE("loop threads", of_loop_thread, struct analysis_loop_thread, loop_threads, REGION, NONE,
          omptape_analysis_at_pair, omptape_analysis_make_loop_thread, ),
    TABLE("serials", of_serial, struct analysis_serial, serials, REGION, REGION, omptape_analysis_at_pair,
          omptape_analysis_make_serial, ),
    TABLE("phases", of_phase, struct analysis_phase, phases, NONE, REGION, omptape_analysis_at_pair,
          omptape_analysis_make_at_region, ),
    TABLE("steps", of_step, struct analysis_step, steps, REGION, NONE, omptape_analysis_at_pair,
          omptape_analysis_make_step, ),
    TABLE("values", of_value, struct analysis_value, values, NONE, STRING, omptape_analysis_at_pair,
          omptape_analysis_make_value, ),
    TABLE("outliers", of_outliers, struct analysis_outliers, outliers, CAUSE, REGION,
          omptape_analysis_at_pair, omptape_analysis_make_outliers, ),
    TABLE("transfers", of_transfer, struct analysis_transfer, transfers, NONE, REGION,
          omptape_analysis_at_pair, omptape_analysis_make_at_region, ),
    TABLE("MPI", of_mpi, struct analysis_mpi, mpi, NONE, REGION, omptape_analysis_at_pair,
          omptape_analysis_make_at_region, ),
    TABLE("devices", of_device, struct analysis_device, devices, NONE, GROUP, omptape_analysis_at_pair,
          omptape_analysis_make_device, ),
    TABLE("opens", of_open, struct analysis_open, opens, NONE, LOCATION, omptape_analysis_at_pair,
          omptape_analysis_make_open, ),
    TABLE("whole", of_whole, struct analysis_whole, whole, NONE, NONE, omptape_analysis_at_whole,
          omptape_analysis_make_whole, .is_fixed = true),
};
const uint32_t omptape_analysis_table_count =
    sizeof(omptape_analysis_tables) / sizeof(omptape_analysis_tables[0]);
