/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints phases and steps in `omptape report`: those that the program named, and detected loops.
 */
#include "src/command/report/numbers.h"
#include "src/command/report/state.h"

#include "src/core/whole.h"

#include <errno.h>
#include <inttypes.h>

/* Least ratio to the median at which the slowest instance is printed. */
static const double MUCH_SLOWER = 1.5;
static const double MUCH_MORE = 0.1; /* share of the threads' time */

static uint64_t waiting(const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    uint64_t sum = 0;
    for (enum omptape_bucket bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        sum = omptape_plus(
            sum, omptape_buckets[bucket].work || omptape_buckets[bucket].off_cpu ? 0 : parts[bucket]);
    return sum;
}

static double slowest_ratio(const struct analysis_phase *phase)
{
    return phase->step_count > 1 && phase->median > 0 ? (double)phase->longest / (double)phase->median : 0;
}

static const char *shown_name(const struct analysis_phase *phase)
{
    return omptape_phase_is_detected(phase) ? phase->name : phase->region->shown;
}

/* Returns the bucket whose share in the longest instance exceeds its share in the others most. Returns
 * OMPTAPE_BUCKET_COUNT if no difference is large. */
static enum omptape_bucket find_largest_difference(const struct omptape_analysis *analysis,
                                                   const struct analysis_phase *phase, double *here,
                                                   double *elsewhere)
{
    const double threads = omptape_analysis_mean_threads(analysis);
    const double longest = (double)phase->longest * threads;
    const double others = (double)omptape_minus(phase->wall, phase->longest) * threads;
    enum omptape_bucket found = OMPTAPE_BUCKET_COUNT;
    double max = MUCH_MORE;
    for (enum omptape_bucket bucket = 0; bucket < OMPTAPE_BUCKET_COUNT && longest > 0 && others > 0;
         bucket++) {
        const double one = (double)phase->longest_parts[bucket] / longest;
        const double other =
            (double)omptape_minus(phase->parts[bucket], phase->longest_parts[bucket]) / others;
        if (one - other <= max)
            continue;
        max = one - other;
        found = bucket;
        *here = one;
        *elsewhere = other;
    }
    return found;
}

static void print_slowest(const struct report *report, const struct analysis_phase *phase)
{
    const struct omptape_analysis *analysis = report->analysis;
    char which[SCREEN_TEXT_BYTES / 2];
    char difference[SCREEN_TEXT_BYTES / 8] = "";
    double here = 0;
    double others = 0;
    if (phase->steps > 0)
        omptape_phase_instance(phase, phase->longest_number, "", which, sizeof(which));
    else
        (void)snprintf(which, sizeof(which), "the slowest %s", phase->region->shown);
    const enum omptape_bucket bucket = find_largest_difference(analysis, phase, &here, &others);
    if (bucket < OMPTAPE_BUCKET_COUNT)
        (void)snprintf(difference, sizeof(difference),
                       "; %s is %.0f %% of its threads' time, %.0f %% in the others",
                       omptape_buckets[bucket].name, 100 * here, 100 * others);
    screen_paragraph(&report->screen, 2, "%s takes %s, %.1f times the median%s", which,
                     report_time(analysis, phase->longest).text, slowest_ratio(phase), difference);
}

static uint32_t count_named(const struct omptape_analysis *analysis)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < analysis->phase_count; i++)
        count += !omptape_phase_is_detected(analysis->phases[i]);
    return count;
}

/* Prints one line for each detected loop. */
static void print_found(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    const uint64_t processes = analysis->at_once;
    bool any = false;
    for (uint32_t i = 0; i < analysis->phase_count; i++) {
        const struct analysis_phase *phase = analysis->phases[i];
        if (!omptape_phase_is_detected(phase))
            continue;
        const uint64_t first = phase->step_count > 0 ? phase->step_list[0]->number : 1;
        fputs(any ? "" : "\n", report->screen.out);
        screen_paragraph(
            &report->screen, 2,
            "%s: iterations %" PRIu64 " to %" PRIu64
            " of a loop, %.0f %% of the time; each begins with %s and takes %s "
            "on average, the longest (number %" PRIu64 ") %s",
            any ? "also found" : "found", first, first + omptape_mean(phase->count, processes) - 1,
            100 * (double)phase->wall / (double)processes /
                (double)omptape_greater(1, omptape_minus(analysis->end, analysis->begin)),
            phase->region->shown, report_time(analysis, omptape_mean(phase->wall, phase->count)).text,
            phase->longest_number, report_time(analysis, phase->longest).text);
        any = true;
    }
}

