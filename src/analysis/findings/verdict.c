/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the overall verdict: the finding with the largest gain, and the threads' shares of the time.
 */
#include "src/analysis/findings/gathering.h"
#include "src/core/buckets.h"

#include <inttypes.h>

/* Returns a sentence with a leading space if a process has more threads than processors; otherwise "". */
static const char *describe_processors(struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    for (uint32_t i = 0; i < result->process_count; i++) {
        const struct analysis_process *process = &result->processes[i];
        if (process->processors > 0 && process->most_threads > process->processors)
            return omptape_sentence(state, " %u threads%s share %" PRIu64 " processor%s.",
                                    process->most_threads, result->process_count > 1 ? " of a process" : "",
                                    process->processors, process->processors == 1 ? "" : "s");
    }
    return "";
}

/* Returns a sentence about the time before the first parallel region, without the tool's start-up, if it is a
 * considerable part. It has a leading space; otherwise "". */
static const char *describe_start(struct analysis_state *state, double wall)
{
    const double good_part = 0.2;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < state->serials.count; i++) {
        const struct analysis_serial *serial = state->serials.list[i].value;
        omptape_add(&sum, serial->after == NULL && serial->before != NULL ? serial->sum : 0);
    }
    const double start =
        (double)omptape_minus(sum, state->result->perturbation.starting) / state->result->at_once;
    return start > good_part * wall
               ? omptape_sentence(state, " %.0f %% of the run is before the first parallel region.",
                                  100 * start / wall)
               : "";
}

/* Returns a sentence for a run that is too short because starting threads dominates; otherwise "". */
static const char *describe_length(struct analysis_state *state, double wall)
{
    const double short_ns = 20e6;
    return wall * state->ns_per_tick < short_ns
               ? omptape_sentence(state, " A run of %s is too short to judge: a larger input shows more.",
                                  omptape_time_text(state, wall))
               : "";
}

/* Returns the threads' shares of computing and serial time, in the words and numbers of the summary. */
static const char *describe_computing(struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    double parts[] = {0, 0};
    double lives = 0;
    for (uint32_t i = 0; i < result->thread_count; i++) {
        const struct analysis_thread *thread = &result->thread_list[i];
        parts[0] += (double)thread->parts[OMPTAPE_BUCKET_COMPUTING];
        parts[1] += (double)thread->parts[OMPTAPE_BUCKET_SERIAL];
        lives += (double)omptape_parts_sum(thread->parts);
    }
    return lives > 0 ? omptape_sentence(state, "Threads' time: computing %.1f %%, serial %.1f %%.",
                                        100 * parts[0] / lives, 100 * parts[1] / lives)
                     : "";
}

uint64_t omptape_finding_wall(const struct omptape_analysis *result)
{
    enum { INVERSE_MIN_SHARE = 20 };
    const uint64_t wall = omptape_minus(result->end, result->begin);
    uint64_t stalled = 0;
    for (uint32_t i = 0; i < result->thread_count; i++)
        if (result->thread_list[i].stalled > stalled)
            stalled = result->thread_list[i].stalled;
    const uint64_t left = omptape_minus(wall, stalled);
    return left > wall / INVERSE_MIN_SHARE ? left : wall / INVERSE_MIN_SHARE;
}

bool omptape_finding_is_little(const struct omptape_analysis *result)
{
    enum { LITTLE_PART = 20 };
    const struct omptape_finding *first = result->findings;
    return result->finding_count == 0 ||
           (first->kind != OMPTAPE_FINDING_HANG && first->spent_wall == 0 &&
            (first->is_slight || first->gain < omptape_finding_wall(result) / LITTLE_PART));
}

void omptape_findings_verdict(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    double wall = (double)omptape_minus(result->end, result->begin);
    if (result->finding_count == 0) {
        result->verdict = result->threads <= result->at_once &&
                                  result->efficiency.lost[ANALYSIS_COMMUNICATION] == 0 &&
                                  result->efficiency.lost[ANALYSIS_MPI_LOAD_BALANCE] == 0
                              ? "Nothing ran in parallel."
                              : omptape_sentence(state, "Nothing stands out. %s%s%s%s",
                                                 describe_computing(state), describe_processors(state),
                                                 describe_start(state, wall), describe_length(state, wall));
        return;
    }
    const struct omptape_finding *first = &result->findings[0];
    if (first->kind == OMPTAPE_FINDING_HANG) {
        result->verdict = omptape_sentence(state, "The program hangs: %s.", first->text);
        return;
    }
    const char *place = first->region != NULL   ? first->region->shown
                        : first->before != NULL ? first->before->shown
                                                : "the program";
    const char *where = first->serial == NULL   ? ""
                        : first->region != NULL ? "after "
                        : first->before != NULL ? "before "
                                                : "";
    if (first->gain == 0) {
        result->verdict = omptape_sentence(state, "Most time goes to %s: %s%s, %s (%.0f %%). %s%s",
                                           omptape_finding_name(first->kind), where, place,
                                           omptape_time_text(state, (double)first->spent_wall),
                                           wall > 0 ? 100 * (double)first->spent_wall / wall : 0,
                                           describe_computing(state), describe_processors(state));
        return;
    }
    result->verdict = omptape_sentence(
        state, "%s to %s%s: %s%s, %s%s (%.0f %%) to win. %s%s",
        omptape_finding_is_little(result) ? "Little is lost, most of it" : "Most is lost",
        omptape_finding_article(first->kind), omptape_finding_name(first->kind), where, place,
        omptape_finding_before_gain(first), omptape_time_text(state, (double)first->gain),
        wall > 0 ? 100 * (double)first->gain / wall : 0, describe_computing(state),
        first->kind == OMPTAPE_FINDING_OVERSUBSCRIPTION ? "" : describe_processors(state));
}
