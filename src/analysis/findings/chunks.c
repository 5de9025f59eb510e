/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chunks of loops that are too small: threads spend their time on taking the next one. Called by findings.c.
 *
 * A chunk ends where the next begins, so what taking one costs is in its time and cannot be told from the
 * work. It is estimated: threads that all take chunks from one counter need some 0.45 us for each. A tenth of
 * a chunk is a good part.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/loops.h"

enum { LEAST_CHUNKS = 1000 };

static const double CHUNK_COST_NS = 450;
static const double SMALL_CHUNK_NS = 4500;
static const double MOSTLY_ON_PROCESSORS = 0.8;

/* What the threads took in all, in ns on a processor. */
static double time_in(const struct analysis_state *state, const struct analysis_loop *loop)
{
    uint64_t time = 0;
    for (uint32_t i = 0; i < loop->threads; i++)
        omptape_add(&time, loop->thread_list[i].time);
    const double share = omptape_findings_on_processor(state->result);
    return (double)time * state->ns_per_tick * (share < MOSTLY_ON_PROCESSORS ? share : 1);
}

/* 0: there are none to be taken. */
static double mean_chunk(const struct analysis_state *state, const struct analysis_loop *loop)
{
    return loop->chunks > 0 ? time_in(state, loop) / (double)loop->chunks : 0;
}

/* So many threads can take chunks at once: of each process, as of the one that has the fewest processors. */
static uint64_t takers(const struct omptape_analysis *result, const struct analysis_loop *loop)
{
    uint64_t most = loop->threads;
    for (uint32_t i = 0; i < result->process_count; i++)
        if (result->processes[i].processors > 0 && result->processes[i].processors < most)
            most = result->processes[i].processors;
    return most > 0 ? most : 1;
}

static double cost_of(double mean)
{
    return CHUNK_COST_NS < 0.9 * mean ? CHUNK_COST_NS : 0.9 * mean;
}

double omptape_chunks_cost(const struct analysis_state *state, const struct analysis_loop *loop)
{
    return cost_of(mean_chunk(state, loop));
}

double omptape_chunks_iteration(const struct analysis_state *state, const struct analysis_loop *loop)
{
    const double time = time_in(state, loop);
    const double taking =
        omptape_loop_is_static(loop) ? 0 : (double)loop->chunks * omptape_chunks_cost(state, loop);
    return loop->iterations > 0 ? (time - taking) / (double)loop->iterations : 0;
}

void omptape_findings_add_chunks(struct analysis_findings *findings)
{
    struct analysis_state *state = findings->state;
    for (uint32_t i = 0; i < state->loops.count; i++) {
        const struct analysis_loop *loop = state->loops.list[i].value;
        if (loop->threads < 2 || loop->chunks < LEAST_CHUNKS || omptape_loop_is_static(loop))
            continue;
        double mean = mean_chunk(state, loop);
        if (mean <= 0 || mean > SMALL_CHUNK_NS)
            continue;
        const struct analysis_durations *visits = &loop->region->visits;
        struct omptape_finding *finding =
            omptape_findings_at(findings, OMPTAPE_FINDING_FINE_CHUNKS, loop->region);
        if (finding == NULL)
            return;
        finding->cost = omptape_whole((double)loop->chunks * cost_of(mean) / state->ns_per_tick);
        finding->gain = finding->whole = finding->cost / takers(state->result, loop);
        finding->count = loop->chunks;
        finding->around = loop->parallel;
        finding->worst_begin = visits->longest_begin;
        finding->worst_end = finding->worst_begin + visits->longest;
        finding->worst_location = visits->longest_location;
    }
}
