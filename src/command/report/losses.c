/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes a region's wall time and the losses of its thread time (pairs.h), for the comparison of a series
 * of runs. Thread time covers all available threads while the region runs, so losses plus computing are the
 * wall time times the threads.
 */
#include "src/command/report/pairs.h"
#include "src/command/report/state.h"

#include "src/core/whole.h"

#include <math.h>
#include <omptape/properties.h>
#include <string.h>

static double processes_of(const struct omptape_analysis *analysis)
{
    return analysis->at_once;
}

static double threads_of(const struct omptape_analysis *analysis)
{
    return analysis->threads > 0 ? analysis->threads : 1;
}

/* Returns the thread time that threads wait because tasks are too short to be handed out in time. `region`:
 * their region, or NULL for all. */
static double waiting_for_short_tasks(const struct omptape_analysis *analysis,
                                      const struct analysis_region *region)
{
    uint64_t waited = 0;
    for (uint32_t i = 0; i < analysis->finding_count; i++) {
        const struct omptape_finding *finding = &analysis->findings[i];
        if (finding->kind == OMPTAPE_FINDING_FINE_TASKS && (region == NULL || finding->region == region))
            omptape_add(&waited, finding->waited);
    }
    return omptape_analysis_seconds(analysis, waited);
}

static void move_loss(struct report_row *row, double seconds)
{
    const double moved = fmin(seconds, row->losses[REPORT_LOSS_IMBALANCE]);
    row->losses[REPORT_LOSS_IMBALANCE] -= moved;
    row->losses[REPORT_LOSS_MANAGEMENT] += moved;
}

void report_losses_of_whole(struct report_row *row, const struct omptape_analysis *analysis)
{
    const struct analysis_efficiency *efficiency = &analysis->efficiency;
    uint64_t lock = 0;
    for (uint32_t i = 0; i < analysis->process_count; i++)
        omptape_add(&lock, analysis->processes[i].parts[OMPTAPE_BUCKET_LOCK]);
    lock = lock < efficiency->lost[ANALYSIS_SERIALISATION] ? lock : efficiency->lost[ANALYSIS_SERIALISATION];
    const uint64_t losses[REPORT_LOSSES] = {
        [REPORT_LOSS_COMMUNICATION] = omptape_plus(efficiency->lost[ANALYSIS_COMMUNICATION],
                                                   efficiency->lost[ANALYSIS_MPI_LOAD_BALANCE]),
        [REPORT_LOSS_SERIAL] = efficiency->lost[ANALYSIS_SERIALISATION] - lock,
        [REPORT_LOSS_LOCK] = lock,
        [REPORT_LOSS_IMBALANCE] = efficiency->lost[ANALYSIS_LOAD_BALANCE],
        [REPORT_LOSS_MANAGEMENT] = efficiency->lost[ANALYSIS_MANAGEMENT],
        [REPORT_LOSS_BLOCKED] = efficiency->lost[ANALYSIS_BLOCKED],
        [REPORT_LOSS_PROCESSOR] = efficiency->lost[ANALYSIS_PROCESSOR]};
    for (int loss = 0; loss < REPORT_LOSSES; loss++)
        row->losses[loss] = omptape_analysis_seconds(analysis, losses[loss]);
    move_loss(row, waiting_for_short_tasks(analysis, NULL));
    row->losses[REPORT_LOSS_COMPUTING] =
        efficiency->parallel * omptape_analysis_seconds(analysis, efficiency->available);
    row->elapsed = row->value;
}

/* Returns true if only threads outside of teams enter the region. */
static bool is_outside(const struct analysis_region *region)
{
    static const enum omptape_bucket inside[] = {OMPTAPE_BUCKET_COMPUTING, OMPTAPE_BUCKET_BARRIER,
                                                 OMPTAPE_BUCKET_TASK_WAIT, OMPTAPE_BUCKET_LOCK,
                                                 OMPTAPE_BUCKET_TASK_MANAGEMENT};
    for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
        if (region->parts[inside[i]] > 0)
            return false;
    return region->charged == 0;
}

