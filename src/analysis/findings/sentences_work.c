/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What findings say of work that is shared out badly: loops, tasks, tiny regions. Called by sentences.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/location.h"
#include "src/analysis/loops.h"
#include "src/analysis/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Tasks that cost more than they do: `cost` of each part. Untied ones are often put aside where they create
 * others, so that one that only creates has many parts. */
static void say_fine(struct analysis_state *state, struct omptape_finding *finding,
                     const struct analysis_tasks *tasks, const char *cost)
{
    uint64_t count = omptape_tasks_executed(tasks);
    uint64_t parts = tasks->grain.count;
    char grain[TIME_BYTES];
    omptape_time_text(state, (double)tasks->grain.sum / (double)parts, grain);
    if (parts / 2 < count) {
        finding->text = omptape_sentence(
            state, "%" PRIu64 " tasks of %s each%s; to create, find and switch to one takes %s", count, grain,
            finding->elsewhere > 0 ? ", and others in this function" : "", cost);
        return;
    }
    finding->text = omptape_sentence(state,
                                     "%" PRIu64 " untied task%s put aside and taken up again: %" PRIu64
                                     " parts of %s each; to create, find and switch to one takes %s",
                                     count, count == 1 ? " is" : "s are", parts, grain, cost);
    finding->proposal = "without untied; or fewer and larger tasks";
}

void omptape_say_tasks(struct analysis_state *state, struct omptape_finding *finding)
{
    char grain[TIME_BYTES];
    char cost[TIME_BYTES];
    char waited[TIME_BYTES];
    omptape_time_text(state, (double)finding->waited, waited);
    for (uint32_t i = 0; i < state->task_sites.count; i++) {
        const struct analysis_task_site *site = state->task_sites.list[i].value;
        if (site->result.region != finding->region || site->result.grain.count == 0)
            continue;
        uint64_t count = omptape_tasks_executed(&site->result);
        omptape_time_text(state, (double)site->result.grain.sum / (double)count, grain);
        omptape_time_text(
            state, (double)(site->result.creation + site->result.handling) / (double)site->result.grain.count,
            cost);
        if (finding->kind == OMPTAPE_FINDING_FINE_TASKS) {
            say_fine(state, finding, &site->result, cost);
        } else if (finding->kind == OMPTAPE_FINDING_IMBALANCE) {
            omptape_time_text(state, (double)site->result.grain.longest, cost);
            finding->text = omptape_sentence(
                state, "a task takes %s on average, the longest %s: threads wait %s in all for the last ones",
                grain, cost, waited);
            finding->proposal = "split the longest tasks, or create them first";
        } else if (omptape_tasks_are_chain(&site->result)) {
            finding->text =
                omptape_sentence(state,
                                 "%" PRIu64 " tasks of %s run one after another while threads wait %s in all "
                                 "for one that they may begin",
                                 count, grain, waited);
        } else if (count == 1) {
            finding->text = omptape_sentence(state, "one task of %s: threads wait %s in all while it runs",
                                             grain, waited);
            finding->proposal = "split it, or let it begin earlier";
        } else {
            finding->text = omptape_sentence(
                state,
                "%" PRIu64 " tasks of %s, too few at a time: threads wait %s in all while the "
                "last ones run",
                count, grain, waited);
            finding->proposal = "more and smaller tasks before they are waited for";
        }
        return;
    }
}

/* " (OMP thread 3)", or "". */
static const char *thread_text(const struct analysis_state *state, uint64_t id, char *text, size_t bytes)
{
    const struct analysis_location *location = omptape_pairs_get(&state->locations, 0, id);
    text[0] = '\0';
    if (location != NULL && location->thread != NULL)
        snprintf(text, bytes, " (%s)", location->thread->name);
    return text;
}

/* What the threads' iterations say of a loop. */
static const char *loop_facts(const struct analysis_loop *loop, char *text, size_t bytes)
{
    double each = (double)loop->iterations / (double)loop->instances;
    text[0] = '\0';
    switch (loop->reason) {
    case ANALYSIS_LOOP_FEW:
        snprintf(text, bytes, "%.0f iteration%s for %u threads: ", each, each < 1.5 ? "" : "s",
                 loop->threads);
        break;
    case ANALYSIS_LOOP_ITERATIONS:
        snprintf(text, bytes, "%.0f iterations are shared out unequally, in %.0f chunks: ", each,
                 (double)loop->chunks / (double)loop->instances);
        break;
    case ANALYSIS_LOOP_COST:
        snprintf(text, bytes, "the cost of its %.0f iterations is unequal: ", each);
        break;
    default:
        if (loop->region->kind == OMPTAPE_REGION_SECTIONS && loop->iterations > 0)
            snprintf(text, bytes, "%.0f sections for %u threads: ", each, loop->threads);
        break;
    }
    return text;
}

