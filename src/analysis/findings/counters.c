/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds regions in which the processor waits for memory or for other reasons, by hardware counters.
 */
#include "src/analysis/findings/counted_functions.h"
#include "src/analysis/findings/gathering.h"

#include <omptape/properties.h>

/* Least number of readings of a region: what was counted between two readings is distributed by time. */
enum { MIN_READINGS = 30 };
static const double many_misses = 10;   /* per 1000 instructions */
static const double few_misses = 2;     /* per 1000 instructions */
static const double many_branches = 10; /* mispredicted, per 1000 instructions */
static const double good_ipc = 1; /* above it misses cost little, because other instructions run meanwhile */
static const double low_ipc = 0.5;
static const double mostly_stalled = 0.5; /* share of the cycles */

/* Rates of a region. A negative value was not counted. */
struct rates {
    double ipc;
    double misses;   /* per 1000 instructions */
    double branches; /* mispredicted branches per 1000 instructions */
    double stalled;  /* share of the cycles, 0 to 1 */
};

static double count_of(const struct omptape_analysis *result, const struct analysis_region *region,
                       const char *name)
{
    const uint32_t number = omptape_counter_number(result, name);
    return number > 0 ? (double)region->counted.sums[number] : -1;
}

static double part_of(double count, double whole, double times)
{
    return count >= 0 && whole > 0 ? times * count / whole : -1;
}

/* Computes a region's rates. False if instructions and cycles were not counted, or with too few readings. */
static bool find_rates(const struct omptape_analysis *result, const struct analysis_region *region,
                       struct rates *rates)
{
    const double cycles = count_of(result, region, "cycles");
    const double instructions = count_of(result, region, "instructions");
    const double misses = count_of(result, region, "cache-misses");
    const double period = omptape_findings_number(result, 0, OMPTAPE_KEY_SAMPLE_PERIOD);
    *rates =
        (struct rates){.ipc = part_of(instructions, cycles, 1),
                       .misses = part_of(misses >= 0 ? misses : count_of(result, region, "LLC-load-misses"),
                                         instructions, 1000),
                       .branches = part_of(count_of(result, region, "branch-misses"), instructions, 1000),
                       .stalled = part_of(count_of(result, region, "stalled-cycles-backend"), cycles, 1)};
    return rates->ipc > 0 && (double)region->counted.sums[0] >= (double)MIN_READINGS * period;
}

static bool waits_for_memory(const struct rates *rates)
{
    return rates->ipc < good_ipc && (rates->misses >= many_misses ||
                                     (rates->misses >= few_misses && rates->stalled >= mostly_stalled));
}

/* Returns true if IPC is low and cache misses are few. Without counted misses the reason is unknown. */
static bool waits_for_itself(const struct rates *rates)
{
    return rates->ipc < low_ipc && rates->misses >= 0 && rates->misses < few_misses;
}

void omptape_findings_add_counted(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    const struct omptape_analysis *result = state->result;
    for (uint32_t i = 0; i < state->regions.count && result->process_count > 0; i++) {
        const struct analysis_region_state *known = state->regions.list[i].value;
        struct rates rates;
        if (!find_rates(result, &known->result, &rates) ||
            (!waits_for_memory(&rates) && !waits_for_itself(&rates)))
            continue;
        struct omptape_finding *finding = omptape_findings_at(
            findings, waits_for_memory(&rates) ? OMPTAPE_FINDING_MEMORY : OMPTAPE_FINDING_LOW_IPC,
            &known->result);
        finding->spent_wall = omptape_whole(known->worked_here / (result->threads > 0 ? result->threads : 1));
        finding->count = known->result.visits.count;
        omptape_findings_set_worst(finding, &known->result.visits);
    }
}

/* Returns ", 31 cache misses in 1000 instructions", or an empty text if it was not counted. */
static const char *describe_rate(struct analysis_state *state, double rate, const char *what)
{
    return rate >= 0 ? omptape_sentence(state, ", %.3g %s in 1000 instructions", rate, what) : "";
}

void omptape_describe_counted(struct analysis_state *state, struct omptape_finding *finding)
{
    struct rates rates;
    if (!find_rates(state->result, finding->region, &rates))
        return;
    const char *why = "threads wait for memory";
    if (finding->kind == OMPTAPE_FINDING_LOW_IPC && rates.branches >= many_branches)
        why = "the processor often starts on the wrong branch";
    else if (finding->kind == OMPTAPE_FINDING_LOW_IPC)
        why =
            "memory is not why: operations take long (divisions, denormal numbers), or wait for each other's "
            "results";
    const char *stalled = rates.stalled >= 0 ? omptape_sentence(state, ", stalled in %.0f %% of the cycles",
                                                                100 * rates.stalled)
                                             : "";
    finding->text = omptape_sentence(
        state, "%s at work, %.2f instructions in a cycle%s%s%s: %s",
        omptape_time_text(state, (double)finding->spent_wall), rates.ipc,
        describe_rate(state, rates.misses, "cache misses"),
        finding->kind == OMPTAPE_FINDING_LOW_IPC ? describe_rate(state, rates.branches, "branch misses") : "",
        stalled, why);
}

const struct analysis_region *omptape_counters_would_explain(const struct omptape_analysis *result)
{
    const struct analysis_region *most = NULL;
    uint64_t all = 0;
    struct rates rates;
    for (uint32_t i = 0; i < result->region_count; i++) {
        const struct analysis_region *region = result->regions[i];
        omptape_add(&all, region->counted.sums[0]);
        if (most == NULL || region->counted.sums[0] > most->counted.sums[0])
            most = region;
    }
    if (most == NULL || most->counted.sums[0] < all / 2 || result->process_count == 0)
        return NULL;
    for (uint32_t i = 0; i < result->finding_count; i++)
        if (result->findings[i].region == most)
            return NULL;
    return find_rates(result, most, &rates) && rates.ipc < good_ipc && rates.misses < 0 ? most : NULL;
}