/* Returns the parallel region around it: the region itself, its loop's, or the nearest one above it in the
 * same function. Returns NULL if unknown. */
static const struct analysis_region *parallel_of(const struct omptape_analysis *analysis,
                                                 const struct analysis_region *region)
{
    const struct analysis_region *nearest = NULL;
    if (region->kind == OMPTAPE_REGION_PARALLEL)
        return region;
    for (uint32_t i = 0; i < analysis->loop_count; i++)
        if (analysis->loops[i]->region == region && analysis->loops[i]->parallel != NULL)
            return analysis->loops[i]->parallel;
    for (uint32_t i = 0; region->line > 0 && i < analysis->region_count; i++) {
        const struct analysis_region *one = analysis->regions[i];
        if (one->kind == OMPTAPE_REGION_PARALLEL && one->line > 0 && one->line <= region->line &&
            (nearest == NULL || one->line > nearest->line) && strcmp(one->file, region->file) == 0 &&
            strcmp(one->function, region->function) == 0)
            nearest = one;
    }
    return nearest;
}

/* Returns the number of threads of all processes that execute the region. */
static double team_of(const struct omptape_analysis *analysis, const struct analysis_region *parallel)
{
    return parallel != NULL && parallel->team > 0
               ? fmin((double)parallel->team * processes_of(analysis), threads_of(analysis))
               : threads_of(analysis);
}

/* True if the region has nearly all of the parallel region's time. It has its own number of threads then. */
static bool dominates_parallel(const struct omptape_analysis *analysis,
                               const struct analysis_region *parallel, const struct analysis_region *region)
{
    const double nearly = 0.9;
    uint64_t here = 0;
    for (uint32_t i = 0; parallel != NULL && i < analysis->region_count; i++) {
        const struct analysis_region *one = analysis->regions[i];
        if (one == parallel || one == region ||
            (one->line > 0 && (one->line == region->line || one->line == parallel->line) &&
             strcmp(one->file, region->file) == 0))
            omptape_add(&here, omptape_parts_sum(one->parts));
    }
    return parallel != NULL && (double)here >= nearly * (double)parallel->inclusive;
}

static bool is_for_one_thread(const struct analysis_region *region)
{
    switch (region->kind) {
    case OMPTAPE_REGION_SINGLE:
    case OMPTAPE_REGION_MASKED:
    case OMPTAPE_REGION_ORDERED:
        return true;
    default:
        return false;
    }
}

/* Sets the losses that single buckets determine. */
static void take_parts(double losses[REPORT_LOSSES], const struct omptape_analysis *analysis,
                       const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    static const enum omptape_bucket buckets[REPORT_LOSSES] = {
        [REPORT_LOSS_COMMUNICATION] = OMPTAPE_BUCKET_MPI,
        [REPORT_LOSS_SERIAL] = OMPTAPE_BUCKET_COUNT,
        [REPORT_LOSS_LOCK] = OMPTAPE_BUCKET_LOCK,
        [REPORT_LOSS_IMBALANCE] = OMPTAPE_BUCKET_COUNT,
        [REPORT_LOSS_MANAGEMENT] = OMPTAPE_BUCKET_TASK_MANAGEMENT,
        [REPORT_LOSS_BLOCKED] = OMPTAPE_BUCKET_BLOCKED,
        [REPORT_LOSS_PROCESSOR] = OMPTAPE_BUCKET_RUNNABLE};
    for (int loss = 0; loss < REPORT_LOSSES; loss++)
        losses[loss] = buckets[loss] < OMPTAPE_BUCKET_COUNT
                           ? omptape_analysis_seconds(analysis, parts[buckets[loss]])
                           : 0;
    losses[REPORT_LOSS_COMPUTING] = omptape_analysis_seconds(
        analysis, omptape_plus(parts[OMPTAPE_BUCKET_COMPUTING], parts[OMPTAPE_BUCKET_SERIAL]));
}