static const char *loop_proposal(const struct analysis_loop *loop)
{
    bool is_static = omptape_loop_is_static(loop);
    bool few = loop->iterations > 0 && loop->iterations < 4 * loop->threads * loop->instances;
    if (loop->region->kind == OMPTAPE_REGION_SECTIONS)
        return "sections of equal cost, or tasks";
    if (loop->reason == ANALYSIS_LOOP_FEW || (loop->reason == ANALYSIS_LOOP_COST && few))
        return "more and smaller parts: collapse() with the loop within, or share that one out";
    if (!is_static && loop->chunks > 0 && loop->chunks == loop->iterations)
        return "the longest iterations first, or split them";
    if (!is_static)
        return "smaller chunks, as with schedule(dynamic, 1)";
    if (loop->reason == ANALYSIS_LOOP_ITERATIONS)
        return "schedule(static) without a chunk size, or smaller chunks";
    return "schedule(dynamic) or schedule(guided), or parts of equal cost";
}

void omptape_say_imbalance(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_loop *loop = omptape_pairs_get(&state->loops, 0, finding->region->definition->id);
    enum omptape_region_kind kind = finding->region->kind;
    char waited[TIME_BYTES];
    char facts[TEXT_BYTES / 4];
    char thread[TEXT_BYTES / 4];
    omptape_time_text(state, (double)finding->waited, waited);
    if (loop != NULL && loop->mean > 0 && loop->wall > loop->mean) {
        finding->text = omptape_sentence(
            state, "%sthe slowest thread%s computes %.1f times the mean; the others wait %s in all",
            loop_facts(loop, facts, sizeof(facts)), thread_text(state, loop->slowest, thread, sizeof(thread)),
            (double)loop->wall / (double)loop->mean, waited);
        finding->proposal = loop_proposal(loop);
        return;
    }
    finding->text = omptape_sentence(
        state, "at %" PRIu64 " barrier%s threads wait %s in all for one that does more %s", finding->count,
        finding->count == 1 ? "" : "s", waited, omptape_region_is_barrier(kind) ? "before" : "here");
    finding->proposal = "share the work out evenly, or let threads take it in small parts";
    if (kind == OMPTAPE_REGION_TASK || kind == OMPTAPE_REGION_TASK_UNTIED)
        omptape_say_tasks(state, finding);
}

void omptape_say_tiny(struct analysis_state *state, struct omptape_finding *finding)
{
    char time[TIME_BYTES];
    char each[TIME_BYTES];
    struct analysis_parallel sum = {0};
    uint32_t places = 0;
    bool one_function = finding->region->function[0] != '\0';
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        if (parallel->tiny_with != finding->region)
            continue;
        places++;
        omptape_add(&sum.instances, parallel->instances);
        omptape_add(&sum.wall, parallel->wall);
        omptape_add(&sum.useful, parallel->useful);
        one_function = one_function && strcmp(parallel->region->function, finding->region->function) == 0;
    }
    if (places == 0) {
        finding->text =
            omptape_sentence(state, "threads begin late after the fork; the others wait %s in all",
                             omptape_time_text(state, (double)finding->waited, time));
        finding->proposal = "";
        return;
    }
    omptape_time_text(state, (double)sum.wall / (double)sum.instances, time);
    omptape_time_text(state, (double)sum.useful / (double)sum.instances, each);
    if (places == 1)
        finding->text =
            omptape_sentence(state, "%" PRIu64 " instances take %s each for %s of work in each thread",
                             sum.instances, time, each);
    else
        finding->text = omptape_sentence(
            state,
            "%" PRIu64 " instances of %u tiny regions%s%s take %s each for %s of work in each thread; this "
            "one costs most",
            sum.instances, places, one_function ? " in " : "", one_function ? finding->region->function : "",
            time, each);
}

void omptape_say_chunks(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_loop *loop = omptape_pairs_get(&state->loops, 0, finding->region->definition->id);
    char cost[TIME_BYTES];
    char time[TIME_BYTES];
    if (loop == NULL)
        return;
    omptape_time_text(state, omptape_chunks_cost(state, loop) / state->ns_per_tick, cost);
    omptape_time_text(state, (double)loop->mean * loop->threads / (double)loop->chunks, time);
    finding->text = omptape_sentence(
        state, "%" PRIu64 " chunks of %.0f iteration%s take %s each, of which about %s to get it",
        loop->chunks, (double)loop->iterations / (double)loop->chunks,
        loop->iterations < 3 * loop->chunks / 2 ? "" : "s", time, cost);
}
