/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds data that moves in many small pieces without work between them: messages, collective operations,
 * accesses to a file, and transfers to and from devices. One that moves as much costs less. Also finds
 * transfers that repeat unchanged data. Called by findings.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/opens.h"

#include "src/core/words.h"

#include <inttypes.h>
#include <string.h>

/* A message of LARGE_BYTES takes about as long as an empty one. */
enum { MIN_IN_ROW = 1000, LARGE_BYTES = 4096, RECORDS_OF_CALL = 3 };

static uint64_t mean_bytes(const struct analysis_mpi *mpi)
{
    const uint64_t moved = mpi->sent > mpi->received ? mpi->sent : mpi->received;
    return omptape_mean(omptape_plus(moved, omptape_plus(mpi->read, mpi->written)),
                        mpi->region->visits.count);
}

void omptape_findings_add_small_messages(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    for (uint32_t i = 0; i < state->mpi.count; i++) {
        const struct analysis_mpi *mpi = state->mpi.list[i].value;
        const uint64_t bytes = mean_bytes(mpi);
        if (mpi->in_row < MIN_IN_ROW || bytes == 0 || bytes >= LARGE_BYTES)
            continue;
        struct omptape_finding *finding =
            omptape_findings_at(findings, OMPTAPE_FINDING_SMALL_MESSAGES, mpi->region);
        const uint64_t left =
            omptape_findings_without(state, mpi->in_row_time, (double)mpi->in_row * (double)RECORDS_OF_CALL);
        finding->gain = omptape_analysis_part(left, LARGE_BYTES - bytes, LARGE_BYTES);
        finding->cost = finding->cost_wall = mpi->in_row_time;
        finding->remaining_wall = omptape_minus(left, finding->gain);
        finding->tracing = omptape_minus(mpi->in_row_time, left);
        finding->count = mpi->in_row;
        finding->waited = mpi->in_row_time;
        omptape_findings_set_worst(finding, &mpi->region->visits);
    }
}

void omptape_describe_small_messages(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_mpi *mpi = omptape_analysis_of_region(&state->mpi, finding->region);
    const uint64_t bytes = mpi != NULL ? mean_bytes(mpi) : 0;
    finding->text =
        omptape_sentence(state,
                         "%s calls of %s byte%s on average follow the one before without work between, %s in "
                         "all",
                         omptape_count_text(state, finding->count), omptape_count_text(state, bytes),
                         bytes == 1 ? "" : "s", omptape_time_text(state, (double)finding->waited));
}

/* Returns the time in the function without waits for other processes, and without rows of small calls. */
static uint64_t own_time(const struct analysis_mpi *mpi)
{
    const uint64_t small = mean_bytes(mpi) < LARGE_BYTES ? mpi->in_row_time : 0;
    return omptape_minus(mpi->region->visits.sum,
                         omptape_plus(small, omptape_plus(mpi->waited, mpi->unknown_wait)));
}

/* Returns true if the function's time is known to be its own. A function that begins or
 * ends MPI, asks in vain, or synchronises a window may wait for others, which no event shows. */
static bool is_own(const struct analysis_mpi *mpi)
{
    const char *name = mpi->region->label;
    return omptape_mpi_end_of(mpi->region) >= OMPTAPE_MPI_BEGINS && !omptape_starts_with(name, "MPI_Win_") &&
           !omptape_starts_with(name, "MPI_Test") && strstr(name, "robe") == NULL;
}

/* Returns the time of calls that had not ended when the events end, as of a program that was killed while it
 * hung. Nothing tells what they waited for. */
static uint64_t open_time(const struct analysis_state *state, const struct analysis_mpi *mpi)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < state->opens.count; i++) {
        const struct analysis_open *open = state->opens.list[i].value;
        if (open->kind == ANALYSIS_OPEN_MPI && open->region == mpi->region->definition->id + 1)
            omptape_add(&sum, omptape_minus(open->end, open->begin));
    }
    return sum;
}

/* Converts thread time in MPI to wall time. Threads of a process that call it at the same time count as the
 * one that is in MPI for longest. */
static uint64_t wall_of(const struct omptape_analysis *result, uint64_t ticks)
{
    uint64_t all = 0;
    uint64_t longest = 0;
    for (uint32_t i = 0; i < result->process_count; i++) {
        const struct analysis_process *process = &result->processes[i];
        omptape_add(&all, omptape_minus(process->parts[OMPTAPE_BUCKET_MPI], process->starting));
        omptape_add(&longest, process->longest_in_mpi);
    }
    return omptape_analysis_part(longest, ticks < all ? ticks : all, all) / result->at_once;
}