/* Sets the losses of a region. Outside of parallel regions the other threads' time counts as lost. Waiting
 * for the region replaces its own waiting if it is larger, as in report_cost. */
void report_losses_of_region(struct report_row *row, const struct omptape_analysis *analysis,
                             const struct analysis_region *region)
{
    const bool outside = is_outside(region);
    const double own = omptape_analysis_seconds(
        analysis, omptape_minus(omptape_parts_sum(region->parts), region->parts[OMPTAPE_BUCKET_IDLE]));
    const double all = outside ? own / processes_of(analysis) * threads_of(analysis)
                               : omptape_analysis_seconds(analysis, report_cost(region));
    double *losses = row->losses;
    double rest = all;
    row->construct = region->kind;
    const struct analysis_region *parallel = outside ? NULL : parallel_of(analysis, region);
    row->team = outside ? processes_of(analysis) : team_of(analysis, parallel);
    row->elapsed = outside ? own / processes_of(analysis) : all / row->team;
    row->dominates_parallel = dominates_parallel(analysis, parallel, region);
    take_parts(losses, analysis, region->parts);
    for (int loss = 0; loss < REPORT_LOSSES; loss++)
        rest -= losses[loss];
    rest = rest > 0 ? rest : 0;
    losses[outside || is_for_one_thread(region)   ? REPORT_LOSS_SERIAL
           : omptape_region_is_lock(region->kind) ? REPORT_LOSS_LOCK
                                                  : REPORT_LOSS_IMBALANCE] += rest;
    move_loss(row, waiting_for_short_tasks(analysis, region));
}

/* Sets the losses of a phase. Threads outside of all regions wait for the one that works. */
void report_losses_of_phase(struct report_row *row, const struct omptape_analysis *analysis,
                            const struct analysis_phase *phase)
{
    const double all = row->value * threads_of(analysis);
    take_parts(row->losses, analysis, phase->parts);
    row->losses[REPORT_LOSS_IMBALANCE] = omptape_analysis_seconds(
        analysis, omptape_plus(phase->parts[OMPTAPE_BUCKET_BARRIER], phase->parts[OMPTAPE_BUCKET_TASK_WAIT]));
    row->losses[REPORT_LOSS_SERIAL] = fmax(0, all - report_losses_sum(row->losses));
    row->elapsed = row->value;
    row->team = threads_of(analysis);
    row->construct = phase->region->kind;
}

double report_losses_sum(const double losses[REPORT_LOSSES])
{
    double sum = 0;
    for (int loss = 0; loss < REPORT_LOSSES; loss++)
        sum += losses[loss];
    return sum;
}

double report_processors(const struct omptape_analysis *analysis)
{
    double sum = 0;
    for (uint32_t i = 0; i < analysis->node_count; i++) {
        if (analysis->nodes[i].processors == 0)
            return 0;
        sum += (double)analysis->nodes[i].processors;
    }
    return sum;
}

static bool has_more_threads(const struct omptape_analysis *analysis, const struct analysis_node *node)
{
    uint64_t threads = 0;
    uint64_t online = 0;
    for (uint32_t i = 0; i < analysis->process_count; i++) {
        const struct analysis_process *process = &analysis->processes[i];
        if (strcmp(process->node, node->name) != 0)
            continue;
        online = omptape_reader_number_of(analysis->reader, process->number, OMPTAPE_KEY_ONLINE);
        threads += process->most_threads;
    }
    return online > 0 && threads > online;
}

bool report_is_oversubscribed(const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; i < analysis->process_count; i++) {
        const struct analysis_process *process = &analysis->processes[i];
        const bool is_bound = process->team_processors > 0 && process->team_processors < process->processors;
        const uint64_t processors = is_bound ? process->team_processors : process->processors;
        if (processors > 0 && process->most_threads > processors)
            return true;
    }
    for (uint32_t i = 0; i < analysis->node_count; i++)
        if (has_more_threads(analysis, &analysis->nodes[i]))
            return true;
    return false;
}
