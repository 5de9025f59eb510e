/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes all results of the analysis with the names in docs/report.md (--json, --csv). Called by report.c.
 */
#include "src/command/report/numbers.h"
#include "src/command/report/state.h"
#include "src/core/whole.h"

#include <omptape/properties.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>

enum { FORMAT_VERSION = 1 };

void report_tell_factors(struct report_tree *tree, const struct analysis_efficiency *efficiency)
{
    report_tree_number(tree, "parallel", efficiency->parallel);
    report_tree_number(tree, "communication", efficiency->communication);
    report_tree_number(tree, "load_balance", efficiency->load_balance);
    report_tree_number(tree, "serialisation", efficiency->serialisation);
    report_tree_number(tree, "management", efficiency->management);
    report_tree_number(tree, "blocked", efficiency->blocked);
    report_tree_number(tree, "processor", efficiency->processor);
}

static void tell_efficiency(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    const struct analysis_efficiency *efficiency = &analysis->efficiency;
    report_tree_object(tree, "efficiency");
    report_tell_factors(tree, efficiency);
    report_tell_seconds(tree, analysis, "available_s", efficiency->available);
    report_tell_seconds(tree, analysis, "lost_to_communication_s", efficiency->lost_to_communication);
    report_tell_seconds(tree, analysis, "lost_to_load_balance_s", efficiency->lost_to_load_balance);
    report_tell_seconds(tree, analysis, "lost_to_serialisation_s", efficiency->lost_to_serialisation);
    report_tell_seconds(tree, analysis, "lost_to_management_s", efficiency->lost_to_management);
    report_tell_seconds(tree, analysis, "lost_to_blocked_s", efficiency->lost_to_blocked);
    report_tell_seconds(tree, analysis, "lost_to_processor_s", efficiency->lost_to_processor);
    report_tree_end(tree);
}

static void tell_tracing(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    const struct analysis_perturbation *tracing = &analysis->perturbation;
    double resolution = (double)analysis->reader->clock_resolution;
    report_tree_object(tree, "tracing");
    report_tree_number(tree, "record_ns", resolution > 0 ? 1e9 * tracing->record / resolution : 0);
    report_tell_seconds(tree, analysis, "recording_s", tracing->recording);
    report_tell_seconds(tree, analysis, "writing_s", tracing->writing);
    report_tree_number(tree, "of_queue", tracing->of_queue);
    report_tree_end(tree);
}

/* Writes the terms of the gain: cost_s / cost_threads minus the others. */
static void tell_sum(struct report_tree *tree, const struct omptape_analysis *analysis,
                     const struct omptape_finding *finding)
{
    const double processes = analysis->process_count > 0 ? (double)analysis->process_count : 1;
    const double whole = omptape_analysis_seconds(analysis, finding->cost_wall) / processes;
    const double mended = omptape_analysis_seconds(analysis, finding->remaining_wall) / processes;
    const double tracing = omptape_analysis_seconds(analysis, finding->tracing) / processes;
    const double gain = omptape_analysis_seconds(analysis, finding->gain);
    report_tell_seconds(tree, analysis, "cost_s", finding->cost);
    report_tree_number(tree, "cost_threads",
                       whole > 0 ? omptape_analysis_seconds(analysis, finding->cost) / whole : 0);
    report_tree_number(tree, "mended_s", mended);
    report_tree_number(tree, "tracing_s", tracing);
    report_tree_number(tree, "elsewhere_s", whole - mended - tracing - gain);
}