int report_print_phases(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    print_found(report);
    if (count_named(analysis) == 0)
        return 0;
    struct report_section section =
        report_section_begin(report, "phase|times:1|time|share|computing:2|serial:4|waiting:3|longest:5",
                             analysis->phase_count, REPORT_DEFAULT_REGIONS);
    const uint64_t processes = analysis->at_once;
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_phase *phase = analysis->phases[i];
        const uint64_t all = omptape_whole((double)phase->wall * omptape_analysis_mean_threads(analysis));
        if (omptape_phase_is_detected(phase))
            continue;
        report_cell_label(&section, phase->region, "");
        report_cell_count(&section, phase->count);
        report_cell_time(&section, phase->wall / processes);
        report_cell_share(&section, phase->wall / processes, omptape_minus(analysis->end, analysis->begin));
        report_cell_share(&section, phase->parts[OMPTAPE_BUCKET_COMPUTING], all);
        report_cell_share(&section, phase->parts[OMPTAPE_BUCKET_SERIAL], all);
        report_cell_share(&section, waiting(phase->parts), all);
        report_cell_time(&section, phase->longest);
    }
    const uint32_t shown = section.shown;
    if (report_section_end(&section) != 0)
        return -ENOMEM;
    for (uint32_t i = 0; i < shown; i++)
        if (!omptape_phase_is_detected(analysis->phases[i]) &&
            slowest_ratio(analysis->phases[i]) >= MUCH_SLOWER)
            print_slowest(report, analysis->phases[i]);
    return 0;
}

static void cell_name(struct report_section *section, const struct analysis_phase *phase)
{
    if (omptape_phase_is_detected(phase))
        table_cell(&section->table, "%s", phase->name);
    else
        report_cell_label(section, phase->region, "");
}

/* Prints how long each phase took. print_factors below prints the efficiencies. */
static int print_times(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    struct report_section section =
        report_section_begin(report, "phase|times:1|mean|median:2|time|share|longest|ratio:3",
                             analysis->phase_count, REPORT_DEFAULT_REGIONS);
    const uint64_t processes = analysis->at_once;
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_phase *phase = analysis->phases[i];
        cell_name(&section, phase);
        report_cell_count(&section, phase->count);
        report_cell_time(&section, omptape_mean(phase->wall, phase->count));
        table_cell_if(&section.table, phase->median > 0, "%s", report_time(analysis, phase->median).text);
        report_cell_time(&section, phase->wall / processes);
        report_cell_share(&section, phase->wall / processes, omptape_minus(analysis->end, analysis->begin));
        report_cell_time(&section, phase->longest);
        table_cell_if(&section.table, slowest_ratio(phase) > 0, "%.1f", slowest_ratio(phase));
    }
    return report_section_end(&section);
}

static void cell_factor(struct report_section *section, double factor)
{
    const uint64_t whole = 1000000;
    report_cell_share(section, omptape_whole(factor * (double)whole), whole);
}

static int print_factors(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    const uint64_t *lost = analysis->efficiency.lost;
    const bool has_mpi = lost[ANALYSIS_COMMUNICATION] > 0 || lost[ANALYSIS_MPI_LOAD_BALANCE] > 0;
    struct report_section section = report_section_begin(
        report,
        has_mpi ? "phase|parallel|comm.|MPI bal.|balance|serial.|manage:2|blocked:3|processor:1"
                : "phase|parallel|comm.:4|MPI bal.:4|balance|serial.|manage:2|blocked|processor:1",
        analysis->phase_count, REPORT_DEFAULT_REGIONS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_efficiency *efficiency = &analysis->phases[i]->efficiency;
        cell_name(&section, analysis->phases[i]);
        cell_factor(&section, efficiency->parallel);
        for (int factor = 0; factor < ANALYSIS_FACTORS; factor++)
            cell_factor(&section, efficiency->factors[factor]);
    }
    return report_section_end(&section);
}

