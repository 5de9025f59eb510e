/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the efficiencies (analysis.h, docs/report.md): the share of the available thread time that was
 * computing, and the losses. Called once, at the end.
 *
 * Available thread time is the wall time of each process times its threads. The time in which MPI begins and
 * ends is left out, because programs do not cause it. There only waiting for other processes counts, if the
 * archive has the events to match the calls. Seven losses are subtracted one after the other; each
 * ratio refers to what the previous loss left. The first two are the time in MPI. Communication is the share
 * that even the process with least of it spends there. MPI load balance is what the others spend beyond it.
 * Then follow serialisation (serial parts, locks, code for one thread) and load balance (waiting for other
 * threads or for work). The last ones are management (tasks, regions, barriers), blocked threads and missing
 * processors. The product of the ratios is the parallel efficiency. The same is computed for each phase,
 * where all time in MPI counts.
 */
#include "src/analysis/causes.h"
#include "src/analysis/findings/gathering.h"
#include "src/analysis/tasks.h"

const struct analysis_factor_names omptape_analysis_factors[ANALYSIS_FACTORS] = {
    [ANALYSIS_COMMUNICATION] = {"communication", "communication", "lost_to_communication_s", true},
    [ANALYSIS_MPI_LOAD_BALANCE] = {"MPI load balance", "mpi_load_balance", "lost_to_mpi_load_balance_s",
                                   true},
    [ANALYSIS_LOAD_BALANCE] = {"load balance", "load_balance", "lost_to_load_balance_s", false},
    [ANALYSIS_SERIALISATION] = {"serialisation", "serialisation", "lost_to_serialisation_s", false},
    [ANALYSIS_MANAGEMENT] = {"management", "management", "lost_to_management_s", false},
    [ANALYSIS_BLOCKED] = {"blocked", "blocked", "lost_to_blocked_s", true},
    [ANALYSIS_PROCESSOR] = {"processor", "processor", "lost_to_processor_s", false},
};

bool omptape_analysis_has_factor(const struct analysis_efficiency *efficiency, int factor)
{
    const double noise = 0.005;
    const bool has_mpi =
        efficiency->lost[ANALYSIS_COMMUNICATION] > 0 || efficiency->lost[ANALYSIS_MPI_LOAD_BALANCE] > 0;
    if (factor == ANALYSIS_BLOCKED && efficiency->factors[factor] >= 1 - noise)
        return false;
    return efficiency->lost[factor] > 0 || !(has_mpi || omptape_analysis_factors[factor].is_of_some);
}

static uint64_t part_sum(const struct omptape_analysis *result, enum omptape_bucket bucket)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < result->process_count; i++)
        omptape_add(&sum, result->processes[i].parts[bucket]);
    return sum;
}

static uint64_t waited_in_serial(const struct analysis_state *state)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < state->causes.count; i++) {
        const struct analysis_cause *cause = state->causes.list[i].value;
        if (cause->kind == OMPTAPE_FINDING_SERIAL)
            omptape_add(&sum, cause->waited);
    }
    return sum;
}

/* Returns the part of the time at work in which the threads had no processor. */
static uint64_t without_processor(const struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < result->thread_count; i++)
        omptape_add(&sum, omptape_findings_queued_at_work(state, &result->thread_list[i]));
    return sum;
}

static void take(struct analysis_efficiency *efficiency, enum analysis_factor factor, uint64_t *rest)
{
    uint64_t *lost = &efficiency->lost[factor];
    const double before = (double)*rest;
    *lost = *lost < *rest ? *lost : *rest;
    *rest -= *lost;
    efficiency->factors[factor] = before > 0 ? (double)*rest / before : 1;
}

/* Subtracts the losses from `available` one after the other; all losses but load balance must be set. `work`
 * is the thread time at work, including blocked time and time without a processor. */