static void tell_findings(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "findings");
    for (uint32_t i = 0; i < analysis->finding_count; i++) {
        const struct omptape_finding *finding = &analysis->findings[i];
        report_tree_object(tree, NULL);
        report_tree_text(tree, "kind", omptape_finding_key(finding->kind));
        report_tell_name(tree, finding->region);
        report_tell_line(tree, finding->file, finding->line);
        report_tell_seconds(tree, analysis, "gain_s", finding->gain);
        report_tree_text(tree, "gain_is", finding->gain > 0 ? omptape_finding_certainty(finding) : "");
        report_tell_seconds(tree, analysis, "takes_s", finding->spent_wall);
        report_tree_text(tree, "text", finding->text);
        report_tree_text(tree, "proposal", finding->proposal);
        report_tell_seconds(tree, analysis, "waited_s", finding->waited);
        tell_sum(tree, analysis, finding);
        report_tree_count(tree, "count", finding->count);
        report_tell_phase(tree, finding);
        if (finding->kind == OMPTAPE_FINDING_SERIAL || finding->serial != NULL || finding->before != NULL) {
            report_tree_text(tree, "after", finding->region != NULL ? finding->region->label : "");
            report_tree_text(tree, "before", finding->before != NULL ? finding->before->label : "");
        }
        report_tree_object(tree, "worst");
        report_tell_moment(tree, analysis, "begin_s", finding->worst_begin);
        report_tell_moment(tree, analysis, "end_s", finding->worst_end);
        report_tree_count(tree, "location", finding->worst_location);
        report_tree_end(tree);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

/* Writes the steps of a hang as adjacent rows. */
static void tell_hang(struct report_tree *tree, const struct omptape_analysis *analysis, uint32_t number)
{
    const struct omptape_hang *hang = analysis->findings[number].hang;
    for (uint32_t i = 0; hang != NULL && i < hang->count; i++) {
        const struct omptape_hang_step *step = &hang->steps[i];
        report_tree_object(tree, NULL);
        report_tree_count(tree, "finding", number);
        report_tree_text(tree, "who", step->who);
        report_tree_count(tree, "alike", step->alike);
        report_tree_text(tree, "state", step->state);
        report_tell_place(tree, step->region);
        report_tell_moment(tree, analysis, "begin_s", step->begin);
        report_tell_moment(tree, analysis, "end_s", step->end);
        report_tree_text(tree, "waits_for", step->whom);
        report_tree_end(tree);
    }
}

static void tell_hangs(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "hangs");
    for (uint32_t i = 0; i < analysis->finding_count; i++)
        tell_hang(tree, analysis, i);
    report_tree_end(tree);
}

/* Returns who took the samples; "" if there are none. */
static const char *sampled_by(const struct omptape_analysis *analysis)
{
    const char *by = omptape_reader_property_of(analysis->reader, -1, OMPTAPE_KEY_SAMPLED_BY);
    const char *none = analysis->sampled_count > 0 ? "kernel" : "";
    return by != NULL ? by : none;
}

static void tell_summary(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    char date[REPORT_DATE_BYTES];
    report_tree_count(tree, "version", FORMAT_VERSION);
    report_tree_text(tree, "program", report_program(analysis));
    report_tree_text(tree, "archive", analysis->reader->anchor);
    report_tree_text(tree, "recorded", report_date(analysis, "%Y-%m-%dT%H:%M:%S%z", date));
    report_tree_number(tree, "wall_s", report_wall(analysis));
    report_tree_number(tree, "energy_j", report_energy(analysis));
    report_tell_moment(tree, analysis, "begin_s", analysis->begin);
    report_tree_count(tree, "events", analysis->events);
    report_tree_text(tree, "sampled_by", sampled_by(analysis));
    report_tree_count(tree, "processes", analysis->process_count);
    report_tree_count(tree, "threads", analysis->threads);
    tell_efficiency(tree, analysis);
    tell_tracing(tree, analysis);
    report_tree_number(tree, "serial_s", report_serial(analysis));
    report_tree_text(tree, "verdict", analysis->verdict != NULL ? analysis->verdict : "");
}

void report_tell(struct report_tree *tree, const void *data)
{
    const struct omptape_analysis *analysis = data;
    tell_summary(tree, analysis);
    tell_findings(tree, analysis);
    tell_hangs(tree, analysis);
    report_tell_regions(tree, analysis);
    report_tell_phases(tree, analysis);
    report_tell_steps(tree, analysis);
    report_tell_values(tree, analysis);
    report_tell_samples(tree, analysis);
    report_tell_functions(tree, analysis);
    report_tell_call_paths(tree, analysis);
    report_tell_counters(tree, analysis);
    report_tell_serials(tree, analysis);
    report_tell_loops(tree, analysis);
    report_tell_tasks(tree, analysis);
    report_tell_locks(tree, analysis);
    report_tell_lock_holders(tree, analysis);
    report_tell_outliers(tree, analysis);
    report_tell_transfers(tree, analysis);
    report_tell_mpi(tree, analysis);
    report_tell_devices(tree, analysis);
    report_tell_processes(tree, analysis);
    report_tell_nodes(tree, analysis);
    report_tell_threads(tree, analysis);
    report_tree_list(tree, "warnings");
    for (uint32_t i = 0; i < analysis->warning_count; i++)
        report_tree_text(tree, NULL, analysis->warnings[i]);
    report_tree_end(tree);
}

