/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds loops whose chunks are too small: threads spend their time on taking the next chunk. Called by
 * findings.c.
 *
 * A chunk ends where the next one begins, so the cost of taking a chunk is part of its time. The library
 * measures this cost where it calls the runtime for a chunk itself (libgomp). Otherwise the cost is
 * estimated: about 0.45 us for each chunk of LLVM's shared counter. A finding needs a cost of at least a
 * tenth of the chunk.
 *
 * With many threads the shared counter serves one thread after the other. Each chunk then lasts as long as a
 * whole round of all threads, whatever its work. In this case chunks are taken at even intervals, as fast as
 * the counter's cache line moves between processors.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/loops.h"
#include "src/core/loop_counter.h"

#include <omptape/properties.h>

enum { MIN_CHUNKS = 1000 };

static const double GOOD_PART = 0.1;
static const double MOSTLY_ON_PROCESSORS = 0.8;

/* Returns the time that the loop's threads took on a processor, all together, ns. */
static double time_in(const struct analysis_state *state, const struct analysis_loop *loop)
{
    uint64_t time = 0;
    for (uint32_t i = 0; i < loop->threads; i++)
        omptape_add(&time, loop->thread_list[i].time);
    const double share = omptape_findings_on_processor(state->result);
    return (double)time * state->ns_per_tick * (share < MOSTLY_ON_PROCESSORS ? share : 1);
}

/* Returns the mean time of a chunk in ns; 0 if the loop has no chunks. */
static double mean_chunk(const struct analysis_state *state, const struct analysis_loop *loop)
{
    return loop->chunks > 0 ? time_in(state, loop) / (double)loop->chunks : 0;
}

/* Returns how many threads can take chunks at the same time. The process with the fewest processors counts.
 */
static uint64_t takers(const struct omptape_analysis *result, const struct analysis_loop *loop)
{
    uint64_t most = loop->threads;
    for (uint32_t i = 0; i < result->process_count; i++)
        if (result->processes[i].processors > 0 && result->processes[i].processors < most)
            most = result->processes[i].processors;
    return most > 0 ? most : 1;
}

/* Returns the measured cost of a chunk in ns, as the mean of the processes that measured it; 0 if none did.
 */
static double measured(const struct analysis_state *state)
{
    double sum = 0;
    unsigned count = 0;
    for (uint32_t i = 0; i < state->result->process_count; i++) {
        const double cost = omptape_findings_number(state->result, i, OMPTAPE_KEY_CHUNK_COST);
        sum += cost / 1000;
        count += cost > 0;
    }
    return count > 0 ? sum / count : 0;
}

bool omptape_chunks_are_measured(const struct analysis_state *state)
{
    return measured(state) > 0;
}

/* Returns the cost of taking a chunk: measured or, failing that, estimated, ns. */
static double usual_cost(const struct analysis_state *state)
{
    const double cost = measured(state);
    return cost > 0 ? cost : (double)OMPTAPE_USUAL_CHUNK_NS;
}

static double cost_of(const struct analysis_state *state, double mean)
{
    const double cost = usual_cost(state);
    return cost < 0.9 * mean ? cost : 0.9 * mean;
}

double omptape_chunks_cost(const struct analysis_state *state, const struct analysis_loop *loop)
{
    return cost_of(state, mean_chunk(state, loop));
}

double omptape_chunks_iteration(const struct analysis_state *state, const struct analysis_loop *loop)
{
    const double time = time_in(state, loop);
    const double taking =
        omptape_loop_is_static(loop) ? 0 : (double)loop->chunks * omptape_chunks_cost(state, loop);
    return loop->iterations > 0 ? (time - taking) / (double)loop->iterations : 0;
}

/* Returns true if there was a considerable time in which no thread took a chunk: threads were busy with work.
 */
static bool has_pauses(const struct analysis_state *state, const struct analysis_durations *gaps,
                       unsigned usual)
{
    double pauses_ns = 0;
    for (unsigned bin = usual + 2; bin < ANALYSIS_BINS; bin++)
        pauses_ns += (double)gaps->bins[bin] * (double)((uint64_t)1 << bin);
    return pauses_ns > GOOD_PART / 2 * (double)gaps->sum * state->ns_per_tick;
}

/* Returns true if the loop's threads queue at the counter from which chunks are taken. */
static bool wait_in_turn(const struct analysis_state *state, const struct analysis_loop *loop)
{
    const struct analysis_durations *gaps = &loop->gaps;
    const uint64_t mean = omptape_mean(gaps->sum, gaps->count);
    const unsigned usual = omptape_analysis_bin(state, mean);
    uint64_t less = 0;
    if (gaps->count < OMPTAPE_COUNTER_CHUNKS || loop->threads < OMPTAPE_COUNTER_THREADS ||
        (double)mean * state->ns_per_tick > (double)OMPTAPE_COUNTER_NS)
        return false;
    /* If chunks were taken at random, a quarter of the intervals would be shorter than a third of the mean.
     */
    for (unsigned bin = 0; bin + 1 < usual; bin++)
        less += gaps->bins[bin];
    return less < gaps->count / 10 && !has_pauses(state, gaps, usual);
}

static struct omptape_finding *add(struct analysis_findings *findings, const struct analysis_loop *loop)
{
    struct omptape_finding *finding =
        omptape_findings_at(findings, OMPTAPE_FINDING_FINE_CHUNKS, loop->region);
    finding->count = loop->chunks;
    finding->around = loop->parallel;
    omptape_findings_set_worst(finding, &loop->region->visits);
    return finding;
}

void omptape_findings_add_chunks(struct analysis_findings *findings)
{
    struct analysis_state *state = findings->state;
    for (uint32_t i = 0; i < state->loops.count; i++) {
        const struct analysis_loop *loop = state->loops.list[i].value;
        if (loop->threads < 2 || loop->chunks < MIN_CHUNKS || omptape_loop_is_static(loop))
            continue;
        double mean = mean_chunk(state, loop);
        if (wait_in_turn(state, loop)) {
            /* No gain: the work in a chunk may be anything up to a whole round. */
            add(findings, loop)->spent_wall = loop->wall;
            continue;
        }
        if (mean <= 0 || GOOD_PART * mean > usual_cost(state))
            continue;
        struct omptape_finding *finding = add(findings, loop);
        finding->cost = omptape_whole((double)loop->chunks * cost_of(state, mean) / state->ns_per_tick);
        finding->gain = finding->cost_wall = finding->cost / takers(state->result, loop);
    }
}