/* Prints the findings about the phase's slow instances. Returns false if there are none. */
static bool print_findings_of(const struct report *report, const struct analysis_phase *phase)
{
    const struct omptape_analysis *analysis = report->analysis;
    bool any = false;
    for (uint32_t i = 0; i < analysis->finding_count; i++) {
        const struct omptape_finding *finding = &analysis->findings[i];
        const bool is_trend = finding->kind == OMPTAPE_FINDING_TREND && finding->region == phase->region;
        if (!is_trend && (finding->slow == NULL || finding->slow->phase != phase))
            continue;
        fputs(any ? "" : "\n", report->screen.out);
        screen_paragraph(&report->screen, 2, "%s%s%s", is_trend ? shown_name(phase) : "",
                         is_trend ? ": " : "", finding->text);
        any = true;
    }
    return any;
}

int report_print_by_phase(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    report_print_header(report);
    if (analysis->phase_count == 0 && analysis->value_count == 0) {
        fputc('\n', report->screen.out);
        screen_paragraph(&report->screen, 0,
                         "The program names no phases (omptape.h, docs/using.md), and no loop is plain.");
        return 0;
    }
    print_found(report);
    int status = print_times(report);
    if (status == 0)
        status = print_factors(report);
    if (status == 0)
        status = report_print_values(report);
    for (uint32_t i = 0; status == 0 && i < analysis->phase_count; i++)
        if (!print_findings_of(report, analysis->phases[i]) &&
            slowest_ratio(analysis->phases[i]) >= MUCH_SLOWER)
            print_slowest(report, analysis->phases[i]);
    return status;
}

static void write_factors(struct value_tree *tree, const struct analysis_efficiency *efficiency)
{
    value_tree_object(tree, "efficiency");
    report_write_factors(tree, efficiency);
    value_tree_end(tree);
}

static void write_steps(struct value_tree *tree, const struct omptape_analysis *analysis, bool are_found)
{
    value_tree_list(tree, are_found ? "found_steps" : "steps");
    for (uint32_t i = 0; i < analysis->phase_count; i++) {
        const struct analysis_phase *phase = analysis->phases[i];
        const uint64_t count = omptape_phase_is_detected(phase) == are_found ? phase->step_count : 0;
        for (uint64_t j = 0; j < count && count > 1; j++) {
            const struct analysis_step *step = phase->step_list[j];
            value_tree_object(tree, NULL);
            value_tree_text(tree, "phase", phase->name);
            value_tree_count(tree, "number", step->number);
            report_write_moment(tree, analysis, "begin_s", step->longest_begin);
            value_tree_number(tree, "time_s", omptape_analysis_seconds(analysis, step->longest));
            value_tree_number(tree, "worked_s", omptape_analysis_seconds(analysis, step->most));
            value_tree_count(tree, "location", step->most_location);
            if (are_found)
                value_tree_count(tree, "comparable", step->atypical == 0);
            value_tree_end(tree);
        }
    }
    value_tree_end(tree);
}

void report_write_steps(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    write_steps(tree, analysis, false);
    write_steps(tree, analysis, true);
}

static void write_phases(struct value_tree *tree, const struct omptape_analysis *analysis, bool are_found)
{
    const uint64_t none = analysis->reader->clock_offset;
    value_tree_list(tree, are_found ? "found_phases" : "phases");
    for (uint32_t i = 0; i < analysis->phase_count; i++) {
        const struct analysis_phase *phase = analysis->phases[i];
        if (omptape_phase_is_detected(phase) != are_found)
            continue;
        value_tree_object(tree, NULL);
        value_tree_text(tree, "name", phase->name);
        if (are_found)
            report_write_place(tree, phase->region);
        value_tree_count(tree, "count", phase->count);
        value_tree_count(tree, "steps", phase->steps);
        value_tree_number(tree, "time_s", omptape_analysis_seconds(analysis, phase->wall));
        report_write_parts(tree, analysis, none, phase->parts);
        value_tree_number(tree, "longest_s", omptape_analysis_seconds(analysis, phase->longest));
        value_tree_count(tree, "longest_number", phase->longest_number);
        value_tree_number(tree, "median_s", omptape_analysis_seconds(analysis, phase->median));
        write_factors(tree, &phase->efficiency);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

void report_write_phases(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    write_phases(tree, analysis, false);
    write_phases(tree, analysis, true);
}

void report_write_phase(struct value_tree *tree, const struct omptape_finding *finding)
{
    const struct analysis_slow *slow = finding->slow;
    if (slow != NULL)
        value_tree_text(tree, "phase", slow->phase->name);
    else if (finding->phase[0] != '\0')
        value_tree_text(tree, "phase", finding->phase);
    if (slow != NULL)
        value_tree_count(tree, "step", slow->step->number);
}
