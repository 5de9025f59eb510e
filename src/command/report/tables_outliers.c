/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the table of outliers with a histogram and the command that shows the worst one; writes the same as
 * numbers. Called by tables.c, findings.c and numbers.c.
 */
#include "src/command/report/numbers.h"
#include "src/command/report/state.h"
#include "src/core/whole.h"
#include "src/core/words.h"

#include <inttypes.h>
#include <string.h>

enum { WHICH_BYTES = 96, COMMAND_BYTES = 4096 };

/* Returns the thread's name, or "" if unknown. */
static const char *thread_name(const struct omptape_analysis *analysis, uint64_t location)
{
    for (uint32_t i = 0; i < analysis->thread_count; i++)
        if (analysis->thread_list[i].location->id == location)
            return analysis->thread_list[i].name;
    return "";
}

static int64_t whole_ns(const struct omptape_analysis *analysis, uint64_t time)
{
    const double ns = 1e9 * report_moment(analysis, time);
    return ns > 0 ? (int64_t)ns : 0;
}

void report_print_command(const struct report *report, uint64_t begin, uint64_t end, unsigned indent)
{
    const struct omptape_analysis *analysis = report->analysis;
    const int64_t second = 1000000000;
    const int64_t from = whole_ns(analysis, begin);
    const int64_t to = whole_ns(analysis, end) + 1;
    char quoted[COMMAND_BYTES];
    char command[OMPTAPE_SCREEN_TEXT_BYTES];
    if (report->profile || report->folder == NULL)
        return;
    (void)omptape_path_quote(report->folder, quoted, sizeof(quoted));
    (void)snprintf(command, sizeof(command),
                   "omptape report --from %" PRId64 ".%09" PRId64 " --to %" PRId64 ".%09" PRId64,
                   from / second, from % second, to / second, to % second);
    fprintf(report->screen.out, "%*s%s", (int)indent, "", command);
    if (indent + strlen(command) + 1 + omptape_screen_columns(quoted) > report->screen.width)
        fprintf(report->screen.out, " \\\n%*s%s\n", (int)indent + 2, "", quoted);
    else
        fprintf(report->screen.out, " %s\n", quoted);
}

/* Draws a histogram: each bin is twice as long as the previous one; the marks show the logarithm of the
 * count. */
static void draw_histogram(const struct analysis_durations *times, char *bar, unsigned *first)
{
    static const char levels[] = " .:-=#";
    unsigned last = 0;
    unsigned width = 0;
    uint64_t max = 1;
    *first = ANALYSIS_BINS;
    for (unsigned bin = 0; bin < ANALYSIS_BINS; bin++) {
        if (times->bins[bin] == 0)
            continue;
        *first = bin < *first ? bin : *first;
        last = bin;
        max = times->bins[bin] > max ? times->bins[bin] : max;
    }
    const unsigned bits = 64 - (unsigned)__builtin_clzll(max);
    for (unsigned bin = *first; bin <= last; bin++) {
        const uint64_t count = times->bins[bin];
        const unsigned own = count > 0 ? 64 - (unsigned)__builtin_clzll(count) : 0;
        bar[width++] = levels[count > 0 ? 1 + (4 * own) / bits : 0];
    }
    bar[width] = '\0';
}

static void print_below(const struct report *report, const struct analysis_outliers *outliers)
{
    const struct omptape_analysis *analysis = report->analysis;
    const double resolution = (double)analysis->reader->clock_resolution;
    char bar[ANALYSIS_BINS + 1];
    char shortest[OMPTAPE_UNIT_BYTES];
    char longest[OMPTAPE_UNIT_BYTES];
    char line[OMPTAPE_SCREEN_TEXT_BYTES];
    unsigned first = 0;
    draw_histogram(&outliers->times, bar, &first);
    (void)snprintf(
        line, sizeof(line), "%s |%s| %s, each mark twice as long",
        report_time(analysis, omptape_whole((double)(UINT64_C(1) << first) * resolution / 1e9), shortest),
        bar, report_time(analysis, outliers->times.longest, longest));
    fprintf(report->screen.out, "  %s\n", line);
    if (outliers->without_processor > 0)
        fprintf(report->screen.out, "  %s more may have had no processor\n",
                omptape_units_count(outliers->without_processor, shortest));
    report_print_command(report, outliers->worst_begin, outliers->worst_end, 2);
}

int report_print_outliers(const struct report *report)
{
    static const struct omptape_table_column columns[] = {
        {.title = "outlier"},
        {.title = "which", .left = true},
        {.title = "takes"},
        {.title = "median"},
        {.title = "times", .dispensable = 2},
        {.title = "on", .left = true, .dispensable = 3},
        {.title = "number", .dispensable = 4},
        {.title = "in all", .dispensable = 1},
    };
    const struct omptape_analysis *analysis = report->analysis;
    char which[WHICH_BYTES];
    struct report_section section = report_section_begin(
        report, columns, sizeof(columns) / sizeof(columns[0]), analysis->outlier_count, REPORT_DEFAULT_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_outliers *outliers = analysis->outliers[i];
        omptape_table_cell(&section.table, "%s%s", outliers->before != NULL ? "after " : "",
                           outliers->region->shown);
        omptape_table_cell(&section.table, "%s", omptape_outlier_which(outliers, which, sizeof(which)));
        report_cell_time(&section, outliers->worst);
        report_cell_time(&section, outliers->median);
        report_cell_count(&section, outliers->worst / outliers->median);
        omptape_table_cell(&section.table, "%s", thread_name(analysis, outliers->worst_location));
        report_cell_count(&section, outliers->count);
        report_cell_time(&section, outliers->cost);
    }
    const uint32_t shown = section.shown;
    int status = report_section_end(&section);
    for (uint32_t i = 0; i < shown; i++)
        print_below(report, analysis->outliers[i]);
    return status;
}

void report_write_outliers(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    value_tree_list(tree, "outliers");
    for (uint32_t i = 0; i < analysis->outlier_count; i++) {
        const struct analysis_outliers *outliers = analysis->outliers[i];
        value_tree_object(tree, NULL);
        value_tree_text(tree, "kind", omptape_outlier_key((enum analysis_outlier_kind)outliers->kind));
        report_write_place(tree, outliers->region);
        value_tree_text(tree, "before", outliers->before != NULL ? outliers->before->label : "");
        value_tree_integer(tree, "number", (int64_t)outliers->worst_number);
        value_tree_count(tree, "iterations", outliers->worst_parts);
        report_write_seconds(tree, analysis, "takes_s", outliers->worst);
        report_write_seconds(tree, analysis, "median_s", outliers->median);
        value_tree_count(tree, "count", outliers->count);
        value_tree_count(tree, "one_number", outliers->is_same);
        report_write_seconds(tree, analysis, "cost_s", outliers->cost);
        value_tree_count(tree, "without_processor", outliers->without_processor);
        value_tree_object(tree, "worst");
        report_write_moment(tree, analysis, "begin_s", outliers->worst_begin);
        report_write_moment(tree, analysis, "end_s", outliers->worst_end);
        value_tree_count(tree, "location", outliers->worst_location);
        value_tree_end(tree);
        report_write_durations(tree, analysis, "times", &outliers->times);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}