static void take_off(struct analysis_efficiency *efficiency, uint64_t work)
{
    uint64_t rest = efficiency->available;
    work = work < rest ? work : rest;
    take(efficiency, ANALYSIS_COMMUNICATION, &rest);
    take(efficiency, ANALYSIS_MPI_LOAD_BALANCE, &rest);
    take(efficiency, ANALYSIS_SERIALISATION, &rest);
    /* The remaining time is neither work nor another loss: it is waiting. */
    efficiency->lost[ANALYSIS_LOAD_BALANCE] =
        omptape_minus(omptape_minus(rest, work), efficiency->lost[ANALYSIS_MANAGEMENT]);
    take(efficiency, ANALYSIS_LOAD_BALANCE, &rest);
    efficiency->lost[ANALYSIS_MANAGEMENT] = omptape_minus(rest, work);
    take(efficiency, ANALYSIS_MANAGEMENT, &rest);
    take(efficiency, ANALYSIS_BLOCKED, &rest);
    take(efficiency, ANALYSIS_PROCESSOR, &rest);
    efficiency->parallel = efficiency->available > 0 ? (double)rest / (double)efficiency->available : 1;
}

static void set_in_mpi(struct analysis_efficiency *efficiency, uint64_t in_mpi, uint64_t uneven)
{
    efficiency->lost[ANALYSIS_MPI_LOAD_BALANCE] = uneven < in_mpi ? uneven : in_mpi;
    efficiency->lost[ANALYSIS_COMMUNICATION] = omptape_minus(in_mpi, uneven);
}

void omptape_analysis_efficiency_of(struct analysis_efficiency *efficiency,
                                    const struct analysis_section *section, double threads)
{
    const double others = threads - 1;
    const uint64_t *parts = section->parts;
    efficiency->available = omptape_whole((double)section->wall * threads);
    set_in_mpi(
        efficiency,
        omptape_plus(parts[OMPTAPE_BUCKET_MPI], omptape_whole((double)section->communication * others)),
        section->uneven);
    efficiency->lost[ANALYSIS_SERIALISATION] =
        omptape_plus(omptape_whole((double)section->serial * others), parts[OMPTAPE_BUCKET_LOCK]);
    efficiency->lost[ANALYSIS_MANAGEMENT] = parts[OMPTAPE_BUCKET_TASK_MANAGEMENT];
    efficiency->lost[ANALYSIS_BLOCKED] = parts[OMPTAPE_BUCKET_BLOCKED];
    efficiency->lost[ANALYSIS_PROCESSOR] = parts[OMPTAPE_BUCKET_RUNNABLE];
    take_off(efficiency, omptape_analysis_worked(parts));
}

/* The time that processes with MPI spend in it, to be divided by their load balance. */
struct mpi_shares {
    uint32_t processes;
    double least; /* the least share of its thread time that one spends there */
    double available;
    double in_mpi;
};

static void add_share(struct mpi_shares *shares, double available, double in_mpi)
{
    if (available <= 0)
        return;
    in_mpi = in_mpi > 0 ? in_mpi : 0;
    const double share = in_mpi / available;
    shares->least = shares->processes == 0 || share < shares->least ? share : shares->least;
    shares->processes++;
    shares->available += available;
    shares->in_mpi += in_mpi;
}

/* Returns the thread time that processes spend in MPI beyond the least share of one. They have less to do. */
static uint64_t uneven_time(const struct mpi_shares *shares)
{
    return shares->processes > 1 ? omptape_whole(shares->in_mpi - shares->least * shares->available) : 0;
}

/* Supposes that the instances whose parts are not known have the parts of the others. Returns the factor. */
static double scale_to_all(struct analysis_phase *phase)
{
    const double factor = phase->known > 0 ? (double)phase->wall / (double)phase->known : 1;
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        phase->parts[bucket] = omptape_whole((double)phase->parts[bucket] * factor);
    phase->serial = omptape_whole((double)phase->serial * factor);
    phase->communication = omptape_whole((double)phase->communication * factor);
    return factor;
}

