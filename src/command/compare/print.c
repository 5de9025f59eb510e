/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints what `omptape compare` found as text, and as an HTML page with both timelines (compare.h).
 */
#include "src/command/compare/compare.h"

#include "src/command/page/page.h"
#include "src/command/report/runs.h"
#include "src/command/text/table.h"
#include "src/command/text/units.h"
#include "src/core/whole.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { DEFAULT_ROWS = 10 };
static const double OFTEN = 2;
static const double min_change = 1e-3; /* share of the wall time; smaller changes are not shown */

/* Returns the relative change, "-21 %", or "new" or "gone" if one side is missing. */
static struct units_text change_text(const struct report_pair *pair)
{
    struct units_text result;
    char *text = result.text;
    double change = 100 * (pair->after - pair->before) / (pair->before > 0 ? pair->before : 1);
    if (pair->is_noise)
        (void)snprintf(text, UNITS_TEXT_BYTES, "none");
    else if (pair->old == NULL || pair->before <= 0)
        (void)snprintf(text, UNITS_TEXT_BYTES, pair->after > 0 ? "new" : "");
    else if (pair->new == NULL)
        (void)snprintf(text, UNITS_TEXT_BYTES, "gone");
    else
        (void)snprintf(text, UNITS_TEXT_BYTES, "%+.0f %%", fabs(change) < 0.5 ? 0 : change);
    return result;
}

static void cell_seconds(struct table *table, bool is_there, double seconds, bool is_signed)
{
    const char *sign = !is_signed ? "" : seconds > 0 ? "+" : seconds < 0 ? "-" : "";
    table_cell_if(table, is_there, "%s%s", sign, units_seconds(fabs(seconds)).text);
}

static int print_pairs(const struct comparison *comparison, enum report_row_kind kind, const char *title)
{
    const struct report_pairs *pairs = &comparison->pairs;
    struct table table = table_of(title);
    table_column(&table, "before", 0);
    table_column(&table, "after", 0);
    table_column(&table, "change", 2)->style = SCREEN_GAIN;
    table_column(&table, "", 1);
    unsigned max = comparison->top > 0 ? comparison->top : DEFAULT_ROWS;
    unsigned count = 0;
    double min = comparison->top == UINT_MAX ? 0 : min_change * pairs->wall;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct report_pair *pair = &pairs->list[i];
        /* A change in samples must be larger than their statistical error. */
        const double min_change_of_pair = fmax(min, OFTEN * pair->error);
        const bool is_little =
            (min > 0 && pair->is_noise) || fabs(pair->after - pair->before) < min_change_of_pair;
        if (pair->kind != kind || is_little || ++count > max)
            continue;
        table_cell(&table, "%s", pair->name);
        cell_seconds(&table, pair->old != NULL, pair->before, false);
        cell_seconds(&table, pair->new != NULL, pair->after, false);
        cell_seconds(&table, true, pair->after - pair->before, true);
        table_cell(&table, "%s", change_text(pair).text);
    }
    if (count == 0)
        return 0;
    fputc('\n', comparison->screen.out);
    int status = table_print(&table, &comparison->screen);
    if (count > max)
        screen_paragraph(&comparison->screen, 0, "... %u more", count - max);
    return status;
}

/* Returns true for a factor of MPI if neither run lost anything to it. */
static bool is_of_nothing(const struct report_pair *pair)
{
    const bool is_of_mpi = strcmp(pair->name, omptape_analysis_factors[ANALYSIS_COMMUNICATION].name) == 0 ||
                           strcmp(pair->name, omptape_analysis_factors[ANALYSIS_MPI_LOAD_BALANCE].name) == 0;
    return is_of_mpi && pair->before >= 1 && pair->after >= 1;
}

static int print_shares(const struct comparison *comparison)
{
    const struct report_pairs *pairs = &comparison->pairs;
    struct table table = table_of("efficiency|before:1|after|change");
    const double percent = 100;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct report_pair *pair = &pairs->list[i];
        if (pair->kind != REPORT_ROW_EFFICIENCY || is_of_nothing(pair))
            continue;
        table_cell(&table, "%s", pair->name);
        table_cell(&table, "%.0f %%", percent * pair->before);
        table_cell(&table, "%.0f %%", percent * pair->after);
        if (pair->is_noise)
            table_cell(&table, "none");
        else
            table_cell(&table, "%+.0f", percent * (pair->after - pair->before));
    }
    fputc('\n', comparison->screen.out);
    return table_print(&table, &comparison->screen);
}