enum { KEY_BYTES = 64 };
static const double NS_PER_SECOND = 1e9;

/* Returns whole nanoseconds, as a double: the largest times of a slow clock exceed an integer. */
static double nanoseconds(double seconds)
{
    return round(seconds * NS_PER_SECOND);
}

static void tell_ns(struct report_tree *tree, const char *key, double ns)
{
    report_tree_number(tree, key, ns / NS_PER_SECOND);
}

void report_tell_seconds(struct report_tree *tree, const struct omptape_analysis *analysis, const char *key,
                         uint64_t ticks)
{
    tell_ns(tree, key, nanoseconds(omptape_analysis_seconds(analysis, ticks)));
}

void report_tell_moment(struct report_tree *tree, const struct omptape_analysis *analysis, const char *key,
                        uint64_t time)
{
    tell_ns(tree, key, nanoseconds(report_moment(analysis, time)));
}

void report_tell_name(struct report_tree *tree, const struct analysis_region *region)
{
    report_tree_text(tree, "region", region != NULL ? region->label : "");
    report_tree_text(tree, "function", region != NULL ? region->function : "");
}

void report_tell_line(struct report_tree *tree, const char *file, uint32_t line)
{
    report_tree_text(tree, "file", file);
    if (line > 0)
        report_tree_count(tree, "line", line);
    else
        report_tree_null(tree, "line");
}

void report_tell_place(struct report_tree *tree, const struct analysis_region *region)
{
    report_tell_name(tree, region);
    report_tell_line(tree, region != NULL ? region->file : "", region != NULL ? region->line : 0);
}

/* Writes the parts as differences of rounded ends, all parts one after the other. They then add up exactly;
 * parts rounded separately would not. */
void report_tell_parts(struct report_tree *tree, const struct omptape_analysis *analysis, uint64_t begin,
                       const uint64_t *parts)
{
    double last = nanoseconds(report_moment(analysis, begin));
    report_tree_object(tree, "parts");
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        char key[KEY_BYTES];
        (void)snprintf(key, sizeof(key), "%s_s", omptape_buckets[bucket].name);
        for (char *at = key; *at != '\0'; at++)
            *at = *at == ' ' ? '_' : (char)tolower((unsigned char)*at);
        omptape_add(&begin, parts[bucket]);
        double next = nanoseconds(report_moment(analysis, begin));
        tell_ns(tree, key, next - last);
        last = next;
    }
    report_tree_end(tree);
}

void report_tell_durations(struct report_tree *tree, const struct omptape_analysis *analysis, const char *key,
                           const struct analysis_durations *durations)
{
    uint64_t resolution = analysis->reader->clock_resolution;
    unsigned bins = ANALYSIS_BINS;
    report_tree_object(tree, key);
    report_tree_count(tree, "count", durations->count);
    report_tell_seconds(tree, analysis, "sum_s", durations->sum);
    if (durations->count > 0) {
        report_tree_number(tree, "mean_s",
                           omptape_analysis_seconds(analysis, durations->sum) / (double)durations->count);
        report_tell_seconds(tree, analysis, "median_s", omptape_durations_median(durations, resolution));
        report_tell_seconds(tree, analysis, "longest_s", durations->longest);
        report_tell_moment(tree, analysis, "longest_begin_s", durations->longest_begin);
        report_tree_count(tree, "longest_location", durations->longest_location);
    }
    while (bins > 0 && durations->bins[bins - 1] == 0)
        bins--;
    report_tree_list(tree, "histogram");
    for (unsigned bin = 0; bin < bins; bin++)
        report_tree_count(tree, NULL, durations->bins[bin]);
    report_tree_end(tree);
    report_tree_end(tree);
}
