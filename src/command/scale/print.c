/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the text of `omptape scale` (scale.h): tables of the sizes and regions, and the conclusions.
 */
#include "src/command/scale/scale.h"

#include "src/command/page/page.h"
#include "src/command/text/table.h"
#include "src/command/text/units.h"
#include "src/core/words.h"

#include <limits.h>

enum { DEFAULT_REGIONS = 10, MAX_SIZES = 8 };
static const double PERCENT = 100;
/* Efficiency factors that are at least this in every size are not shown. */
static const double NEARLY_ALL = 0.995;
/* Share of the wall time. Regions below it are shown only with --all. */
static const double MIN_SHARE = 0.01;

/* Formats "4", or "4 *" if threads share processors. */
static struct units_text mark_size(const struct scale_size *size)
{
    struct units_text text;
    (void)snprintf(text.text, sizeof(text.text), "%.30s%s", size->label, size->is_oversubscribed ? " *" : "");
    return text;
}

static double factor_of(const struct scale_size *size, const char *name)
{
    const struct report_row *row = report_rows_find(&size->rows, REPORT_ROW_EFFICIENCY, name);
    return row != NULL ? row->value : 1;
}

/* Returns the size of a table column. The columns are the first sizes and the last one. */
static uint32_t column_size(const struct scale *scale, uint32_t column, uint32_t columns)
{
    return column + 1 == columns ? scale->size_count - 1 : column;
}

/* A line of the table of sizes. */
enum measure { TIME, SPREAD, SPEEDUP, EFFICIENCY, COMPUTATION, FACTOR };

static const struct {
    const char *title;
    enum measure measure;
    const char *factor;
    bool is_always;
} lines[] = {
    {"time", TIME, NULL, true},
    {"spread", SPREAD, NULL, false},
    {"speed-up", SPEEDUP, NULL, true},
    {"efficiency", EFFICIENCY, NULL, true},
    {"  computation", COMPUTATION, NULL, true},
    {"  parallel", FACTOR, "parallel", true},
    {"    communication", FACTOR, "communication", false},
    {"    MPI load balance", FACTOR, "MPI load balance", false},
    {"    load balance", FACTOR, "load balance", false},
    {"    serialisation", FACTOR, "serialisation", false},
    {"    management", FACTOR, "management", false},
    {"    blocked", FACTOR, "blocked", false},
    {"    processor", FACTOR, "processor", false},
};
enum { LINES = sizeof(lines) / sizeof(lines[0]) };

static bool is_shown(const struct scale *scale, size_t line)
{
    bool shown = lines[line].is_always;
    for (uint32_t i = 0; i < scale->size_count; i++) {
        const struct scale_size *size = &scale->sizes[i];
        shown = shown || (lines[line].measure == SPREAD ? size->rows.runs > 1
                                                        : factor_of(size, lines[line].factor) < NEARLY_ALL);
    }
    return shown;
}

static void cell_measure(struct table *table, const struct scale_size *size, size_t line)
{
    const struct report_row *wall = size->wall;
    switch (lines[line].measure) {
    case TIME:
        table_cell(table, "%s", units_seconds(wall->value).text);
        break;
    case SPREAD:
        table_cell_if(table, size->rows.runs > 1 && wall->value > 0, "+-%.0f %%",
                      PERCENT * (wall->max - wall->min) / 2 / wall->value);
        break;
    case SPEEDUP:
        table_cell(table, "%.2f", size->speedup);
        break;
    case EFFICIENCY:
        table_cell(table, "%.0f %%", PERCENT * size->efficiency);
        break;
    case COMPUTATION:
        table_cell(table, "%.0f %%", PERCENT * size->computation);
        break;
    default:
        table_cell(table, "%.0f %%", PERCENT * factor_of(size, lines[line].factor));
        break;
    }
}

static void add_size_columns(struct table *table, const struct scale *scale, uint32_t sizes)
{
    for (uint32_t i = 0; i < sizes; i++)
        table_column(table, mark_size(&scale->sizes[column_size(scale, i, sizes)]).text, 0);
}

static int print_sizes(const struct scale *scale, const struct screen *screen)
{
    const uint32_t sizes = scale->size_count < MAX_SIZES ? scale->size_count : MAX_SIZES;
    struct table table = table_of(scale->has_many_processes ? "ranks x threads" : "threads");
    add_size_columns(&table, scale, sizes);
    for (size_t line = 0; line < LINES; line++) {
        if (!is_shown(scale, line))
            continue;
        table_cell(&table, "%s", lines[line].title);
        for (uint32_t i = 0; i < sizes; i++)
            cell_measure(&table, &scale->sizes[column_size(scale, i, sizes)], line);
    }
    return table_print(&table, screen);
}

static int print_parts(const struct scale *scale, const struct screen *screen, unsigned top,
                       enum report_row_kind kind, const char *title)
{
    const uint32_t sizes = scale->size_count < MAX_SIZES ? scale->size_count : MAX_SIZES;
    struct table table = table_of(title);
    const unsigned max = top > 0 ? top : DEFAULT_REGIONS;
    unsigned count = 0;
    add_size_columns(&table, scale, sizes);
    table_column(&table, "speed-up", 1);
    table_column(&table, "best", 0);
    for (uint32_t i = 0; i < scale->part_count; i++) {
        const struct scale_part *part = &scale->parts[i];
        const struct report_row *first = part->rows[0];
        const struct report_row *last = part->rows[scale->size_count - 1];
        if (part->kind != kind || (part->share < MIN_SHARE && top != UINT_MAX) || ++count > max)
            continue;
        table_cell(&table, "%s", part->name);
        for (uint32_t k = 0; k < sizes; k++) {
            const struct report_row *row = part->rows[column_size(scale, k, sizes)];
            table_cell_if(&table, row != NULL, "%s", units_seconds(row != NULL ? row->value : 0).text);
        }
        const bool is_known = first != NULL && last != NULL && last->value > 0;
        table_cell_if(&table, is_known, "%.2f", is_known ? first->value / last->value : 0);
        table_cell(&table, "%s", scale->is_weak ? "-" : scale->sizes[part->best].label);
    }
    if (count == 0)
        return 0;
    fputc('\n', screen->out);
    int status = table_print(&table, screen);
    if (count > max)
        screen_paragraph(screen, 0, "... %u more", count - max);
    return status;
}

