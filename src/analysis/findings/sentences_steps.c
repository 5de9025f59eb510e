/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the sentences about slow steps, trends, and the phase of a finding. Called by sentences.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"
#include "src/analysis/location.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void omptape_phase_instance(const struct analysis_phase *phase, uint64_t number, const char *of, char *text,
                            size_t bytes)
{
    const bool is_found = omptape_phase_is_detected(phase);
    const int length = is_found ? (int)strcspn(phase->name, " ") : (int)strlen(phase->name);
    snprintf(text, bytes, "%.*s %" PRIu64 "%s%s", length, phase->name, number, of, phase->name + length);
}

/* Writes "time step 37 of 64", or "solver 3 of 8" for phases without step numbers. */
static const char *step_text(const struct analysis_slow *slow, char *text, size_t bytes)
{
    char of[32] = "";
    const uint64_t count = omptape_phase_is_detected(slow->phase) && slow->step->count > 0
                               ? slow->phase->count / slow->step->count
                               : slow->phase->step_count;
    /* Numbers may start above the count, for example at 1000 after a restart; "of" is omitted then. */
    if (slow->step->number <= count)
        snprintf(of, sizeof(of), " of %" PRIu64, count);
    omptape_phase_instance(slow->phase, slow->step->number, of, text, bytes);
    return text;
}

/* Returns "OMP thread 3", or "OMP thread 3 of rank 1" with several processes. */
static const char *thread_text(struct analysis_state *state, uint64_t id)
{
    const struct analysis_location *location = omptape_pairs_get(&state->locations, 0, id);
    if (location == NULL || location->thread == NULL)
        return "a thread";
    return state->result->process_count < 2
               ? location->thread->name
               : omptape_sentence(state, "%s of %s", location->thread->name,
                                  state->result->processes[location->process].name);
}

/* Returns the reason: "OMP thread 3 computes 1.15 s there, 250 ms usually, in f @x.c:4 (98 of 110 samples)".
 */
static const char *reason_text(struct analysis_state *state, const struct analysis_slow *slow)
{
    static const char *const does[OMPTAPE_BUCKET_COUNT] = {[OMPTAPE_BUCKET_COMPUTING] = "compute",
                                                           [OMPTAPE_BUCKET_SERIAL] = "compute",
                                                           [OMPTAPE_BUCKET_RUNNABLE] = "lack",
                                                           [OMPTAPE_BUCKET_BLOCKED] = "sleep"};
    const struct analysis_step *step = slow->step;
    char place[TEXT_BYTES / 4];
    const char *where = "";
    if (slow->bucket == OMPTAPE_BUCKET_COUNT || does[slow->bucket] == NULL)
        return "";
    const struct omptape_definition *context =
        slow->function > 0
            ? omptape_reader_find(state->reader, OMPTAPE_DEF_CALLING_CONTEXT, step->most_context - 1)
            : NULL;
    if (context != NULL) {
        const struct omptape_inside_call call = omptape_inside_call(state->reader, context, NULL);
        where = omptape_sentence(state, ", in %s (%" PRIu64 " of %" PRIu64 " %s)",
                                 omptape_inside_describe(&call, place, sizeof(place)), step->most_there,
                                 step->most_samples,
                                 slow->bucket == OMPTAPE_BUCKET_BLOCKED ? "looks" : "samples");
    }
    const uint64_t part = step->most_parts[slow->bucket];
    const char *here = omptape_time_text(state, (double)(part < step->longest ? part : step->longest));
    const char *usual = slow->usual > 0 ? omptape_time_text(state, (double)slow->usual) : "none";
    return omptape_sentence(
        state, "%s %s%s%s%s %s there%s, %s usually%s",
        slow->is_all ? "all threads" : thread_text(state, step->most_location), does[slow->bucket],
        slow->is_all ? "" : "s", slow->bucket == OMPTAPE_BUCKET_RUNNABLE ? " a processor for" : "",
        slow->is_all ? " up to" : "", here,
        slow->bucket == OMPTAPE_BUCKET_SERIAL ? " outside of parallel regions" : "", usual, where);
}

