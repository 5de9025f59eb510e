/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Histograms of durations: what each visit, task and wait is counted by (state.h), and what is read from
 * them.
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

/* From the shortest to the longest of an entry's durations is less than a factor of two: two bins at most. */
void omptape_durations_list_bins(struct analysis_bin bins[64], double ns_per_tick)
{
    for (unsigned i = 0; i < 64; i++) {
        uint64_t low = UINT64_C(1) << i;
        uint64_t high = low + (low - 1);
        unsigned bin = omptape_durations_bin(low, ns_per_tick);
        bool is_one = omptape_durations_bin(high, ns_per_tick) == bin;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            if (omptape_durations_bin(middle, ns_per_tick) > bin)
                high = middle;
            else
                low = middle + 1;
        }
        bins[i] = (struct analysis_bin){.limit = is_one ? UINT64_MAX : high, .bin = bin};
    }
}

uint64_t omptape_durations_median(const struct analysis_durations *durations, uint64_t clock_resolution)
{
    uint64_t seen = 0;
    if (durations->count == 1 || durations->count == 2) /* no need to estimate it */
        return durations->sum / durations->count;
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
