/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape compare A B`: what became faster or slower. Called by main.c. Each archive is read in a
 * guarded child process, which writes its rows to an anonymous file.
 */
#include "src/command/report/report.h"

#include "src/archive/read/guard.h"
#include "src/command/page/page.h"
#include "src/command/report/choice.h"
#include "src/command/report/file.h"
#include "src/command/report/gates.h"
#include "src/command/report/pairs.h"
#include "src/command/report/runs.h"
#include "src/command/report/state.h"
#include "src/command/text/table.h"
#include "src/command/text/usage.h"
#include "src/core/message.h"
#include "src/core/whole.h"
#include "src/job/processors.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_ROWS = 10, CHANGE_BYTES = 24 };
static const double OFTEN = 2;
static const double min_change = 1e-3; /* share of the wall time; smaller changes are not shown */

static const char USAGE[] =
    "Usage: omptape compare [options] BEFORE AFTER\n"
    "       omptape compare [options] BEFORE... -- AFTER...\n"
    "\n"
    "Compares two OTF2 archives of a program, before and after a change: the run as a\n"
    "whole, its efficiencies, what each finding loses and how long each region takes\n"
    "(as omptape report counts it). What changed most comes first. A construct whose\n"
    "line moved is found again by its file and function. Each side may be several runs\n"
    "('before-*' 'after-*'): then it shows medians, and calls a change within their\n"
    "noise none (Mann-Whitney's test).\n"
    "\n"
    "  --all         all rows, also those that hardly changed\n"
    "  --top N       at most N rows of each table\n"
    "These write a file in place of the text (\"-\": to the standard output):\n"
    "  --json FILE   everything, as JSON\n"
    "  --html FILE   a page: both timelines on one scale, and all tables\n"
    "For pipelines:\n"
    "  --fail-if EXPRESSION\n"
    "                exit code 3 and a line if it is true: 'wall>+5%',\n"
    "                'region:solver>+10%', 'parallel<-0.05', of AFTER alone\n"
    "                'parallel<0.8'. It may be given several times\n"
    "  --junit FILE  what became of these, as JUnit's XML\n"
    "\n"
    "Exit code: 0; 3 where an expression of --fail-if is true; or 2 if an archive\n"
    "cannot be read. docs/report.md has the expressions.\n";

/* The runs before or after a change. */
struct side {
    struct omptape_string_list paths;
    struct report_rows rows;
};

struct comparison {
    struct side before;
    struct side after;
    struct report_file json;
    struct report_file html;
    struct report_gates gates;
    unsigned top;
    struct omptape_screen screen;
};

/* Returns the relative change, "-21 %", or "new" or "gone" if one side is missing. */
static const char *change_text(const struct report_pair *pair, char text[CHANGE_BYTES])
{
    double change = 100 * (pair->after - pair->before) / (pair->before > 0 ? pair->before : 1);
    if (pair->is_noise)
        (void)snprintf(text, CHANGE_BYTES, "none");
    else if (pair->old == NULL || pair->before <= 0)
        (void)snprintf(text, CHANGE_BYTES, pair->after > 0 ? "new" : "");
    else if (pair->new == NULL)
        (void)snprintf(text, CHANGE_BYTES, "gone");
    else
        (void)snprintf(text, CHANGE_BYTES, "%+.0f %%", fabs(change) < 0.5 ? 0 : change);
    return text;
}

static void cell_seconds(struct omptape_table *table, bool is_there, double seconds, bool is_signed)
{
    char unit[OMPTAPE_UNIT_BYTES];
    const char *sign = !is_signed ? "" : seconds > 0 ? "+" : seconds < 0 ? "-" : "";
    if (is_there)
        omptape_table_cell(table, "%s%s", sign, omptape_units_seconds(fabs(seconds), unit));
    else
        omptape_table_cell(table, "-");
}

static int print_pairs(const struct comparison *comparison, const struct report_pairs *pairs,
                       enum report_row_kind kind, const char *title)
{
    const struct omptape_table_column columns[] = {
        {.title = title},
        {.title = "before"},
        {.title = "after"},
        {.title = "change", .dispensable = 2, .style = OMPTAPE_SCREEN_GAIN},
        {.title = "", .dispensable = 1},
    };
    struct omptape_table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(columns[0])};
    unsigned max = comparison->top > 0 ? comparison->top : DEFAULT_ROWS;
    unsigned count = 0;
    double min = comparison->top == UINT_MAX ? 0 : min_change * pairs->wall;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct report_pair *pair = &pairs->list[i];
        char change[CHANGE_BYTES];
        /* A change in samples must be larger than their statistical error. */
        const double min_change_of_pair = fmax(min, OFTEN * pair->error);
        const bool is_little =
            (min > 0 && pair->is_noise) || fabs(pair->after - pair->before) < min_change_of_pair;
        if (pair->kind != kind || is_little || ++count > max)
            continue;
        omptape_table_cell(&table, "%s", pair->name);
        cell_seconds(&table, pair->old != NULL, pair->before, false);
        cell_seconds(&table, pair->new != NULL, pair->after, false);
        cell_seconds(&table, true, pair->after - pair->before, true);
        omptape_table_cell(&table, "%s", change_text(pair, change));
    }
    if (count == 0)
        return 0;
    fputc('\n', comparison->screen.out);
    int status = omptape_table_print(&table, &comparison->screen);
    if (count > max)
        omptape_screen_paragraph(&comparison->screen, 0, "... %u more", count - max);
    return status;
}

/* Returns true for communication if neither run used MPI. */
static bool is_of_nothing(const struct report_pair *pair)
{
    return strcmp(pair->name, "communication") == 0 && pair->before >= 1 && pair->after >= 1;
}

static int print_shares(const struct comparison *comparison, const struct report_pairs *pairs)
{
    static const struct omptape_table_column columns[] = {{.title = "efficiency"},
                                                          {.title = "before", .dispensable = 1},
                                                          {.title = "after"},
                                                          {.title = "change"}};
    struct omptape_table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(columns[0])};
    const double percent = 100;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct report_pair *pair = &pairs->list[i];
        if (pair->kind != REPORT_ROW_EFFICIENCY || is_of_nothing(pair))
            continue;
        omptape_table_cell(&table, "%s", pair->name);
        omptape_table_cell(&table, "%.0f %%", percent * pair->before);
        omptape_table_cell(&table, "%.0f %%", percent * pair->after);
        if (pair->is_noise)
            omptape_table_cell(&table, "none");
        else
            omptape_table_cell(&table, "%+.0f", percent * (pair->after - pair->before));
    }
    fputc('\n', comparison->screen.out);
    return omptape_table_print(&table, &comparison->screen);
}

static void print_line(const struct comparison *comparison, const struct report_pair *pair)
{
    char before[OMPTAPE_UNIT_BYTES];
    char after[OMPTAPE_UNIT_BYTES];
    char change[CHANGE_BYTES];
    if (pair->kind == REPORT_ROW_COUNT)
        omptape_screen_paragraph(&comparison->screen, 0, "%s: %s -> %s", pair->name,
                                 omptape_units_count(omptape_whole(pair->before), before),
                                 omptape_units_count(omptape_whole(pair->after), after));
    else
        omptape_screen_paragraph(&comparison->screen, 0, "%s: %s -> %s%s (%s)", pair->name,
                                 omptape_units_seconds(pair->before, before),
                                 omptape_units_seconds(pair->after, after),
                                 pair->kind == REPORT_ROW_WORK ? " in all" : "", change_text(pair, change));
}

static bool is_repeated(const struct comparison *comparison)
{
    return comparison->before.rows.runs + comparison->after.rows.runs > 2;
}

/* Describes the runs of a side: "3 runs of 1.01 s to 1.12 s". */
static void describe_spread(const struct side *side, const struct report_row *row, char *text, size_t bytes)
{
    char min[OMPTAPE_UNIT_BYTES];
    char max[OMPTAPE_UNIT_BYTES];
    omptape_units_seconds(row->min, min);
    omptape_units_seconds(row->max, max);
    if (side->rows.runs > 1)
        (void)snprintf(text, bytes, "%u runs of %s to %s", side->rows.runs, min, max);
    else
        (void)snprintf(text, bytes, "1 run of %s", max);
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
    omptape_screen_paragraph(
        &comparison->screen, 2, "medians: %s, %s (p = %.3f)%s", before, after, wall->chance,
        level > usual ? ". With so few runs, sides differ only if they do not overlap: four of "
                        "each would tell more"
                      : "");
}

/* Prints the rows about the whole run. Counts are printed only if they changed. */
static void print_whole(const struct comparison *comparison, const struct report_pairs *pairs)
{
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct report_pair *pair = &pairs->list[i];
        if (pair->kind == REPORT_ROW_WHOLE || pair->kind == REPORT_ROW_WORK ||
            (pair->kind == REPORT_ROW_COUNT && pair->before != pair->after))
            print_line(comparison, pair);
        if (pair->kind == REPORT_ROW_WHOLE && pair->old != NULL &&
            pair->new != NULL &&is_repeated(comparison))
            print_runs(comparison, pair);
    }
}

/* Data of the JSON file and the page. */
struct changes {
    const struct comparison *comparison;
    const struct report_pairs *pairs;
};

static void write_both(struct value_tree *tree, const struct report_pair *pair, const char *before,
                       const char *after)
{
    if (pair->old != NULL)
        value_tree_number(tree, before, pair->before);
    else
        value_tree_null(tree, before);
    if (pair->new != NULL)
        value_tree_number(tree, after, pair->after);
    else
        value_tree_null(tree, after);
}

static void write_line(struct value_tree *tree, const char *key, const struct report_row *row)
{
    if (row != NULL && row->line > 0)
        value_tree_count(tree, key, row->line);
    else
        value_tree_null(tree, key);
}

static void write_values(struct value_tree *tree, const char *key, const struct side *side,
                         const struct report_row *row)
{
    value_tree_list(tree, key);
    for (uint32_t i = 0; row != NULL && i < side->rows.runs; i++)
        value_tree_number(tree, NULL, row->values[i]);
    value_tree_end(tree);
}

/* Writes the values of repeated runs, and whether they differ. */
static void write_runs(struct value_tree *tree, const struct comparison *comparison,
                       const struct report_pair *pair, const char *unit)
{
    char before[OMPTAPE_UNIT_BYTES];
    char after[OMPTAPE_UNIT_BYTES];
    (void)snprintf(before, sizeof(before), "runs_before%s", unit);
    (void)snprintf(after, sizeof(after), "runs_after%s", unit);
    write_values(tree, before, &comparison->before, pair->old);
    write_values(tree, after, &comparison->after, pair->new);
    if (is_repeated(comparison))
        value_tree_number(tree, "p", pair->chance);
    else
        value_tree_null(tree, "p");
    value_tree_count(tree, "is_noise", pair->is_noise);
}

/* Writes a list of pairs. `key` is the JSON key of the names. */
static void write_pairs(struct value_tree *tree, const struct changes *changes, const char *list,
                        const char *key, enum report_row_kind kind)
{
    const struct report_pairs *pairs = changes->pairs;
    value_tree_list(tree, list);
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct report_pair *pair = &pairs->list[i];
        const struct report_row *shown = pair->new != NULL ? pair->new : pair->old;
        if (pair->kind != kind)
            continue;
        value_tree_object(tree, NULL);
        if (kind == REPORT_ROW_FINDING)
            value_tree_text(tree, "kind", omptape_finding_key(shown->finding));
        value_tree_text(tree, key, shown->name + shown->place);
        write_line(tree, "line_before", pair->old);
        write_line(tree, "line_after", pair->new);
        write_both(tree, pair, "before_s", "after_s");
        value_tree_number(tree, "change_s", pair->after - pair->before);
        write_runs(tree, changes->comparison, pair, "_s");
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

static void write_archives(struct value_tree *tree, const char *key, const struct side *side)
{
    value_tree_list(tree, key);
    for (uint32_t i = 0; i < side->paths.count; i++)
        value_tree_text(tree, NULL, side->paths.items[i]);
    value_tree_end(tree);
}

static void write_whole(struct value_tree *tree, const struct comparison *comparison,
                        const struct report_pair *pair)
{
    const char *unit = pair->kind == REPORT_ROW_COUNT ? "" : "_s";
    char before[OMPTAPE_UNIT_BYTES];
    char after[OMPTAPE_UNIT_BYTES];
    if (pair->kind != REPORT_ROW_WHOLE && pair->kind != REPORT_ROW_COUNT && pair->kind != REPORT_ROW_WORK)
        return;
    (void)snprintf(before, sizeof(before), "%.12s_before%s", pair->name, unit);
    (void)snprintf(after, sizeof(after), "%.12s_after%s", pair->name, unit);
    write_both(tree, pair, before, after);
    if (pair->kind == REPORT_ROW_WHOLE)
        write_runs(tree, comparison, pair, "_s");
}

static void write_changes(struct value_tree *tree, const void *data)
{
    enum { FORMAT_VERSION = 1 };
    const struct changes *changes = data;
    const struct report_pairs *pairs = changes->pairs;
    value_tree_count(tree, "version", FORMAT_VERSION);
    value_tree_text(tree, "before", changes->comparison->before.paths.items[0]);
    value_tree_text(tree, "after", changes->comparison->after.paths.items[0]);
    write_archives(tree, "archives_before", &changes->comparison->before);
    write_archives(tree, "archives_after", &changes->comparison->after);
    for (uint32_t i = 0; i < pairs->count; i++)
        write_whole(tree, changes->comparison, &pairs->list[i]);
    value_tree_list(tree, "efficiency");
    for (uint32_t i = 0; i < pairs->count; i++) {
        if (pairs->list[i].kind != REPORT_ROW_EFFICIENCY)
            continue;
        value_tree_object(tree, NULL);
        value_tree_text(tree, "name", pairs->list[i].name);
        write_both(tree, &pairs->list[i], "before", "after");
        write_runs(tree, changes->comparison, &pairs->list[i], "");
        value_tree_end(tree);
    }
    value_tree_end(tree);
    write_pairs(tree, changes, "findings", "place", REPORT_ROW_FINDING);
    write_pairs(tree, changes, "phases", "phase", REPORT_ROW_PHASE);
    write_pairs(tree, changes, "regions", "region", REPORT_ROW_REGION);
    write_pairs(tree, changes, "functions", "in_function", REPORT_ROW_FUNCTION);
}

static int write_json(FILE *out, const void *changes)
{
    return value_tree_write_json(out, write_changes, changes);
}

/* Returns true if a file is written instead of the text. */
static bool wants_file(const struct comparison *comparison)
{
    return comparison->json.name != NULL || comparison->html.name != NULL ||
           comparison->gates.junit.is_output;
}

static int print_parts(const struct comparison *comparison, const struct report_pairs *pairs)
{
    int status = print_pairs(comparison, pairs, REPORT_ROW_FINDING, "finding");
    if (status == 0)
        status = print_pairs(comparison, pairs, REPORT_ROW_PHASE, "phase");
    if (status == 0)
        status = print_pairs(comparison, pairs, REPORT_ROW_REGION, "region");
    if (status == 0)
        status = print_pairs(comparison, pairs, REPORT_ROW_FUNCTION, "function, by samples");
    return status;
}

static int print_text(const struct comparison *comparison, const struct report_pairs *pairs)
{
    print_whole(comparison, pairs);
    const int status = print_shares(comparison, pairs);
    return status == 0 ? print_parts(comparison, pairs) : status;
}

/* Draws the timeline of the run that is closest to the side's median. */
static int draw_side(FILE *out, const char *title, const struct side *side, double seconds)
{
    const struct report_row *wall = report_rows_find(&side->rows, REPORT_ROW_WHOLE, "wall");
    uint32_t nearest = 0;
    for (uint32_t i = 1; wall != NULL && i < side->paths.count; i++)
        if (fabs(wall->values[i] - wall->value) < fabs(wall->values[nearest] - wall->value))
            nearest = i;
    fprintf(out, "<h2>%s: ", title);
    omptape_xml_quote(out, side->paths.items[nearest]);
    fputs("</h2>\n", out);
    return report_runs_draw("compare", side->paths.items[nearest], seconds, out);
}

static int write_body(FILE *out, const void *data)
{
    const struct changes *changes = data;
    const struct report_pairs *pairs = changes->pairs;
    struct comparison comparison = *changes->comparison;
    comparison.screen = (struct omptape_screen){.out = out, .is_html = true};
    fputs("<header><h1>What changed</h1></header>\n<section>\n", out);
    print_whole(&comparison, pairs);
    fputs("</section>\n<section>\n", out);
    int status = draw_side(out, "before", &comparison.before, pairs->wall);
    if (status == 0)
        status = draw_side(out, "after", &comparison.after, pairs->wall);
    fputs("</section>\n<section>\n<h2>Parts</h2>\n", out);
    if (status == 0)
        status = print_shares(&comparison, pairs);
    if (status == 0)
        status = print_parts(&comparison, pairs);
    fputs("</section>\n", out);
    return status;
}

static int write_html(FILE *out, const void *changes)
{
    return omptape_page_document(out, "compare", write_body, changes);
}

/* Prints or writes the changes and evaluates the gates. Returns the exit code. */
static int answer(struct comparison *comparison)
{
    const struct report_rows *before = &comparison->before.rows;
    const struct report_rows *after = &comparison->after.rows;
    char error[OMPTAPE_ATOMIC_FILE_ERROR_BYTES];
    struct report_pairs pairs = {0};
    const struct changes changes = {comparison, &pairs};
    int code = OMPTAPE_EXIT_ERROR;
    int status = report_pairs_make(&pairs, before, after);
    if (status == 0)
        report_runs_test(&pairs, before->runs, after->runs);
    comparison->screen.out = stdout;
    if (status == 0 && !wants_file(comparison))
        status = print_text(comparison, &pairs);
    if (status != 0)
        snprintf(error, sizeof(error), "cannot compare: %s", omptape_cause(status));
    if (status == 0 && comparison->json.name != NULL)
        status = report_file_write(&comparison->json, stdout, write_json, &changes, error, sizeof(error));
    if (status == 0 && comparison->html.name != NULL)
        status = report_file_write(&comparison->html, stdout, write_html, &changes, error, sizeof(error));
    if (status != 0) {
        omptape_message("compare: %s", error);
        goto out;
    }
    report_file_announce(&comparison->json);
    report_file_announce(&comparison->html);
    code = report_gates_evaluate(&comparison->gates, &(struct report_gates_side){&pairs, 0}, 1);
out:
    report_pairs_free(&pairs);
    return code;
}

static int prepare(struct comparison *comparison, const char *top)
{
    const struct report_file_option files[] = {
        {"json", &comparison->json}, {"html", &comparison->html}, {"junit", &comparison->gates.junit}};
    if (report_choice_read_top("compare", top, &comparison->top) != 0 ||
        report_gates_read(&comparison->gates, "compare", REPORT_GATES_SCOPE_CHANGE) != 0)
        return -EINVAL;
    return report_files_open(files, sizeof(files) / sizeof(files[0]), "compare");
}

/* Reads all runs of a side. Returns the exit code. */
static int read_side(struct side *side)
{
    int code = OMPTAPE_EXIT_OK;
    if (side->paths.count > REPORT_MAX_RUNS) {
        omptape_message("compare: %u archives on one side; there may be %d", side->paths.count,
                        REPORT_MAX_RUNS);
        return OMPTAPE_EXIT_ERROR;
    }
    for (uint32_t i = 0; code == OMPTAPE_EXIT_OK && i < side->paths.count; i++) {
        struct report_rows rows = {0};
        code = report_runs_read("compare", side->paths.items[i], &rows);
        const int status = code == OMPTAPE_EXIT_OK ? report_runs_merge(&side->rows, &rows) : 0;
        if (status != 0) {
            omptape_message("compare: %s", omptape_cause(status));
            code = OMPTAPE_EXIT_ERROR;
        }
        report_rows_free(&rows);
    }
    return code;
}

/* Returns the position of the last number in the last part of a path, or the path's end. *digits receives its
 * length. */
static size_t find_number(const char *path, size_t *digits)
{
    size_t at = strlen(path);
    while (at > 0 && path[at - 1] != '/' && !isdigit((unsigned char)path[at - 1]))
        at--;
    const size_t end = at;
    while (at > 0 && isdigit((unsigned char)path[at - 1]))
        at--;
    *digits = end - at;
    return at;
}

/* Returns true if the paths differ only in the last number of their last part: "before-1" and "before-12". */
static bool is_same_series(const char *one, const char *other)
{
    size_t one_digits;
    size_t other_digits;
    const size_t at = find_number(one, &one_digits);
    return at == find_number(other, &other_digits) && strncmp(one, other, at) == 0 &&
           strcmp(one + at + one_digits, other + at + other_digits) == 0;
}

/* Assigns the operands to the sides: by "--", as two operands, or by their names. Returns false after one
 * line if this is ambiguous. */
static bool divide(struct comparison *comparison, const struct omptape_operands *operands)
{
    const char *const *list = operands->list;
    const bool is_split = operands->split > 0 && operands->split < operands->count;
    const char *second = NULL;
    bool is_clear = true;
    for (int i = 0; i < operands->count; i++) {
        bool is_first = is_split ? i < operands->split : i == 0;
        if (!is_split && operands->count > 2) {
            is_first = is_same_series(list[0], list[i]);
            second = is_first || second != NULL ? second : list[i];
            is_clear = is_clear && (is_first || is_same_series(second, list[i]));
        }
        report_runs_find(is_first ? &comparison->before.paths : &comparison->after.paths, list[i]);
    }
    if (is_clear && comparison->after.paths.count > 0)
        return true;
    omptape_message(
        "compare: which of the %d archives are of before, and which of after? Put -- between them",
        operands->count);
    return false;
}

static void free_side(struct side *side)
{
    report_rows_free(&side->rows);
    omptape_string_list_free(&side->paths);
}

int omptape_command_compare(int argc, char **argv)
{
    struct comparison comparison = {
        .json = report_no_file, .html = report_no_file, .gates.junit = report_no_file};
    struct omptape_operands archives = {0};
    const char *top = NULL;
    bool all = false;
    const struct omptape_usage_option options[] = {
        {.name = "all", .on = &all},
        {.name = "top", .text = &top, .value = "N"},
        {.name = "json", .text = &comparison.json.name, .value = "FILE", .makes_file = true},
        {.name = "html", .text = &comparison.html.name, .value = "FILE", .makes_file = true},
        {.name = "fail-if", .list = &comparison.gates.texts, .value = "EXPRESSION"},
        {.name = "junit", .text = &comparison.gates.junit.name, .value = "FILE", .makes_file = true}};
    const struct omptape_usage usage = {
        "compare", USAGE, "archive", options, sizeof(options) / sizeof(options[0]), .newest = false};
    int code = OMPTAPE_EXIT_ERROR;
    int parsed = omptape_usage_parse_many(&usage, argc, argv, &archives, 2);
    if (parsed > 0)
        code = OMPTAPE_EXIT_OK;
    if (parsed != 0 || !divide(&comparison, &archives) || prepare(&comparison, top) != 0)
        goto out;
    comparison.top = all ? UINT_MAX : comparison.top;
    comparison.screen = omptape_screen_of(STDOUT_FILENO);
    code = read_side(&comparison.before);
    if (code == OMPTAPE_EXIT_OK)
        code = read_side(&comparison.after);
    if (code == OMPTAPE_EXIT_OK)
        code = answer(&comparison);
out:
    free(archives.list);
    free_side(&comparison.before);
    free_side(&comparison.after);
    report_gates_free(&comparison.gates);
    report_file_close(&comparison.json);
    report_file_close(&comparison.html);
    return code;
}
