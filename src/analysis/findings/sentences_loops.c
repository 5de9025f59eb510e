/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the sentences about loops and sections with unequal threads, and about chunks that are too small.
 * Called by sentences.c.
 *
 * A proposal names the chunk size: one iteration at a time may cost a hundred times its work.
 */
#include "src/analysis/causes.h"
#include "src/analysis/findings/gathering.h"
#include "src/analysis/location.h"
#include "src/analysis/loops.h"
#include "src/analysis/tasks.h"

#include <inttypes.h>

/* A chunk should take CHUNK_NS, about a hundred times the cost of getting one. In a short loop it is smaller,
 * so that each thread has CHUNKS of them, but at least SHORT_CHUNK_NS. */
enum { CHUNK_NS = 50000, SHORT_CHUNK_NS = 5000, CHUNKS = 8 };

/* Returns " (OMP thread 3)", or "". */
static const char *thread_text(const struct analysis_state *state, uint64_t id)
{
    const char *name = omptape_findings_thread_name(state, id);
    return name != NULL ? omptape_sentence(state, " (%s)", name) : "";
}

/* Returns the largest of 1, 2, 5, 10, 20... that is not above `number`. */
static uint64_t round_number(double number)
{
    static const unsigned steps[] = {5, 2};
    uint64_t power = 1;
    while ((double)power * 10 <= number)
        power *= 10;
    for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if ((double)(power * steps[i]) <= number)
            return power * steps[i];
    return power;
}

/* Returns the proposed chunk size in iterations, at most `most`; 0 if unknown or if the loop is too short. */
static uint64_t chunk_size(const struct analysis_state *state, const struct analysis_loop *loop, double most)
{
    const double iteration = omptape_chunks_iteration(state, loop);
    const double each = loop->instances > 0 ? (double)loop->iterations / (double)loop->instances : 0;
    if (iteration <= 0 || loop->threads == 0)
        return 0;
    double size = (double)CHUNK_NS / iteration;
    const double share = each / (double)CHUNKS / loop->threads;
    size = size < share ? size : share;
    size = size < most ? size : most;
    if (size < 1)
        size = 1;
    return size <= most && size * iteration >= (double)SHORT_CHUNK_NS ? round_number(size) : 0;
}

/* True if a thread took much longer in a few instances only. Unequal iterations would show in all of them. */
static bool is_rare(const struct analysis_loop *loop)
{
    enum { MIN = 20, PART = 4 };
    const uint64_t lost = omptape_minus(loop->wall, loop->mean);
    return loop->instances >= MIN && loop->late_instances <= loop->instances / PART &&
           loop->lost_late >= lost - lost / PART;
}

/* Returns the wall time that one instance loses if interruptions may explain it: one of a few late instances,
 * or the one that loses most. Returns UINT64_MAX if they cannot. */
static uint64_t lost_in_one(const struct analysis_loop *loop)
{
    const uint64_t lost = omptape_minus(loop->wall, loop->mean);
    const bool is_shared_out = loop->reason == ANALYSIS_LOOP_FEW || loop->reason == ANALYSIS_LOOP_ITERATIONS;
    if (is_rare(loop) && loop->late_instances > 0)
        return loop->lost_late / loop->late_instances;
    return !is_shared_out && loop->lost_worst >= lost - lost / 4 ? loop->lost_worst : UINT64_MAX;
}

bool omptape_findings_is_slight(const struct analysis_state *state, const struct omptape_finding *finding)
{
    const double interruption_ns = 10e6;
    const uint64_t wall = omptape_minus(state->result->end, state->result->begin);
    const struct analysis_loop *loop = finding->kind == OMPTAPE_FINDING_IMBALANCE
                                           ? omptape_analysis_of_region(&state->loops, finding->region)
                                           : NULL;
    return loop != NULL && finding->gain < wall / 10 &&
           (double)lost_in_one(loop) * state->ns_per_tick < interruption_ns;
}

/* Returns true if missing processors cause more of the waiting than the thread's work. */
static bool is_lack(const struct analysis_state *state, const struct omptape_finding *finding)
{
    return omptape_analysis_preemption_wall(state, finding->region) / state->result->at_once > finding->gain;
}

/* Returns true if the awaited thread slept for a considerable part: input, output, or a lock that is not
 * OpenMP's. The sleep is its time at work minus running and run-queue time. */
