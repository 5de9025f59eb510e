/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds serial parts: time in which one thread works and the others have no parallel region.
 */
#include "src/analysis/findings/gathering.h"

/* Returns true if the serial part between two tiny regions is not longer than the way from one region to the
 * next. Joining the regions then removes the serial part as well. */
static bool is_within_tiny(const struct analysis_state *state, const struct analysis_serial *serial)
{
    const struct analysis_parallel *after = omptape_analysis_of_region(&state->parallels, serial->after);
    const struct analysis_parallel *before = omptape_analysis_of_region(&state->parallels, serial->before);
    if (after == NULL || before == NULL || after->tiny_with == NULL || before->tiny_with == NULL)
        return false;
    const uint64_t way = omptape_mean(omptape_minus(before->wall, before->useful), before->instances);
    return omptape_mean(serial->sum, serial->count) <
           (way > state->short_idle / 5 ? way : state->short_idle / 5);
}

/* Returns the share of the serial parts' time in which their thread had a processor and was outside the
 * kernel. `in_kernel` is the time that other findings have. The remaining time would not shrink with more
 * threads. */
static double part_at_work(const struct omptape_analysis *result, double in_kernel)
{
    double serial = 0;
    double queued = 0;
    for (uint32_t i = 0; i < result->process_count; i++) {
        serial += (double)result->processes[i].serial;
        queued += (double)result->processes[i].serial_queued;
    }
    queued += in_kernel;
    return queued < serial ? 1 - queued / serial : serial > 0 ? 0 : 1;
}

/* Returns the part of the tool's start-up time in those processes whose first serial part this is. */
static uint64_t start_in(const struct analysis_state *state, const struct analysis_serial *serial)
{
    uint64_t processes = state->result->process_count;
    uint64_t starting = state->result->perturbation.starting;
    if (serial->after != NULL || state->windowed)
        return 0;
    return serial->count < processes ? omptape_analysis_part(starting, serial->count, processes) : starting;
}

/* Returns the work of a serial part without the tool's start-up time, which precedes the first region.
 * `blocked` excludes that time already. */
static uint64_t work_of(const struct analysis_state *state, const struct analysis_serial *serial,
                        double at_work)
{
    uint64_t work = omptape_whole((double)omptape_minus(serial->sum, serial->blocked) * at_work *
                                  omptape_findings_before_fork(serial));
    uint64_t start = start_in(state, serial);
    return omptape_minus(work, start);
}

/* Returns true if the first serial part is no longer than a process needs to load its libraries and to begin.
 */
static bool is_process_start(const struct analysis_state *state, const struct analysis_serial *serial,
                             uint64_t work)
{
    const double start_ns = 3e6;
    return serial->after == NULL && serial->before != NULL && !state->windowed &&
           (double)work * state->ns_per_tick < start_ns * (double)serial->count;
}

void omptape_findings_add_serials(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    const struct omptape_analysis *result = state->result;
    const double threads = omptape_analysis_mean_threads(result);
    double at_work = part_at_work(result, findings->serial_in_kernel);
    for (uint32_t i = 0; i < state->serials.count && threads > 1 && !result->serial_unknown; i++) {
        const struct analysis_serial *serial = state->serials.list[i].value;
        const uint64_t work = work_of(state, serial, at_work);
        if (is_within_tiny(state, serial) || is_process_start(state, serial, work))
            continue;
        struct omptape_finding *finding =
            omptape_findings_add_serial(findings, OMPTAPE_FINDING_SERIAL, serial);
        omptape_findings_set_cost(finding, work, work - omptape_whole((double)work / threads));
        finding->waited = omptape_whole((double)work * (threads - 1));
    }
}
