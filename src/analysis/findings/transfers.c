/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds data that moves in many small pieces without work between them: messages, collective operations,
 * accesses to a file, and transfers to and from devices. One that moves as much costs less. Also finds
 * transfers that repeat unchanged data. Called by findings.c.
 */
#include "src/analysis/findings/gathering.h"

#include <inttypes.h>

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
    finding->text = omptape_sentence(state,
                                     "%" PRIu64 " calls of %" PRIu64
                                     " byte%s on average follow the one before without work between, %s in "
                                     "all",
                                     finding->count, bytes, bytes == 1 ? "" : "s",
                                     omptape_time_text(state, (double)finding->waited));
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
