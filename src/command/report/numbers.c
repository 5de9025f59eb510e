/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes all results of the analysis with the names in docs/report.md (--json, --csv). Called by report.c.
 */
#include "src/command/report/numbers.h"
#include "src/command/report/state.h"
#include "src/core/whole.h"

#include <ctype.h>
#include <math.h>
#include <omptape/properties.h>
#include <stdio.h>

enum { FORMAT_VERSION = 1 };

void report_write_factors(struct value_tree *tree, const struct analysis_efficiency *efficiency)
{
    value_tree_number(tree, "parallel", efficiency->parallel);
    for (int factor = 0; factor < ANALYSIS_FACTORS; factor++)
        value_tree_number(tree, omptape_analysis_factors[factor].key, efficiency->factors[factor]);
}

static void write_efficiency(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    const struct analysis_efficiency *efficiency = &analysis->efficiency;
    value_tree_object(tree, "efficiency");
    report_write_factors(tree, efficiency);
    report_write_seconds(tree, analysis, "available_s", efficiency->available);
    for (int factor = 0; factor < ANALYSIS_FACTORS; factor++)
        report_write_seconds(tree, analysis, omptape_analysis_factors[factor].lost_key,
                             efficiency->lost[factor]);
    value_tree_end(tree);
}

static void write_tracing(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    const struct analysis_perturbation *tracing = &analysis->perturbation;
    double resolution = (double)analysis->reader->clock_resolution;
    value_tree_object(tree, "tracing");
    value_tree_number(tree, "record_ns", resolution > 0 ? 1e9 * tracing->record / resolution : 0);
    report_write_seconds(tree, analysis, "recording_s", tracing->recording);
    report_write_seconds(tree, analysis, "writing_s", tracing->writing);
    report_write_seconds(tree, analysis, "switching_s", tracing->switching);
    value_tree_number(tree, "of_queue", tracing->of_queue);
    value_tree_end(tree);
}

/* Writes the terms of the gain: cost_s / cost_threads minus the others. */
static void write_sum(struct value_tree *tree, const struct omptape_analysis *analysis,
                      const struct omptape_finding *finding)
{
    const double processes = analysis->at_once;
    const double whole = omptape_analysis_seconds(analysis, finding->cost_wall) / processes;
    const double remaining = omptape_analysis_seconds(analysis, finding->remaining_wall) / processes;
    const double tracing = omptape_analysis_seconds(analysis, finding->tracing) / processes;
    const double gain = omptape_analysis_seconds(analysis, finding->gain);
    report_write_seconds(tree, analysis, "cost_s", finding->cost);
    value_tree_number(tree, "cost_threads",
                      whole > 0 ? omptape_analysis_seconds(analysis, finding->cost) / whole : 0);
    value_tree_number(tree, "mended_s", remaining);
    value_tree_number(tree, "tracing_s", tracing);
    value_tree_number(tree, "elsewhere_s", whole - remaining - tracing - gain);
}

static void write_findings(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "findings", i, analysis->finding_count); i++) {
        const struct omptape_finding *finding = &analysis->findings[i];
        value_tree_text(tree, "kind", omptape_finding_key(finding->kind));
        report_write_name(tree, finding->region);
        report_write_line(tree, finding->file, finding->line);
        report_write_seconds(tree, analysis, "gain_s", finding->gain);
        value_tree_text(tree, "gain_is", finding->gain > 0 ? omptape_finding_certainty(finding) : "");
        report_write_seconds(tree, analysis, "takes_s", finding->spent_wall);
        value_tree_text(tree, "text", finding->text);
        value_tree_text(tree, "proposal", finding->proposal);
        report_write_seconds(tree, analysis, "waited_s", finding->waited);
        write_sum(tree, analysis, finding);
        value_tree_count(tree, "count", finding->count);
        report_write_phase(tree, finding);
        if (finding->kind == OMPTAPE_FINDING_SERIAL || finding->serial != NULL || finding->before != NULL) {
            value_tree_text(tree, "after", finding->region != NULL ? finding->region->label : "");
            value_tree_text(tree, "before", finding->before != NULL ? finding->before->label : "");
        }
        value_tree_object(tree, "worst");
        report_write_moment(tree, analysis, "begin_s", finding->worst.begin);
        report_write_moment(tree, analysis, "end_s", finding->worst.end);
        value_tree_count(tree, "location", finding->worst.location);
        value_tree_end(tree);
    }
}