/* Formats "heat, by threads: 1 to 8, medians of 3 runs". */
static const char *describe_runs(const struct scale *scale, char line[SCALE_TEXT_BYTES])
{
    uint32_t min = UINT32_MAX;
    uint32_t max = 0;
    for (uint32_t i = 0; i < scale->size_count; i++) {
        min = scale->sizes[i].rows.runs < min ? scale->sizes[i].rows.runs : min;
        max = scale->sizes[i].rows.runs > max ? scale->sizes[i].rows.runs : max;
    }
    (void)snprintf(line, SCALE_TEXT_BYTES, "%.200s, by %s: %s to %s", scale->program, scale->varies,
                   scale->sizes[0].label, scale->sizes[scale->size_count - 1].label);
    if (max > 1)
        omptape_append(line, SCALE_TEXT_BYTES, ", medians of %u%s%.0u runs", min, min < max ? " to " : "",
                       min < max ? max : 0);
    if (scale->is_weak)
        omptape_append(line, SCALE_TEXT_BYTES, ". The work grows with the threads (--weak)");
    return line;
}

static void print_sentences(const struct scale *scale, const struct screen *screen)
{
    unsigned number = 0;
    for (uint32_t i = 0; i < scale->part_count; i++) {
        const struct scale_part *part = &scale->parts[i];
        const bool is_worth = part->kind == REPORT_ROW_WHOLE || part->stops_scaling || part->cause_count > 0;
        if (!is_worth || part->text[0] == '\0' || number >= DEFAULT_REGIONS)
            continue;
        if (++number == 1)
            fputc('\n', screen->out);
        screen_paragraph(screen, 3, "%u. %.200s%s %s", number, scale_part_name(part),
                         part->stops_scaling && !part->is_serial ? "" : ":", part->text);
    }
}

/* Explains the star below tables that mark a size with it. */
static void print_star(const struct scale *scale, const struct screen *screen)
{
    for (uint32_t i = 0; i < scale->size_count; i++)
        if (scale->sizes[i].is_oversubscribed) {
            screen_paragraph(screen, 2,
                             "* more threads than processors: left out of curves, and of what is said of "
                             "causes");
            return;
        }
}

/* Prints which further runs would give more information. */
static void print_advice(const struct scale *scale, const struct screen *screen)
{
    uint32_t alone = 0;
    for (uint32_t i = 0; i < scale->size_count; i++)
        alone += !scale->sizes[i].is_oversubscribed;
    if (alone < 3 && !scale->is_weak)
        screen_paragraph(
            screen, 0,
            "No curve: that takes three numbers of threads, each with a processor for each thread.");
    if (scale->size_count > 0 && scale->sizes[0].rows.runs < 2)
        screen_paragraph(screen, 0, "One run of each tells nothing of noise: --repeat 5 does.");
}

static int print_all_parts(const struct scale *scale, const struct screen *screen, unsigned top)
{
    const int status = print_parts(scale, screen, top, REPORT_ROW_PHASE, "phase");
    return status == 0 ? print_parts(scale, screen, top, REPORT_ROW_REGION, "region") : status;
}

int scale_print(const struct scale *scale, const struct screen *screen, unsigned top)
{
    char line[SCALE_TEXT_BYTES];
    screen_paragraph(screen, 2, "%s", describe_runs(scale, line));
    fputc('\n', screen->out);
    int status = print_sizes(scale, screen);
    if (status == 0)
        status = print_all_parts(scale, screen, top);
    if (status != 0)
        return status;
    print_star(scale, screen);
    print_sentences(scale, screen);
    print_advice(scale, screen);
    return 0;
}

/* Writes the conclusions first, then the curves and the sizes, then all regions. */
static int write_body(FILE *out, const void *data)
{
    const struct scale *scale = data;
    const struct screen screen = {.out = out, .is_html = true};
    char line[SCALE_TEXT_BYTES];
    fputs("<header><h1>", out);
    xml_quote(out, describe_runs(scale, line));
    fputs("</h1></header>\n<section>\n<h2>What more threads win</h2>\n", out);
    print_sentences(scale, &screen);
    print_advice(scale, &screen);
    fputs("</section>\n<div class=\"pair\">\n<section>\n<h2>Speed-up</h2>\n", out);
    int status = scale_write_svg(out, scale);
    fputs("</section>\n<section>\n<h2>Sizes</h2>\n", out);
    if (status == 0)
        status = print_sizes(scale, &screen);
    print_star(scale, &screen);
    fputs("</section>\n</div>\n<section>\n<h2>Parts</h2>\n", out);
    if (status == 0)
        status = print_all_parts(scale, &screen, UINT_MAX);
    fputs("</section>\n", out);
    return status;
}

int scale_write_html(FILE *out, const void *data)
{
    const struct scale *scale = data;
    return page_document(out, scale->program, write_body, scale);
}