static bool is_blocked(const struct analysis_state *state, const struct omptape_finding *finding)
{
    const struct analysis_location *location =
        omptape_pairs_get(&state->locations, 0, finding->worst.location);
    const struct analysis_thread *thread = location != NULL ? location->thread : NULL;
    if (thread == NULL || thread->reading_ticks == 0)
        return false;
    const double ran = (double)(thread->running_ns + thread->queued_work_ns) / state->ns_per_tick;
    const double worked =
        (double)thread->parts[OMPTAPE_BUCKET_COMPUTING] + (double)thread->parts[OMPTAPE_BUCKET_SERIAL];
    return worked - ran > (double)finding->gain / 2;
}

/* True if another distribution of the work would help. It does not if the thread had no processor or
 * slept. */
static bool is_of_work(const struct analysis_state *state, const struct omptape_finding *finding)
{
    return !is_lack(state, finding) && !is_blocked(state, finding);
}

/* Returns what the threads' iterations show about a loop. */
static const char *loop_facts(const struct analysis_state *state, const struct analysis_loop *loop)
{
    const double each = (double)loop->iterations / (double)loop->instances;
    const double chunks = (double)loop->chunks / (double)loop->instances;
    const double iteration = omptape_chunks_iteration(state, loop);
    if (is_rare(loop))
        return omptape_sentence(state,
                                "in %" PRIu64 " of %" PRIu64
                                " instances one thread takes much longer, in the others none: ",
                                loop->late_instances, loop->instances);
    switch (loop->reason) {
    case ANALYSIS_LOOP_FEW:
        return omptape_sentence(state, "%.0f iteration%s for %u threads: ", each, each < 1.5 ? "" : "s",
                                loop->threads);
    case ANALYSIS_LOOP_ITERATIONS:
        return omptape_sentence(state, "%.0f iterations are shared out unequally, in %.0f chunk%s: ", each,
                                chunks, chunks < 1.5 ? "" : "s");
    case ANALYSIS_LOOP_COST:
        return omptape_sentence(state, "the cost of its %.0f iterations (%s on average) is unequal: ", each,
                                omptape_time_text(state, iteration / state->ns_per_tick));
    default:
        return loop->region->kind == OMPTAPE_REGION_SECTIONS && loop->iterations > 0
                   ? omptape_sentence(state, "%.0f section%s for %u threads: ", each, each < 1.5 ? "" : "s",
                                      loop->threads)
                   : "";
    }
}

/* Proposes smaller chunks for a dynamic loop, if possible. */
static const char *describe_smaller(struct analysis_state *state, const struct analysis_loop *loop)
{
    const double mean = loop->chunks > 0 ? (double)loop->iterations / (double)loop->chunks : 0;
    const uint64_t size = chunk_size(state, loop, mean / 2);
    return size > 0 ? omptape_sentence(state, "smaller chunks: schedule(dynamic, %" PRIu64 ")", size)
                    : "the longest iterations first, or split them";
}

static const char *loop_proposal(struct analysis_state *state, const struct omptape_finding *finding,
                                 const struct analysis_loop *loop)
{
    bool few = loop->iterations > 0 && loop->iterations < 4 * loop->threads * loop->instances;
    if (!is_of_work(state, finding))
        return "";
    if (finding->is_slight)
        return "";
    if (is_rare(loop))
        return "find out what these instances do beside their iterations: a pause, input or output";
    if (loop->region->kind == OMPTAPE_REGION_SECTIONS)
        return "sections of equal cost, or tasks";
    if (loop->reason == ANALYSIS_LOOP_FEW || (loop->reason == ANALYSIS_LOOP_COST && few))
        return "more and smaller parts: blocks of the loop within, or collapse() with it where one of its "
               "iterations takes 0.1 us or more";
    if (!omptape_loop_is_static(loop))
        return describe_smaller(state, loop);
    if (loop->reason == ANALYSIS_LOOP_ITERATIONS)
        return "schedule(static) without a chunk size";
    const uint64_t size = chunk_size(state, loop, (double)loop->iterations);
    return size > 0 ? omptape_sentence(state, "schedule(dynamic, %" PRIu64 "), or parts of equal cost", size)
                    : "parts of equal cost";
}

