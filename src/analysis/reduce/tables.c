/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Defines the tables of table.h. A new table needs a row at the end, a new field one in its struct's list.
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

#define SIZE(Struct, member) sizeof(((struct analysis_##Struct *)0)->member)
/* Arrays must consist of uint64_t. */
#define FIELD(Rule, What, Struct, member)                                                                    \
    {.offset = offsetof(struct analysis_##Struct, member),                                                   \
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
    DERIVED(process, group),
    DERIVED(process, name),
    DERIVED(process, node),
    DERIVED(process, number),
    MIN_NONZERO(TIME, process, begin),
    MAX(TIME, process, end),
    DERIVED(process, threads),
    MAX(COUNT, process, most_threads),
    DERIVED(process, processors),
    DERIVED(process, parts),
    SUM(TICKS, process, serial),
    SUM(TICKS, process, communication),
    SUM(TICKS, process, starting),
    DERIVED(process, starting_waited),
    DERIVED(process, team_processors),
    SUM(TICKS, process, wall_by_computing),
    DERIVED(process, running_ns),
    DERIVED(process, queued_ns),
    SUM(TICKS, process, serial_queued),
    SUM(TICKS, process, late_queued),
    SUM(TICKS, process, asleep_outside),
    SUM(TICKS, process, wall_by_available),
    SUM(TICKS, process, awaited),
};

static const struct analysis_field of_thread[] = {
    DERIVED(thread, location),
    DERIVED(thread, process),
    DERIVED(thread, name),
    MIN_NONZERO(TIME, thread, begin),
    MAX(TIME, thread, end),
    SUM(COUNT, thread, events),
    SUM(TICKS, thread, parts),
    SUM(COUNT, thread, running_ns),
    SUM(COUNT, thread, queued_ns),
    SUM(TICKS, thread, stalled),
    SUM(TICKS, thread, computed),
    SUM(COUNT, thread, messages),
    SUM(COUNT, thread, queued_work_ns),
    SUM(TICKS, thread, reading_ticks),
    SUM(COUNT, thread, counted),
};

static const struct analysis_field of_region[] = {
    DERIVED(region, definition),   DERIVED(region, kind),
    DERIVED(region, label),        DERIVED(region, shown),
    DERIVED(region, function),     DERIVED(region, file),
    DERIVED(region, line),         DURATIONS(region, visits),
    SUM(TICKS, region, inclusive), SUM(TICKS, region, parts),
    SUM(TICKS, region, system),    SUM(TICKS, region, system_parts),
    SUM(COUNT, region, faults),    SUM(COUNT, region, major_faults),
    SUM(TICKS, region, charged),   DERIVED(region, gain),
    DERIVED(region, team),         MAX(TICKS, region, silent),
    WITHIN(region, within),        SUM(COUNT, region, counted),
};

static const struct analysis_field of_cause[] = {
    DERIVED(cause, kind),
    DERIVED(cause, region),
    DERIVED(cause, parallel),
    DERIVED(cause, charged),
    SUM(TICKS, cause, gain_parts),
    SUM(TICKS, cause, waited),
    SUM(TICKS, cause, blocked_time),
    SUM(COUNT, cause, blocked_threads),
    SUM(COUNT, cause, count),
    WORST(TICKS, cause, worst.ticks),
    OF_WORST_INSTANCE(cause, worst),
};

static const struct analysis_field of_parallel[] = {
    DERIVED(parallel, region),
    SUM(COUNT, parallel, instances),
    SUM(TICKS, parallel, wall),
    SUM(TICKS, parallel, useful),
    SUM(TICKS, parallel, task_work),
    SUM(TICKS, parallel, task_chain),
    MAX(COUNT, parallel, threads),
    MAX(COUNT, parallel, outer),
    SUM(COUNT, parallel, records),
    DERIVED(parallel, tiny_with),
    DERIVED(parallel, is_better_alone),
    SUM(TICKS, parallel, attributed_wall),
    SUM(TICKS, parallel, concurrent_time),
    SUM(COUNT, parallel, single),
    SUM(COUNT, parallel, denied),
    MAX(COUNT, parallel, asked),
    MAX(COUNT, parallel, within),
};

static const struct analysis_field of_task_site[] = {
    DERIVED(task_site, result.region),
    DURATIONS(task_site, result.grain),
    SUM(COUNT, task_site, result.created),
    DERIVED(task_site, result.creation),
    SUM(TICKS, task_site, result.handling),
    SUM(TICKS, task_site, result.starved),
    MAX(COUNT, task_site, result.most_at_once),
    MAX(TICKS, task_site, result.chain),
    DURATIONS(task_site, before),
    DURATIONS(task_site, after),
    SUM(TICKS, task_site, bin_sums),
    SUM(TICKS, task_site, handling_parts),
    SUM(COUNT, task_site, handling_records),
    MAX(COUNT, task_site, threads),
    SUM(COUNT, task_site, created_inside),
    DERIVED(task_site, at_once),
    DERIVED(task_site, ran),
    DERIVED(task_site, ran_until),
    SUM(COUNT, task_site, dependent),
    DERIVED(task_site, begun),
    SUM(TICKS, task_site, outlasted),
    SUM(TICKS, task_site, unserved),
};

static const struct analysis_field of_lock_site[] = {
    DERIVED(lock_site, result.region),
    DURATIONS(lock_site, result.wait),
    DURATIONS(lock_site, result.hold),
    SUM(TICKS, lock_site, result.slept),
    SUM(COUNT, lock_site, result.contended),
    SUM(TICKS, lock_site, result.handover),
    SUM(COUNT, lock_site, result.threads),
    SUM(TICKS, lock_site, result.contended_wait),
    SUM(COUNT, lock_site, result.queue),
    MAX(COUNT, lock_site, result.longest_queue),
    DERIVED(lock_site, askers),
};

static const struct analysis_field of_lock_holder[] = {
    DERIVED(lock_holder, asker),
    DERIVED(lock_holder, holder),
    SUM(TICKS, lock_holder, waited),
    SUM(COUNT, lock_holder, count),
    WORST(TICKS, lock_holder, worst),
    OF_WORST(TIME, lock_holder, worst_begin),
    OF_WORST(LOCATION, lock_holder, worst_location),
};

static const struct analysis_field of_phase[] = {
    DERIVED(phase, region),
    SUM(COUNT, phase, count),
    SUM(COUNT, phase, steps),
    SUM(TICKS, phase, wall),
    SUM(TICKS, phase, parts),
    SUM(TICKS, phase, known),
    WORST(TICKS, phase, longest),
    OF_WORST(TIME, phase, longest_begin),
    OF_WORST(COUNT, phase, longest_number),
    OF_WORST(TICKS, phase, longest_parts),
    SUM(TICKS, phase, serial),
    SUM(TICKS, phase, communication),
    DERIVED(phase, efficiency),
    DERIVED(phase, step_list),
    DERIVED(phase, step_count),
    DERIVED(phase, name),
    DERIVED(phase, comparable),
    DERIVED(phase, comparable_count),
    DERIVED(phase, median),
};

static const struct analysis_field of_phase_share[] = {
    SUM(TICKS, phase_share, wall),
    SUM(TICKS, phase_share, in_mpi),
    SUM(TICKS, phase_share, communication),
};

static const struct analysis_field of_step[] = {
    DERIVED(step, region),
    SUM(COUNT, step, count),
    SUM(COUNT, step, atypical),
    SUM(TICKS, step, wall),
    SUM(TICKS, step, parts),
    WORST(TICKS, step, longest),
    OF_WORST(TIME, step, longest_begin),
    OF_WORST(TIME, step, longest_end),
    OF_WORST(COUNT, step, number),
    WORST(TICKS, step, most),
    OF_WORST(LOCATION, step, most_location),
    OF_WORST(TICKS, step, most_parts),
    OF_WORST(CONTEXT, step, most_context),
    OF_WORST(COUNT, step, most_there),
    OF_WORST(COUNT, step, most_samples),
};

static const struct analysis_field of_value[] = {
    DERIVED(value, id),
    DERIVED(value, name),
    SUM(COUNT, value, count),
    SUM(COUNT, value, not_finite),
    MIN_NONZERO(COUNT, value, smallest),
    MAX(COUNT, value, largest),
    WORST(TIME, value, last_time),
    OF_WORST(COUNT, value, last),
};

static const struct analysis_field of_sampled[] = {
    DERIVED(sampled, region),  DERIVED(sampled, serial),     DERIVED(sampled, thread),
    DERIVED(sampled, context), SUM(COUNT, sampled, count),   SUM(COUNT, sampled, waiting),
    DERIVED(sampled, blocked), SUM(COUNT, sampled, counted),
};

/* Samples in serial parts are never in a wait, because waits are in a construct. */
static const struct analysis_field of_serial_sampled[] = {
    DERIVED(sampled, region),  DERIVED(sampled, serial),     DERIVED(sampled, thread),
    DERIVED(sampled, context), SUM(COUNT, sampled, count),   DERIVED(sampled, waiting),
    DERIVED(sampled, blocked), SUM(COUNT, sampled, counted),
};

/* For threads that OpenMP does not know. */
static const struct analysis_field of_other_sampled[] = {
    DERIVED(sampled, region),  DERIVED(sampled, serial),   DERIVED(sampled, thread),
    DERIVED(sampled, context), SUM(COUNT, sampled, count), DERIVED(sampled, waiting),
    DERIVED(sampled, blocked), DERIVED(sampled, counted),
};

static const struct analysis_field of_loop[] = {
    DERIVED(loop, region),
    DERIVED(loop, schedule),
    MIN_NONZERO(STRING, loop, schedule_text),
    MIN_NONZERO(REGION, loop, parallel_number),
    DERIVED(loop, parallel),
    SUM(COUNT, loop, instances),
    SUM(COUNT, loop, iterations),
    SUM(COUNT, loop, chunks),
    DURATIONS(loop, gaps),
    SUM(TICKS, loop, wall),
    SUM(TICKS, loop, mean),
    SUM(TICKS, loop, lost_few),
    SUM(TICKS, loop, lost_iterations),
    SUM(TICKS, loop, lost_cost),
    SUM(COUNT, loop, late_instances),
    SUM(TICKS, loop, lost_late),
    MAX(TICKS, loop, lost_worst),
    DERIVED(loop, lost_processor),
    DERIVED(loop, reason),
    DERIVED(loop, threads),
    DERIVED(loop, thread_list),
    DERIVED(loop, slowest),
};

static const struct analysis_field of_loop_thread[] = {
    SUM(TICKS, loop_thread, time),
    SUM(COUNT, loop_thread, iterations),
    SUM(TICKS, loop_thread, late),
    WORST(TICKS, loop_thread, longest),
    OF_WORST(LOCATION, loop_thread, longest_location),
};

static const struct analysis_field of_serial[] = {
    DERIVED(serial, after),
    DERIVED(serial, before),
    SUM(COUNT, serial, count),
    SUM(TICKS, serial, sum),
    SUM(TICKS, serial, blocked),
    SUM(TICKS, serial, forking),
    WORST(TICKS, serial, longest),
    OF_WORST(TIME, serial, longest_begin),
    OF_WORST(LOCATION, serial, longest_location),
    WITHIN(serial, within),
};

static const struct analysis_field of_outliers[] = {
    DERIVED(outliers, region),
    DERIVED(outliers, before),
    DERIVED(outliers, kind),
    DERIVED(outliers, is_same),
    DERIVED(outliers, is_explained),
    DURATIONS(outliers, times),
    DERIVED(outliers, limit),
    DERIVED(outliers, next),
    SUM(COUNT, outliers, bins),
    SUM(TICKS, outliers, sums),
    SUM(COUNT, outliers, without_processor),
    WORST(TICKS, outliers, worst.ticks),
    OF_WORST_INSTANCE(outliers, worst),
    OF_WORST(COUNT, outliers, worst_number),
    OF_WORST(COUNT, outliers, worst_parts),
    OF_WORST(TICKS, outliers, worst_work),
    DERIVED(outliers, repeated),
    WORST(COUNT, outliers, most_frequent.count),
    OF_WORST(COUNT, outliers, most_frequent.number),
    OF_WORST(COUNT, outliers, most_frequent.parts),
    OF_WORST(TICKS, outliers, most_frequent.ticks),
    OF_WORST(TICKS, outliers, most_frequent.worst.ticks),
    OF_WORST_INSTANCE(outliers, most_frequent.worst),
    DERIVED(outliers, median),
    DERIVED(outliers, count),
    DERIVED(outliers, cost),
};

static const struct analysis_field of_transfer[] = {
    DERIVED(transfer, region),           DURATIONS(transfer, times),     SUM(COUNT, transfer, bytes),
    SUM(TICKS, transfer, overhead),      SUM(COUNT, transfer, repeated), SUM(COUNT, transfer, repeated_bytes),
    SUM(TICKS, transfer, repeated_time), SUM(COUNT, transfer, records),
};

static const struct analysis_field of_device[] = {
    DERIVED(device, group),
    DERIVED(device, name),
    SUM(TICKS, device, busy),
    SUM(COUNT, device, kernels),
    SUM(TICKS, device, kernel_time),
    SUM(COUNT, device, transfers),
    SUM(TICKS, device, transfer_time),
    SUM(COUNT, device, bytes),
    SUM(TICKS, device, overlap),
    SUM(TICKS, device, waited),
    SUM(TICKS, device, idle),
};

static const struct analysis_field of_mpi[] = {
    DERIVED(mpi, region),       SUM(COUNT, mpi, sent),    SUM(COUNT, mpi, received),
    SUM(COUNT, mpi, read),      SUM(COUNT, mpi, written), DERIVED(mpi, waited),
    DERIVED(mpi, unknown_wait), DERIVED(mpi, in_row),     DERIVED(mpi, in_row_time),
};

/* Each entry is a location, whose process is in only one pass: nothing is added up. */
static const struct analysis_field of_open[] = {
    MAX(COUNT, open, kind),    MAX(REGION, open, region),
    MAX(REGION, open, left),   MAX(TIME, open, begin),
    MAX(TIME, open, end),      MAX(TICKS, open, before),
    MAX(COUNT, open, awaited), MAX(COUNT, open, awaited_count),
    MAX(REGION, open, held),   MAX(TIME, open, held_since),
    MAX(COUNT, open, doubled), MAX(COUNT, open, running),
    DERIVED(open, why),        DERIVED(open, any),
    DERIVED(open, polls),      DERIVED(open, locked),
    DERIVED(open, has_tag),    DERIVED(open, tag),
    DERIVED(open, other),      DERIVED(open, other_tag),
    DERIVED(open, untraced),
};

static const struct analysis_field of_whole[] = {
    MIN_NONZERO(TIME, whole, begin),
    MAX(TIME, whole, end),
    SUM(COUNT, whole, events),
    SUM(TICKS, whole, release_time),
};

/* Further members: .at, .make, .added and .is_fixed. */
#define TABLE(Name, list, Struct, place, high, low, ...)                                                     \
    {.name = (Name),                                                                                         \
     .fields = (list),                                                                                       \
     .field_count = sizeof(list) / sizeof((list)[0]),                                                        \
     .bytes = sizeof(struct analysis_##Struct),                                                              \
     .pairs = offsetof(struct analysis_state, place),                                                        \
     .keys = {ANALYSIS_KEY_##high, ANALYSIS_KEY_##low},                                                      \
     __VA_ARGS__}
const struct analysis_table omptape_analysis_tables[] = {
    TABLE("processes", of_process, process, result, NONE, GROUP, .at = entry_at_process,
          .make = entry_make_process, .added = entry_added_process, .is_fixed = true),
    TABLE("threads", of_thread, thread, locations, NONE, LOCATION, .at = entry_at_thread,
          .make = entry_make_thread),
    TABLE("regions", of_region, region, regions, NONE, REGION, .make = entry_make_region),
    TABLE("causes", of_cause, cause, causes, CAUSE, REGION, .make = entry_make_cause),
    TABLE("parallels", of_parallel, parallel, parallels, NONE, REGION, ),
    TABLE("tasks", of_task_site, task_site, task_sites, NONE, REGION, .at = entry_at_task_site,
          .make = entry_make_task_site),
    TABLE("locks", of_lock_site, lock_site, lock_sites, NONE, REGION, ),
    TABLE("lock holders", of_lock_holder, lock_holder, lock_holders, REGION, REGION,
          .make = entry_make_lock_holder),
    TABLE("samples", of_sampled, sampled, sampled, REGION, CONTEXT, .make = entry_make_sampled),
    TABLE("serial samples", of_serial_sampled, sampled, serial_sampled, SERIAL, CONTEXT,
          .make = entry_make_serial_sampled),
    TABLE("other threads' samples", of_other_sampled, sampled, other_sampled, LOCATION, CONTEXT,
          .make = entry_make_other_sampled),
    TABLE("loops", of_loop, loop, loops, NONE, REGION, ),
    TABLE("loop threads", of_loop_thread, loop_thread, loop_threads, REGION, NONE,
          .make = entry_make_loop_thread),
    TABLE("serials", of_serial, serial, serials, REGION, REGION, .make = entry_make_serial),
    TABLE("phases", of_phase, phase, phases, NONE, REGION, ),
    TABLE("phases' shares", of_phase_share, phase_share, phase_shares, REGION, GROUP,
          .make = entry_make_phase_share),
    TABLE("steps", of_step, step, steps, REGION, NONE, .make = entry_make_step),
    TABLE("values", of_value, value, values, NONE, STRING, .make = entry_make_value),
    TABLE("outliers", of_outliers, outliers, outliers, CAUSE, REGION, .make = entry_make_outliers),
    TABLE("transfers", of_transfer, transfer, transfers, NONE, REGION, ),
    TABLE("MPI", of_mpi, mpi, mpi, NONE, REGION, ),
    TABLE("devices", of_device, device, devices, NONE, GROUP, .make = entry_make_device),
    TABLE("opens", of_open, open, opens, NONE, LOCATION, .make = entry_make_open),
    TABLE("whole", of_whole, whole, whole, NONE, NONE, .at = entry_at_whole, .make = entry_make_whole,
          .is_fixed = true),
};
const uint32_t omptape_analysis_table_count =
    sizeof(omptape_analysis_tables) / sizeof(omptape_analysis_tables[0]);
