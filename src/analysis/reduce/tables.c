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

#include <stddef.h>

#define SIZE(Struct, member) sizeof(((struct analysis_##Struct *)0)->member)
/* Arrays must consist of uint64_t. */
#define ROW(Rule, What, Struct, member)                                                                      \
    {.offset = offsetof(struct analysis_##Struct, member),                                                   \
     .bytes = SIZE(Struct, member),                                                                          \
     .size = SIZE(Struct, member) == sizeof(uint32_t) ? sizeof(uint32_t) : sizeof(uint64_t),                 \
     .rule = ANALYSIS_##Rule,                                                                                \
     .what = ANALYSIS_##What}
#define ROWS_1(rule, what, type, member) ROW(rule, what, type, member)
#define ROWS_2(r, w, t, first, ...) ROW(r, w, t, first), ROWS_1(r, w, t, __VA_ARGS__)
#define ROWS_3(r, w, t, first, ...) ROW(r, w, t, first), ROWS_2(r, w, t, __VA_ARGS__)
#define ROWS_4(r, w, t, first, ...) ROW(r, w, t, first), ROWS_3(r, w, t, __VA_ARGS__)
#define ROWS_5(r, w, t, first, ...) ROW(r, w, t, first), ROWS_4(r, w, t, __VA_ARGS__)
#define ROWS_6(r, w, t, first, ...) ROW(r, w, t, first), ROWS_5(r, w, t, __VA_ARGS__)
#define ROWS_7(r, w, t, first, ...) ROW(r, w, t, first), ROWS_6(r, w, t, __VA_ARGS__)
#define ROWS_8(r, w, t, first, ...) ROW(r, w, t, first), ROWS_7(r, w, t, __VA_ARGS__)
#define NINTH(a, b, c, d, e, f, g, h, name, ...) name
/* Rows of one to eight members with the same rule and meaning. */
#define FIELDS(r, w, t, ...)                                                                                 \
    NINTH(__VA_ARGS__, ROWS_8, ROWS_7, ROWS_6, ROWS_5, ROWS_4, ROWS_3, ROWS_2, ROWS_1, )(r, w, t, __VA_ARGS__)
#define SUM(What, Struct, ...) FIELDS(SUM, What, Struct, __VA_ARGS__)
#define MAX(What, Struct, ...) FIELDS(MAX, What, Struct, __VA_ARGS__)
#define MIN_NONZERO(What, Struct, ...) FIELDS(MIN_NONZERO, What, Struct, __VA_ARGS__)
#define WORST(What, Struct, member) ROW(WORST, What, Struct, member)
#define OF_WORST(What, Struct, ...) FIELDS(OF_WORST, What, Struct, __VA_ARGS__)
#define OF_WORST_INSTANCE(Struct, member)                                                                    \
    OF_WORST(TIME, Struct, member.begin, member.end), OF_WORST(LOCATION, Struct, member.location)
#define WITHIN(Struct, member)                                                                               \
    MIN_NONZERO(REGION, Struct, member.first), MAX(REGION, Struct, member.last),                             \
        SUM(COUNT, Struct, member.outside)
#define DERIVED(Struct, ...) FIELDS(DERIVED, COUNT, Struct, __VA_ARGS__)
#define DURATIONS(Struct, member)                                                                            \
    SUM(COUNT, Struct, member.count), SUM(TICKS, Struct, member.sum), WORST(TICKS, Struct, member.longest),  \
        OF_WORST(TIME, Struct, member.longest_begin), OF_WORST(LOCATION, Struct, member.longest_location),   \
        SUM(COUNT, Struct, member.bins)

static const struct analysis_field of_process[] = {
    MIN_NONZERO(TIME, process, begin),
    MAX(TIME, process, end),
    MAX(COUNT, process, most_threads),
    SUM(TICKS, process, serial, communication, wall_by_computing, serial_queued, late_queued, asleep_outside,
        wall_by_available),
    SUM(TICKS, process, awaited),
    DERIVED(process, group, name, node, number, threads, processors, parts, starting_waited),
    DERIVED(process, team_processors, running_ns, queued_ns, starting, longest_in_mpi),
};

static const struct analysis_field of_thread[] = {
    MIN_NONZERO(TIME, thread, begin),
    MAX(TIME, thread, end),
    SUM(COUNT, thread, events),
    SUM(TICKS, thread, parts),
    SUM(COUNT, thread, running_ns, queued_ns),
    SUM(TICKS, thread, stalled, computed, starting),
    SUM(COUNT, thread, messages, queued_work_ns),
    SUM(TICKS, thread, reading_ticks),
    SUM(COUNT, thread, counted),
    DERIVED(thread, location, process, name),
};

static const struct analysis_field of_region[] = {
    DURATIONS(region, visits),
    SUM(TICKS, region, inclusive, parts, system, system_parts),
    SUM(COUNT, region, faults, major_faults),
    SUM(TICKS, region, charged),
    MAX(TICKS, region, silent),
    WITHIN(region, within),
    SUM(COUNT, region, counted),
    DERIVED(region, definition, kind, label, shown, function, file, line, gain),
    DERIVED(region, team),
};

static const struct analysis_field of_cause[] = {
    SUM(TICKS, cause, gain_parts, waited, blocked_time),
    SUM(COUNT, cause, blocked_threads, records, count),
    WORST(TICKS, cause, worst.ticks),
    OF_WORST_INSTANCE(cause, worst),
    DERIVED(cause, kind, region, parallel, charged),
};

static const struct analysis_field of_parallel[] = {
    SUM(COUNT, parallel, instances),
    SUM(TICKS, parallel, wall, useful, task_work, task_chain),
    MAX(COUNT, parallel, threads, outer),
    SUM(COUNT, parallel, records),
    SUM(TICKS, parallel, attributed_wall, concurrent_time),
    SUM(COUNT, parallel, single, denied),
    MAX(COUNT, parallel, asked, within),
    DERIVED(parallel, region, usual_wall, usual_useful, tiny_with, is_better_alone),
};

static const struct analysis_field of_task_site[] = {
    DURATIONS(task_site, result.grain),
    SUM(COUNT, task_site, result.created),
    SUM(TICKS, task_site, result.handling, result.starved),
    MAX(COUNT, task_site, result.most_at_once),
    MAX(TICKS, task_site, result.chain),
    DURATIONS(task_site, before),
    DURATIONS(task_site, after),
    SUM(TICKS, task_site, bin_sums, handling_parts),
    SUM(COUNT, task_site, handling_records),
    MAX(COUNT, task_site, threads),
    SUM(COUNT, task_site, created_inside, dependent),
    SUM(TICKS, task_site, outlasted, unserved),
    DERIVED(task_site, result.region, result.creation, at_once, ran, ran_until, begun),
};

static const struct analysis_field of_lock_site[] = {
    DURATIONS(lock_site, result.wait),
    DURATIONS(lock_site, result.hold),
    SUM(TICKS, lock_site, result.slept),
    SUM(COUNT, lock_site, result.contended),
    SUM(TICKS, lock_site, result.handover),
    SUM(COUNT, lock_site, result.threads),
    SUM(TICKS, lock_site, result.contended_wait),
    SUM(COUNT, lock_site, result.queue),
    MAX(COUNT, lock_site, result.longest_queue),
    DERIVED(lock_site, result.region, askers),
};

static const struct analysis_field of_lock_holder[] = {
    SUM(TICKS, lock_holder, waited),
    SUM(COUNT, lock_holder, count),
    WORST(TICKS, lock_holder, worst),
    OF_WORST(TIME, lock_holder, worst_begin),
    OF_WORST(LOCATION, lock_holder, worst_location),
    DERIVED(lock_holder, asker, holder),
};

static const struct analysis_field of_phase[] = {
    SUM(COUNT, phase, count, steps),
    SUM(TICKS, phase, wall, parts, known),
    WORST(TICKS, phase, longest),
    OF_WORST(TIME, phase, longest_begin),
    OF_WORST(COUNT, phase, longest_number),
    OF_WORST(TICKS, phase, longest_parts),
    SUM(TICKS, phase, serial, communication),
    DERIVED(phase, region, efficiency, step_list, step_count, name, comparable, comparable_count, median),
};

static const struct analysis_field of_phase_share[] = {
    SUM(TICKS, phase_share, wall, in_mpi, communication),
};

static const struct analysis_field of_step[] = {
    SUM(COUNT, step, count, atypical),
    SUM(TICKS, step, wall, parts),
    WORST(TICKS, step, longest),
    OF_WORST(TIME, step, longest_begin, longest_end),
    OF_WORST(COUNT, step, number),
    WORST(TICKS, step, most),
    OF_WORST(LOCATION, step, most_location),
    OF_WORST(TICKS, step, most_parts),
    OF_WORST(CONTEXT, step, most_context),
    OF_WORST(COUNT, step, most_there, most_samples),
    DERIVED(step, region),
};

static const struct analysis_field of_value[] = {
    SUM(COUNT, value, count, not_finite), MIN_NONZERO(COUNT, value, smallest), MAX(COUNT, value, largest),
    WORST(TIME, value, last_time),        OF_WORST(COUNT, value, last),        DERIVED(value, id, name),
};

static const struct analysis_field of_sampled[] = {
    SUM(COUNT, sampled, count, waiting, counted),
    DERIVED(sampled, region, serial, thread, context, blocked),
};

/* Samples in serial parts are never in a wait, because waits are in a construct. */
static const struct analysis_field of_serial_sampled[] = {
    SUM(COUNT, sampled, count, counted),
    DERIVED(sampled, region, serial, thread, context, waiting, blocked),
};

/* For threads that OpenMP does not know. */
static const struct analysis_field of_other_sampled[] = {
    SUM(COUNT, sampled, count),
    DERIVED(sampled, region, serial, thread, context, waiting, blocked, counted),
};

static const struct analysis_field of_loop[] = {
    MIN_NONZERO(STRING, loop, schedule_text),
    MIN_NONZERO(REGION, loop, parallel_number),
    SUM(COUNT, loop, instances, iterations, chunks),
    DURATIONS(loop, gaps),
    SUM(TICKS, loop, wall, mean, lost_few, lost_iterations, lost_cost),
    SUM(COUNT, loop, late_instances),
    SUM(TICKS, loop, lost_late),
    MAX(TICKS, loop, lost_worst),
    DERIVED(loop, region, schedule, parallel, lost_processor, reason, threads, thread_list, slowest),
};

static const struct analysis_field of_loop_thread[] = {
    SUM(TICKS, loop_thread, time),
    SUM(COUNT, loop_thread, iterations),
    SUM(TICKS, loop_thread, late),
    WORST(TICKS, loop_thread, longest),
    OF_WORST(LOCATION, loop_thread, longest_location),
};

static const struct analysis_field of_serial[] = {
    SUM(COUNT, serial, count),
    SUM(TICKS, serial, sum, blocked, forking),
    WORST(TICKS, serial, longest),
    OF_WORST(TIME, serial, longest_begin),
    OF_WORST(LOCATION, serial, longest_location),
    WITHIN(serial, within),
    DERIVED(serial, after, before),
};

static const struct analysis_field of_outliers[] = {
    DURATIONS(outliers, times),
    SUM(COUNT, outliers, bins),
    SUM(TICKS, outliers, sums, useful),
    SUM(COUNT, outliers, without_processor),
    WORST(TICKS, outliers, worst.ticks),
    OF_WORST_INSTANCE(outliers, worst),
    OF_WORST(COUNT, outliers, worst_number, worst_parts),
    OF_WORST(TICKS, outliers, worst_work),
    WORST(COUNT, outliers, most_frequent.count),
    OF_WORST(COUNT, outliers, most_frequent.number, most_frequent.parts),
    OF_WORST(TICKS, outliers, most_frequent.ticks, most_frequent.worst.ticks),
    OF_WORST_INSTANCE(outliers, most_frequent.worst),
    DERIVED(outliers, region, before, kind, nesting, is_same, is_explained, limit, next),
    DERIVED(outliers, repeated, median, count, cost, all_useful),
};

static const struct analysis_field of_transfer[] = {
    DURATIONS(transfer, times),          SUM(COUNT, transfer, bytes),
    SUM(TICKS, transfer, overhead),      SUM(COUNT, transfer, repeated, repeated_bytes),
    SUM(TICKS, transfer, repeated_time), SUM(COUNT, transfer, records),
    DERIVED(transfer, region),
};

static const struct analysis_field of_device[] = {
    SUM(TICKS, device, busy),
    SUM(COUNT, device, kernels),
    SUM(TICKS, device, kernel_time),
    SUM(COUNT, device, transfers),
    SUM(TICKS, device, transfer_time),
    SUM(COUNT, device, bytes),
    SUM(TICKS, device, overlap, waited, idle),
    DERIVED(device, group, name),
};

static const struct analysis_field of_mpi[] = {
    SUM(COUNT, mpi, sent, received, read, written, repeated),
    SUM(TICKS, mpi, repeated_time),
    DERIVED(mpi, region, waited, unknown_wait, in_row, in_row_time),
};

/* Each entry is a location, whose process is in only one pass: nothing is added up. */
static const struct analysis_field of_open[] = {
    MAX(COUNT, open, kind),
    MAX(REGION, open, region, left),
    MAX(TIME, open, begin, end),
    MAX(TICKS, open, before),
    MAX(COUNT, open, awaited, awaited_count),
    MAX(REGION, open, held),
    MAX(TIME, open, held_since),
    MAX(COUNT, open, doubled, running),
    DERIVED(open, why, any, polls, locked, has_tag, tag, other, other_tag),
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