static void set_phase(const struct analysis_state *state, struct analysis_phase *phase)
{
    const double threads = omptape_analysis_mean_threads(state->result);
    struct mpi_shares shares = {.processes = 0};
    for (uint32_t i = 0; i < state->result->process_count; i++) {
        const struct analysis_phase_share *share = omptape_pairs_get(
            &state->phase_shares, phase->region->definition->id, state->result->processes[i].group->id);
        if (share != NULL && share->in_mpi > 0)
            add_share(&shares, (double)share->wall * threads,
                      (double)share->in_mpi + (double)share->communication * (threads - 1));
    }
    const double factor = scale_to_all(phase);
    const struct analysis_section section = {.parts = phase->parts,
                                             .wall = phase->wall,
                                             .serial = phase->serial,
                                             .communication = phase->communication,
                                             .uneven = omptape_whole(factor * (double)uneven_time(&shares))};
    omptape_analysis_efficiency_of(&phase->efficiency, &section, threads);
}

void omptape_analysis_efficiency(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    struct analysis_efficiency *efficiency = &result->efficiency;
    uint64_t serial = 0;
    uint64_t communication = 0; /* with the time of idle threads while one was in MPI */
    uint64_t starting = 0;      /* MPI's begin and end, without waiting for other processes */
    struct mpi_shares shares = {.processes = 0};
    uint64_t asleep = 0; /* blocked time of initial threads outside of parallel regions */
    for (uint32_t i = 0; i < result->process_count; i++) {
        const struct analysis_process *process = &result->processes[i];
        const uint64_t others = omptape_minus(process->most_threads, 1);
        const uint64_t available =
            omptape_times(omptape_minus(process->end, process->begin), process->most_threads);
        const uint64_t in_mpi =
            omptape_plus(process->parts[OMPTAPE_BUCKET_MPI], omptape_times(process->communication, others));
        const uint64_t begins =
            omptape_times(omptape_minus(process->starting, process->starting_waited), process->most_threads);
        omptape_add(&efficiency->available, available);
        omptape_add(&serial, omptape_times(process->serial, others));
        omptape_add(&asleep, process->asleep_outside);
        omptape_add(&communication, in_mpi);
        omptape_add(&starting, begins);
        if (in_mpi > 0)
            add_share(&shares, (double)available - (double)begins, (double)in_mpi - (double)begins);
    }
    uint64_t management =
        omptape_plus(part_sum(result, OMPTAPE_BUCKET_TASK_MANAGEMENT), state->whole.release_time);
    uint64_t creation = 0;
    for (uint32_t i = 0; i < state->task_sites.count; i++) {
        const struct analysis_task_site *site = state->task_sites.list[i].value;
        omptape_add(&creation, site->result.creation);
        omptape_add(&management, omptape_plus(site->result.creation, site->result.handling));
    }
    /* An initial thread that sleeps outside of all regions does not count as available. */
    uint64_t blocked = omptape_minus(part_sum(result, OMPTAPE_BUCKET_BLOCKED), asleep);
    uint64_t work = omptape_plus(
        omptape_plus(part_sum(result, OMPTAPE_BUCKET_COMPUTING), part_sum(result, OMPTAPE_BUCKET_SERIAL)),
        omptape_plus(blocked, part_sum(result, OMPTAPE_BUCKET_RUNNABLE)));
    work = omptape_minus(work, creation);
    uint64_t processor = without_processor(state);
    processor = processor < work ? processor : work;
    starting = starting < communication ? starting : communication;
    efficiency->available = omptape_minus(efficiency->available, starting);
    set_in_mpi(efficiency, communication - starting, uneven_time(&shares));
    efficiency->lost[ANALYSIS_SERIALISATION] =
        omptape_plus(omptape_plus(serial, part_sum(result, OMPTAPE_BUCKET_LOCK)), waited_in_serial(state));
    efficiency->lost[ANALYSIS_MANAGEMENT] = management;
    efficiency->lost[ANALYSIS_BLOCKED] = blocked;
    efficiency->lost[ANALYSIS_PROCESSOR] = processor;
    take_off(efficiency, work);
    for (uint32_t i = 0; i < state->phases.count; i++)
        set_phase(state, state->phases.list[i].value);
}