/* Returns true if the loss is within the usual variation of threads: nothing is proposed. */
static bool is_usual(const struct analysis_state *state, const struct omptape_finding *finding)
{
    const double usual_share = 0.03;
    const uint64_t wall = omptape_minus(state->result->end, state->result->begin);
    return (double)finding->gain < usual_share * (double)wall;
}

static void describe_imbalance(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_loop *loop = omptape_analysis_of_region(&state->loops, finding->region);
    enum omptape_region_kind kind = finding->region->kind;
    const char *waited = omptape_time_text(state, (double)finding->waited);
    if (loop != NULL && loop->mean > 0 && loop->wall > loop->mean) {
        finding->text = omptape_sentence(
            state, "%sthe slowest thread%s computes %.1f times the mean; the others wait %s in all",
            loop_facts(state, loop), thread_text(state, loop->slowest),
            (double)loop->wall / (double)loop->mean, waited);
        if (finding->is_slight)
            finding->text =
                omptape_sentence(state, "%s; interruptions of the processor take as long", finding->text);
        finding->proposal = loop_proposal(state, finding, loop);
        return;
    }
    finding->text =
        omptape_sentence(state, "at %s barrier%s threads wait %s in all for one that does more %s",
                         omptape_count_text(state, finding->count), finding->count == 1 ? "" : "s", waited,
                         omptape_region_is_barrier(kind) ? "before" : "here");
    const double each = finding->count > 0 ? (double)finding->waited / (double)finding->count : 0;
    if (!is_of_work(state, finding))
        finding->proposal = "";
    else if (each * state->ns_per_tick >= 2 * CHUNK_NS)
        finding->proposal = "share the work out evenly, or let threads take it in parts of some 50 us";
    else
        finding->proposal = "share the work out evenly";
    if (kind == OMPTAPE_REGION_TASK || kind == OMPTAPE_REGION_TASK_UNTIED)
        omptape_describe_tasks(state, finding);
}

void omptape_describe_imbalance(struct analysis_state *state, struct omptape_finding *finding)
{
    describe_imbalance(state, finding);
    if (is_usual(state, finding))
        finding->proposal = "";
}

/* The work in a chunk is unknown here, so each thread gets CHUNKS chunks, which balances the load. */
static void describe_in_turn(struct analysis_state *state, const struct analysis_loop *loop,
                             struct omptape_finding *finding)
{
    const double share =
        (double)loop->iterations / (double)loop->instances / (double)CHUNKS / (double)loop->threads;
    const char *gap = omptape_time_text(state, (double)loop->gaps.sum / (double)loop->gaps.count);
    const char *time = omptape_time_text(state, (double)loop->mean * loop->threads / (double)loop->chunks);
    finding->text = omptape_sentence(
        state,
        "%u threads take %s chunks of %.0f iteration%s one after the other, evenly, one each %s: of the "
        "%s of a chunk a thread may wait for its turn most of the time",
        loop->threads, omptape_count_text(state, loop->chunks),
        (double)loop->iterations / (double)loop->chunks, loop->iterations < 3 * loop->chunks / 2 ? "" : "s",
        gap, time);
    if (share * (double)loop->chunks >= 2 * (double)loop->iterations)
        finding->proposal =
            omptape_sentence(state, "larger chunks: schedule(dynamic, %" PRIu64 ")", round_number(share));
}

void omptape_describe_chunks(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_loop *loop = omptape_analysis_of_region(&state->loops, finding->region);
    if (loop == NULL)
        return;
    if (finding->spent_wall > 0) {
        describe_in_turn(state, loop, finding);
        return;
    }
    const uint64_t size = chunk_size(state, loop, (double)loop->iterations);
    const char *cost = omptape_time_text(state, omptape_chunks_cost(state, loop) / state->ns_per_tick);
    const char *time = omptape_time_text(state, (double)loop->mean * loop->threads / (double)loop->chunks);
    finding->text = omptape_sentence(
        state, "%s chunks of %.0f iteration%s take %s each, of which about %s to get it (%s)",
        omptape_count_text(state, loop->chunks), (double)loop->iterations / (double)loop->chunks,
        loop->iterations < 3 * loop->chunks / 2 ? "" : "s", time, cost,
        omptape_chunks_are_measured(state) ? "measured" : "estimated");
    if (size > 0 && (double)size * (double)loop->chunks >= 2 * (double)loop->iterations)
        finding->proposal = omptape_sentence(state, "larger chunks: schedule(dynamic, %" PRIu64 ")", size);
}