static void print_line(const struct comparison *comparison, const struct report_pair *pair)
{
    if (pair->kind == REPORT_ROW_COUNT)
        screen_paragraph(&comparison->screen, 0, "%s: %s -> %s", pair->name,
                         units_count(omptape_whole(pair->before)).text,
                         units_count(omptape_whole(pair->after)).text);
    else
        screen_paragraph(&comparison->screen, 0, "%s: %s -> %s%s (%s)", pair->name,
                         units_seconds(pair->before).text, units_seconds(pair->after).text,
                         pair->kind == REPORT_ROW_WORK ? " in all" : "", change_text(pair).text);
}

/* Describes the runs of a side: "3 runs of 1.01 s to 1.12 s". */
static void describe_spread(const struct compare_side *side, const struct report_row *row, char *text,
                            size_t bytes)
{
    if (side->rows.runs > 1)
        (void)snprintf(text, bytes, "%u runs of %s to %s", side->rows.runs, units_seconds(row->min).text,
                       units_seconds(row->max).text);
    else
        (void)snprintf(text, bytes, "1 run of %s", units_seconds(row->max).text);
}

/* Prints a line about the noise of the runs, below the wall time. */
static void print_runs(const struct comparison *comparison, const struct report_pair *wall)
{
    enum { SPREAD_BYTES = 128 };
    static const double usual = 0.05;
    char before[SPREAD_BYTES];
    char after[SPREAD_BYTES];
    const double level = report_runs_level(comparison->before.rows.runs, comparison->after.rows.runs);
    describe_spread(&comparison->before, wall->old, before, sizeof(before));
    describe_spread(&comparison->after, wall->new, after, sizeof(after));
    screen_paragraph(&comparison->screen, 2, "medians: %s, %s (p = %.3f)%s", before, after, wall->chance,
                     level > usual ? ". With so few runs, sides differ only if they do not overlap: four of "
                                     "each would tell more"
                                   : "");
}

/* Prints the rows about the whole run. Counts are printed only if they changed. */
static void print_whole(const struct comparison *comparison)
{
    const struct report_pairs *pairs = &comparison->pairs;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct report_pair *pair = &pairs->list[i];
        if (pair->kind == REPORT_ROW_WHOLE || pair->kind == REPORT_ROW_WORK ||
            (pair->kind == REPORT_ROW_COUNT && pair->before != pair->after))
            print_line(comparison, pair);
        if (pair->kind == REPORT_ROW_WHOLE && pair->old != NULL &&
            pair->new != NULL &&compare_is_repeated(comparison))
            print_runs(comparison, pair);
    }
}

static int print_parts(const struct comparison *comparison)
{
    int status = print_pairs(comparison, REPORT_ROW_FINDING, "finding");
    if (status == 0)
        status = print_pairs(comparison, REPORT_ROW_PHASE, "phase");
    if (status == 0)
        status = print_pairs(comparison, REPORT_ROW_REGION, "region");
    if (status == 0)
        status = print_pairs(comparison, REPORT_ROW_FUNCTION, "function, by samples");
    return status;
}

int compare_print(const struct comparison *comparison)
{
    print_whole(comparison);
    const int status = print_shares(comparison);
    return status == 0 ? print_parts(comparison) : status;
}

/* Draws the timeline of the run that is closest to the side's median. */
static int draw_side(FILE *out, const char *title, const struct compare_side *side, double seconds)
{
    const struct report_row *wall = report_rows_find(&side->rows, REPORT_ROW_WHOLE, "wall");
    uint32_t nearest = 0;
    for (uint32_t i = 1; wall != NULL && i < side->paths.count; i++)
        if (fabs(wall->values[i] - wall->value) < fabs(wall->values[nearest] - wall->value))
            nearest = i;
    fprintf(out, "<h2>%s: ", title);
    xml_quote(out, side->paths.items[nearest]);
    fputs("</h2>\n", out);
    return report_runs_draw("compare", side->paths.items[nearest], seconds, out);
}

static int write_body(FILE *out, const void *data)
{
    struct comparison comparison = *(const struct comparison *)data;
    comparison.screen = (struct screen){.out = out, .is_html = true};
    fputs("<header><h1>What changed</h1></header>\n<section>\n", out);
    print_whole(&comparison);
    fputs("</section>\n<section>\n", out);
    int status = draw_side(out, "before", &comparison.before, comparison.pairs.wall);
    if (status == 0)
        status = draw_side(out, "after", &comparison.after, comparison.pairs.wall);
    fputs("</section>\n<section>\n<h2>Parts</h2>\n", out);
    if (status == 0)
        status = print_shares(&comparison);
    if (status == 0)
        status = print_parts(&comparison);
    fputs("</section>\n", out);
    return status;
}

int compare_write_html(FILE *out, const void *comparison)
{
    return page_document(out, "compare", write_body, comparison);
}