/* Returns true if a finding with a gain names the calls. */
static bool is_known(const struct analysis_findings *findings, uint32_t count,
                     const struct analysis_region *region)
{
    const struct omptape_analysis *result = findings->state->result;
    for (uint32_t i = 0; i < count; i++) {
        const struct omptape_finding *one = &findings->list[i];
        if (one->region == region &&
            (one->kind == OMPTAPE_FINDING_REPEATED_CREATION || one->kind == OMPTAPE_FINDING_COMMUNICATION) &&
            !omptape_findings_is_little(result, omptape_mean(one->gain, result->at_once)))
            return true;
    }
    return false;
}

void omptape_findings_add_calls(struct analysis_findings *findings)
{
    enum { INVERSE_MIN_SHARE = 5 };
    const double mostly = 0.9;
    const struct analysis_state *state = findings->state;
    const uint32_t before = findings->count;
    if (omptape_findings_on_processor(state->result) < mostly) /* it includes what it is late for that */
        return;
    for (uint32_t i = 0; i < state->mpi.count; i++) {
        const struct analysis_mpi *mpi = state->mpi.list[i].value;
        const uint64_t wall = wall_of(state->result, omptape_minus(own_time(mpi), open_time(state, mpi)));
        if (is_known(findings, before, mpi->region) || !is_own(mpi) || mean_bytes(mpi) == 0 ||
            wall < omptape_finding_wall(state->result) / INVERSE_MIN_SHARE)
            continue;
        struct omptape_finding *finding =
            omptape_findings_add(findings, OMPTAPE_FINDING_COMMUNICATION, mpi->region);
        finding->spent_wall = wall;
        finding->count = mpi->region->visits.count;
        omptape_findings_set_worst(finding, &mpi->region->visits);
    }
}

void omptape_describe_calls(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_mpi *mpi = omptape_analysis_of_region(&state->mpi, finding->region);
    const uint64_t bytes = mpi != NULL ? mean_bytes(mpi) : 0;
    const double each = mpi != NULL ? (double)own_time(mpi) / (double)finding->count : 0;
    const bool is_file = mpi != NULL && omptape_plus(mpi->read, mpi->written) > 0;
    finding->proposal = is_file
                            ? "larger pieces, or operations of all processes together (MPI_File_write_at_all)"
                            : "less data, or data that lie together: a datatype with gaps is packed piece by "
                              "piece (--events=+mpi-all shows what makes one)";
    finding->text = omptape_sentence(
        state,
        "takes %s (%.0f %%) beside waits for others: %s calls of %s bytes and %s each on average, %.2g GB/s",
        omptape_time_text(state, (double)finding->spent_wall),
        100 * (double)finding->spent_wall / (double)omptape_minus(state->result->end, state->result->begin),
        omptape_count_text(state, finding->count), omptape_count_text(state, bytes),
        omptape_time_text(state, each), each > 0 ? (double)bytes / (each * state->ns_per_tick) : 0);
}

enum { SMALL_BYTES = 65536 };

void omptape_findings_add_transfers(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    for (uint32_t i = 0; i < state->transfers.count; i++) {
        const struct analysis_transfer *transfer = state->transfers.list[i].value;
        uint64_t count = transfer->times.count;
        bool repeats = omptape_times(2, transfer->repeated_time) > transfer->times.sum;
        bool small = count >= ANALYSIS_MIN_INSTANCES && transfer->bytes / count < SMALL_BYTES;
        if (!repeats && !small)
            continue;
        struct omptape_finding *finding =
            omptape_findings_at(findings,
                                small && !(repeats && omptape_mean(transfer->bytes, count) >= 4096)
                                    ? OMPTAPE_FINDING_SMALL_TRANSFERS
                                    : OMPTAPE_FINDING_REPEATED_TRANSFERS,
                                transfer->region);
        finding->transfer = transfer;
        const uint64_t all = omptape_plus(transfer->times.sum, transfer->overhead);
        const bool is_small = finding->kind == OMPTAPE_FINDING_SMALL_TRANSFERS;
        const uint64_t whole =
            is_small ? all
                     : omptape_plus(transfer->repeated_time,
                                    omptape_analysis_part(transfer->overhead, transfer->repeated, count));
        const double records =
            (double)transfer->records * (is_small ? 1 : (double)transfer->repeated / (double)count);
        const uint64_t left = omptape_findings_without(state, whole, records);
        finding->cost = finding->cost_wall = whole;
        finding->remaining_wall = is_small ? omptape_mean(left, count) : 0;
        finding->gain = omptape_minus(left, finding->remaining_wall);
        finding->tracing = whole - left;
        finding->count = count;
        finding->waited = transfer->times.sum;
        omptape_findings_set_worst(finding, &transfer->times);
    }
}
