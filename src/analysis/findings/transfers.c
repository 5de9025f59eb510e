/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds data transfers to and from devices that are small, or that repeat unchanged data. Called by
 * findings.c.
 */
#include "src/analysis/findings/gathering.h"

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