/* Writes the steps of a hang as adjacent rows. */
static void write_hang(struct value_tree *tree, const struct omptape_analysis *analysis, uint32_t number)
{
    const struct omptape_hang *hang = analysis->findings[number].hang;
    for (uint32_t i = 0; hang != NULL && i < hang->count; i++) {
        const struct omptape_hang_step *step = &hang->steps[i];
        value_tree_object(tree, NULL);
        value_tree_count(tree, "finding", number);
        value_tree_text(tree, "who", step->who);
        value_tree_count(tree, "alike", step->alike);
        value_tree_text(tree, "state", step->state);
        report_write_place(tree, step->region);
        report_write_moment(tree, analysis, "begin_s", step->begin);
        report_write_moment(tree, analysis, "end_s", step->end);
        value_tree_text(tree, "waits_for", step->whom);
        value_tree_end(tree);
    }
}

static void write_hangs(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_item(tree, "hangs", i, analysis->finding_count); i++)
        write_hang(tree, analysis, i);
}

/* Returns who took the samples; "" if there are none. */
static const char *sampled_by(const struct omptape_analysis *analysis)
{
    const char *by = omptape_reader_property_of(analysis->reader, -1, OMPTAPE_KEY_SAMPLED_BY);
    const char *none = analysis->sampled_count > 0 ? "kernel" : "";
    return by != NULL ? by : none;
}

static void write_summary(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_count(tree, "version", FORMAT_VERSION);
    value_tree_text(tree, "program", report_program(analysis));
    value_tree_text(tree, "archive", omptape_reader_path(analysis->reader));
    value_tree_text(tree, "recorded", report_date(analysis, "%Y-%m-%dT%H:%M:%S%z").text);
    value_tree_number(tree, "wall_s", report_wall(analysis));
    value_tree_number(tree, "energy_j", report_energy(analysis));
    report_write_moment(tree, analysis, "begin_s", analysis->begin);
    value_tree_count(tree, "events", analysis->events);
    value_tree_text(tree, "sampled_by", sampled_by(analysis));
    value_tree_count(tree, "processes", analysis->process_count);
    value_tree_count(tree, "threads", analysis->threads);
    write_efficiency(tree, analysis);
    write_tracing(tree, analysis);
    value_tree_number(tree, "serial_s", report_serial(analysis));
    value_tree_text(tree, "verdict", analysis->verdict != NULL ? analysis->verdict : "");
}

void report_write_numbers(struct value_tree *tree, const void *data)
{
    const struct omptape_analysis *analysis = data;
    write_summary(tree, analysis);
    write_findings(tree, analysis);
    write_hangs(tree, analysis);
    report_write_regions(tree, analysis);
    report_write_phases(tree, analysis);
    report_write_steps(tree, analysis);
    report_write_values(tree, analysis);
    report_write_samples(tree, analysis);
    report_write_functions(tree, analysis);
    report_write_call_paths(tree, analysis);
    report_write_counters(tree, analysis);
    report_write_serials(tree, analysis);
    report_write_loops(tree, analysis);
    report_write_tasks(tree, analysis);
    report_write_locks(tree, analysis);
    report_write_lock_holders(tree, analysis);
    report_write_outliers(tree, analysis);
    report_write_transfers(tree, analysis);
    report_write_mpi(tree, analysis);
    report_write_devices(tree, analysis);
    report_write_processes(tree, analysis);
    report_write_nodes(tree, analysis);
    report_write_threads(tree, analysis);
    for (uint32_t i = 0; value_tree_item(tree, "warnings", i, analysis->warning_count); i++)
        value_tree_text(tree, NULL, analysis->warnings[i]);
}

