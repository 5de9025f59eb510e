/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums and histograms of durations. Called for each visit, task and wait.
 */
#include "src/analysis/analysis.h"
#include "src/analysis/state.h"

unsigned omptape_durations_bin(uint64_t ticks, double ns_per_tick)
{
    double ns = (double)ticks * ns_per_tick;
    uint64_t whole = ns < 1 ? 1 : ns > 1e18 ? (uint64_t)1e18 : (uint64_t)ns;
    unsigned bin = 63 - (unsigned)__builtin_clzll(whole);
    return bin < ANALYSIS_BINS ? bin : ANALYSIS_BINS - 1;
}

void omptape_analysis_count(const struct analysis_state *state, struct analysis_durations *durations,
                            uint64_t ticks, uint64_t begin, uint64_t location)
{
    if (!state->inside)
        return;
    durations->count++;
    durations->sum += ticks;
    durations->bins[omptape_durations_bin(ticks, state->ns_per_tick)]++;
    if (ticks >= durations->longest) {
        durations->longest = ticks;
        durations->longest_begin = begin;
        durations->longest_location = location;
    }
}

uint64_t omptape_durations_median(const struct analysis_durations *durations, uint64_t clock_resolution)
{
    uint64_t seen = 0;
    for (unsigned bin = 0; bin < ANALYSIS_BINS; bin++) {
        seen += durations->bins[bin];
        if (2 * seen >= durations->count && durations->count > 0) {
            /* As if they lay evenly in the bin. */
            uint64_t inside = durations->bins[bin];
            double part = 1 - ((double)seen - (double)durations->count / 2) / (double)inside;
            double ns = (double)((uint64_t)1 << bin) * (1 + part);
            double ticks = ns * (double)clock_resolution / 1e9;
            return ticks < (double)durations->longest ? (uint64_t)ticks : durations->longest;
        }
    }
    return 0;
}

double omptape_analysis_seconds(const struct omptape_analysis *analysis, uint64_t ticks)
{
    uint64_t resolution = analysis->reader->clock_resolution;
    return (double)ticks / (resolution > 0 ? (double)resolution : 1e9);
}
