/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the cost of tracing in this run (analysis.h), so that findings can exclude it: a gain must hold
 * for the untraced program. Called by results.c.
 *
 * The library measures the cost of some records of each thread, from reading the clock to the end. The time
 * between two records includes one such cost. If all processors are busy, the writer has none of its own: its
 * processor time is run-queue time of the threads.
 */
#include "src/analysis/findings/gathering.h"

#include <omptape/properties.h>

static double ticks_queued(const struct analysis_state *state)
{
    double ns = 0;
    for (uint32_t i = 0; i < state->result->thread_count; i++)
        ns += (double)state->result->thread_list[i].queued_ns;
    return ns / state->ns_per_tick;
}

/* Returns the time of the threads without a processor. A thread has none while the kernel records that it
 * left it, so that recording switches hardly takes longer. */
static double ticks_without_processor(const struct analysis_state *state)
{
    double ticks = 0;
    for (uint32_t i = 0; i < state->result->thread_count; i++) {
        const struct analysis_thread *thread = &state->result->thread_list[i];
        const double ran = (double)thread->running_ns / state->ns_per_tick;
        const double lived = (double)omptape_parts_sum(thread->parts);
        ticks += ran < lived ? lived - ran : 0;
    }
    return ticks;
}

void omptape_analysis_perturbation(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    struct analysis_perturbation *tracing = &result->perturbation;
    const double ticks = 1 / state->ns_per_tick;
    double records = 0;
    double recording = 0;
    double writing = 0;
    double switching = 0;
    double starting = 0;
    for (uint32_t i = 0; i < result->process_count; i++) {
        const struct analysis_process *process = &result->processes[i];
        double ran = omptape_findings_number(result, i, OMPTAPE_KEY_DURATION) * ticks;
        double part = ran > 0 ? (double)omptape_minus(process->end, process->begin) / ran : 0;
        part = part < 1 ? part : 1;
        double cost = omptape_findings_number(result, i, OMPTAPE_KEY_RECORD_COST) / 1000;
        double made = part * omptape_findings_number(result, i, OMPTAPE_KEY_RECORDS);
        if (cost > 0)
            records += made;
        recording += made * cost * ticks;
        writing += part * ticks * omptape_findings_number(result, i, OMPTAPE_KEY_WRITER_TIME);
        switching += part * ticks * omptape_findings_number(result, i, OMPTAPE_KEY_SWITCH_TIME);
        starting += ticks * omptape_findings_number(result, i, "INFO::START_NS");
    }
    double queued = ticks_queued(state);
    double without = ticks_without_processor(state);
    tracing->record = records > 0 ? recording / records : 0;
    tracing->recording = omptape_whole(recording);
    tracing->writing = omptape_whole(writing);
    tracing->switching = omptape_whole(switching < without ? switching : without);
    tracing->starting = omptape_whole(starting);
    tracing->queued = omptape_whole(queued);
    tracing->of_queue = queued > 0 ? writing / queued : 0;
    tracing->of_queue = tracing->of_queue < 1 ? tracing->of_queue : 1;
}

uint64_t omptape_findings_without(const struct analysis_state *state, uint64_t gain, double records)
{
    double own = records * state->result->perturbation.record;
    return omptape_minus(gain, omptape_whole(own));
}