enum { KEY_BYTES = 64 };
static const double NS_PER_SECOND = 1e9;

/* Returns whole nanoseconds, as a double: the largest times of a slow clock exceed an integer. */
static double nanoseconds(double seconds)
{
    return round(seconds * NS_PER_SECOND);
}

static void write_ns(struct value_tree *tree, const char *key, double ns)
{
    value_tree_number(tree, key, ns / NS_PER_SECOND);
}

void report_write_seconds(struct value_tree *tree, const struct omptape_analysis *analysis, const char *key,
                          uint64_t ticks)
{
    write_ns(tree, key, nanoseconds(omptape_analysis_seconds(analysis, ticks)));
}

void report_write_moment(struct value_tree *tree, const struct omptape_analysis *analysis, const char *key,
                         uint64_t time)
{
    write_ns(tree, key, nanoseconds(report_moment(analysis, time)));
}

void report_write_name(struct value_tree *tree, const struct analysis_region *region)
{
    value_tree_text(tree, "region", region != NULL ? region->label : "");
    value_tree_text(tree, "function", region != NULL ? region->function : "");
}

void report_write_line(struct value_tree *tree, const char *file, uint32_t line)
{
    value_tree_text(tree, "file", file);
    value_tree_number(tree, "line", line > 0 ? (double)line : NAN);
}

void report_write_place(struct value_tree *tree, const struct analysis_region *region)
{
    report_write_name(tree, region);
    report_write_line(tree, region != NULL ? region->file : "", region != NULL ? region->line : 0);
}

/* Writes the parts as differences of rounded ends, all parts one after the other. They then add up exactly;
 * parts rounded separately would not. */
void report_write_parts(struct value_tree *tree, const struct omptape_analysis *analysis, uint64_t begin,
                        const uint64_t *parts)
{
    double last = nanoseconds(report_moment(analysis, begin));
    value_tree_object(tree, "parts");
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        char key[KEY_BYTES];
        (void)snprintf(key, sizeof(key), "%s_s", omptape_buckets[bucket].name);
        for (char *at = key; *at != '\0'; at++)
            *at = *at == ' ' ? '_' : (char)tolower((unsigned char)*at);
        omptape_add(&begin, parts[bucket]);
        double next = nanoseconds(report_moment(analysis, begin));
        write_ns(tree, key, next - last);
        last = next;
    }
    value_tree_end(tree);
}

void report_write_durations(struct value_tree *tree, const struct omptape_analysis *analysis, const char *key,
                            const struct analysis_durations *durations)
{
    uint64_t resolution = analysis->reader->clock_resolution;
    unsigned bins = ANALYSIS_BINS;
    value_tree_object(tree, key);
    value_tree_count(tree, "count", durations->count);
    report_write_seconds(tree, analysis, "sum_s", durations->sum);
    if (durations->count > 0) {
        value_tree_number(tree, "mean_s",
                          omptape_analysis_seconds(analysis, durations->sum) / (double)durations->count);
        report_write_seconds(tree, analysis, "median_s", omptape_durations_median(durations, resolution));
        report_write_seconds(tree, analysis, "longest_s", durations->longest);
        report_write_moment(tree, analysis, "longest_begin_s", durations->longest_begin);
        value_tree_count(tree, "longest_location", durations->longest_location);
    }
    while (bins > 0 && durations->bins[bins - 1] == 0)
        bins--;
    for (unsigned bin = 0; value_tree_item(tree, "histogram", bin, bins); bin++)
        value_tree_count(tree, NULL, durations->bins[bin]);
    value_tree_end(tree);
}