/* Returns "time step 37 of 64 takes 1.2 s, 4.0 times the median of 300 ms: OMP thread 3 computes...". */
static const char *slow_text(struct analysis_state *state, const struct analysis_slow *slow, bool has_reason)
{
    char which[TEXT_BYTES / 4];
    char inner[TEXT_BYTES / 4];
    const double ratio = (double)slow->step->longest / (double)slow->phase->median;
    const char *reason = has_reason ? "" : reason_text(state, slow);
    const char *text = omptape_sentence(
        state, "%s takes %s, %.*f times the median of %s", step_text(slow, which, sizeof(which)),
        omptape_time_text(state, (double)slow->step->longest), ratio < 10 ? 1 : 0, ratio,
        omptape_time_text(state, (double)slow->phase->median));
    if (slow->inner != NULL)
        text = omptape_sentence(state, "%s, most of it in %s", text,
                                step_text(slow->inner, inner, sizeof(inner)));
    if (reason[0] != '\0')
        text = omptape_sentence(state, "%s: %s", text, reason);
    if (slow->count > 1)
        text = omptape_sentence(state, "%s; %" PRIu64 " such are %s above the median in all", text,
                                slow->count, omptape_time_text(state, (double)slow->excess));
    return text;
}

/* Puts the slow step before the finding's own text. */
void omptape_describe_slow(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_slow *slow = finding->slow;
    const bool is_own = finding->kind == OMPTAPE_FINDING_OUTLIER && finding->outlier == NULL &&
                        finding->region == slow->phase->region;
    const bool has_reason = finding->kind == OMPTAPE_FINDING_BLOCKED && !is_own && slow->next == NULL;
    const char *text = slow_text(state, slow, has_reason);
    if (slow->next != NULL)
        text = omptape_sentence(state, "%s; %s", text, slow_text(state, slow->next, false));
    finding->text = is_own ? text : omptape_sentence(state, "%s; %s", text, finding->text);
}

/* Returns which time of the threads grows most from the first to the last quarter. */
static const char *growth_text(struct analysis_state *state, const struct analysis_phase *phase)
{
    const uint64_t part = phase->comparable_count / OMPTAPE_STEP_QUARTERS;
    enum omptape_bucket found = OMPTAPE_BUCKET_COUNT;
    uint64_t most = 0;
    uint64_t from = 0;
    for (enum omptape_bucket bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        const uint64_t first = omptape_steps_median(phase->comparable, part, omptape_step_part(bucket), 0);
        const uint64_t last = omptape_steps_median(&phase->comparable[phase->comparable_count - part], part,
                                                   omptape_step_part(bucket), 0);
        if (omptape_minus(last, first) <= most)
            continue;
        most = last - first;
        from = first;
        found = bucket;
    }
    if (found == OMPTAPE_BUCKET_COUNT)
        return "";
    return omptape_sentence(state, "; %s grows most, from %s to %s of all threads",
                            omptape_buckets[found].name, omptape_time_text(state, (double)from),
                            omptape_time_text(state, (double)(from + most)));
}

void omptape_describe_trend(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_phase *phase = omptape_analysis_of_region(&state->phases, finding->region);
    const uint64_t part = phase->comparable_count / OMPTAPE_STEP_QUARTERS;
    const size_t offset = offsetof(struct analysis_step, longest);
    const uint64_t first = omptape_steps_median(phase->comparable, part, offset, 0);
    const uint64_t last =
        omptape_steps_median(&phase->comparable[phase->comparable_count - part], part, offset, 0);
    finding->text = omptape_sentence(
        state,
        "it takes longer from one to the next: %s in the first quarter of %" PRIu64 ", %s in the "
        "last one, %s in all%s",
        omptape_time_text(state, (double)first), phase->step_count, omptape_time_text(state, (double)last),
        omptape_time_text(state, (double)finding->spent_wall), growth_text(state, phase));
}

/* Returns the name of the only phase that contains the whole finding, or NULL if there is none or several. */
const char *omptape_finding_phase(const struct analysis_state *state, const struct omptape_finding *finding)
{
    const struct analysis_region *region = finding->around != NULL ? finding->around : finding->region;
    const struct analysis_within *within = NULL;
    if (finding->serial != NULL)
        within = &finding->serial->within;
    else if (region != NULL)
        within = &region->within;
    if (within == NULL || within->first == 0 || within->first != within->last || within->outside > 0)
        return NULL;
    const struct analysis_phase *phase = omptape_pairs_get(&state->phases, 0, within->first - 1);
    return phase != NULL ? phase->region->label : NULL;
}
