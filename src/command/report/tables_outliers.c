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

/* Returns the thread's name, or "" if unknown. It may not be among the threads that are shown. */
static const char *thread_name(const struct omptape_analysis *analysis, uint64_t location)
{
    const char *name = omptape_reader_name(analysis->reader, OMPTAPE_DEF_LOCATION, location);
    return name != NULL ? name : "";
}

static int64_t whole_ns(const struct omptape_analysis *analysis, uint64_t time)
{
    const double ns = 1e9 * report_moment(analysis, time);
    return ns > 0 ? (int64_t)ns : 0;
}

/* Prints a word of a command that begins at `indent`, on a new line if it does not fit. `end`: what may
 * follow it on the line. Returns the column behind it. */
static unsigned print_word(const struct screen *screen, unsigned column, unsigned indent, const char *word,
                           unsigned end)
{
    const unsigned columns = screen_columns(word);
    if (column > indent && column + 1 + columns + end > screen->width) {
        fprintf(screen->out, " \\\n%*s", (int)indent + 2, "");
        column = indent + 2;
    } else if (column > indent) {
        fputc(' ', screen->out);
        column++;
    }
    fputs(word, screen->out);
    return column + columns;
}

void report_print_command(const struct report *report, uint64_t begin, uint64_t end, unsigned indent)
{
    const struct omptape_analysis *analysis = report->analysis;
    const int64_t second = 1000000000;
    const int64_t moments[] = {whole_ns(analysis, begin), whole_ns(analysis, end) + 1};
    static const char *const words[] = {"omptape", "report", "--from", NULL, "--to", NULL};
    enum { WORDS = sizeof(words) / sizeof(words[0]), CONTINUED = 2 };
    char quoted[COMMAND_BYTES];
    char moment[32];
    unsigned known = 0;
    unsigned column = indent;
    if (report->profile || report->folder == NULL)
        return;
    fprintf(report->screen.out, "%*s", (int)indent, "");
    for (unsigned i = 0; i < WORDS; i++) {
        if (words[i] == NULL)
            (void)snprintf(moment, sizeof(moment), "%" PRId64 ".%09" PRId64, moments[known] / second,
                           moments[known] % second);
        known += words[i] == NULL;
        column = print_word(&report->screen, column, indent, words[i] != NULL ? words[i] : moment, CONTINUED);
    }
    (void)omptape_path_quote(report->folder, quoted, sizeof(quoted));
    (void)print_word(&report->screen, column, indent, quoted, 0);
    fputc('\n', report->screen.out);
}

/* Draws a histogram: each bin is twice as long as the previous one; marks show the count's logarithm. */
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
    const struct screen *screen = &report->screen;
    static const char explained[] = ", each mark twice as long";
    enum { BEFORE = 2 };
    const double resolution = (double)analysis->reader->clock_resolution;
    char bar[ANALYSIS_BINS + 1];
    char line[SCREEN_TEXT_BYTES];
    unsigned first = 0;
    draw_histogram(&outliers->times, bar, &first);
    const int length =
        snprintf(line, sizeof(line), "%s |%s| %s",
                 report_time(analysis, omptape_whole((double)(UINT64_C(1) << first) * resolution / 1e9)).text,
                 bar, report_time(analysis, outliers->times.longest).text);
    if ((unsigned)length + BEFORE <= screen->width)
        fprintf(screen->out, "%*s%s%s\n", BEFORE, "", line,
                (unsigned)length + BEFORE + sizeof(explained) - 1 <= screen->width ? explained : "");
    if (outliers->without_processor > 0) {
        (void)snprintf(line, sizeof(line), "%s more may have had no processor",
                       units_count(outliers->without_processor).text);
        fprintf(screen->out, "%*s", BEFORE, "");
        (void)screen_wrap(screen, BEFORE, BEFORE, line);
        fputc('\n', screen->out);
    }
    report_print_command(report, outliers->worst.begin, outliers->worst.end, BEFORE);
}

int report_print_outliers(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    char which[WHICH_BYTES];
    struct report_section section =
        report_section_begin(report, "outlier|<which:2|takes|median:1|times:4|<on:5|number:6|in all:3",
                             analysis->outlier_count, REPORT_DEFAULT_ROWS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_outliers *outliers = analysis->outliers[i];
        table_cell(&section.table, "%s%s", outliers->before != NULL ? "after " : "", outliers->region->shown);
        table_cell(&section.table, "%s", omptape_outlier_which(outliers, which, sizeof(which)));
        report_cell_time(&section, outliers->worst.ticks);
        report_cell_time(&section, outliers->median);
        report_cell_count(&section, outliers->worst.ticks / outliers->median);
        table_cell(&section.table, "%s", thread_name(analysis, outliers->worst.location));
        report_cell_count(&section, outliers->count);
        report_cell_time(&section, outliers->cost);
    }
    const uint32_t shown = section.shown;
    int status = report_section_end(&section);
    for (uint32_t i = 0; i < shown; i++) {
        const struct analysis_outliers *outliers = analysis->outliers[i];
        if (shown > 1)
            screen_paragraph(&report->screen, 2, "%s%s:", outliers->before != NULL ? "after " : "",
                             outliers->region->shown);
        print_below(report, outliers);
    }
    return status;
}

void report_write_outliers(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "outliers", i, analysis->outlier_count); i++) {
        const struct analysis_outliers *outliers = analysis->outliers[i];
        value_tree_text(tree, "kind", omptape_outlier_key((enum analysis_outlier_kind)outliers->kind));
        report_write_place(tree, outliers->region);
        value_tree_text(tree, "before", outliers->before != NULL ? outliers->before->label : "");
        value_tree_integer(tree, "number", (int64_t)outliers->worst_number);
        value_tree_count(tree, "iterations", outliers->worst_parts);
        report_write_seconds(tree, analysis, "takes_s", outliers->worst.ticks);
        report_write_seconds(tree, analysis, "median_s", outliers->median);
        value_tree_count(tree, "count", outliers->count);
        value_tree_count(tree, "one_number", outliers->is_same);
        report_write_seconds(tree, analysis, "cost_s", outliers->cost);
        value_tree_count(tree, "without_processor", outliers->without_processor);
        value_tree_object(tree, "worst");
        report_write_moment(tree, analysis, "begin_s", outliers->worst.begin);
        report_write_moment(tree, analysis, "end_s", outliers->worst.end);
        value_tree_count(tree, "location", outliers->worst.location);
        value_tree_end(tree);
        report_write_durations(tree, analysis, "times", &outliers->times);
    }
}
