/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints counters in `omptape report`: their shares by region, and the functions with the largest values.
 */
#include "src/analysis/findings/counted_functions.h"
#include "src/command/report/numbers.h"
#include "src/command/report/state.h"
#include "src/command/text/units.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/core/words.h"

#include <errno.h>
#include <stdlib.h>

/* FUNCTIONS: number of functions shown for a counter. One below min_percent of the counter is not shown. */
enum { FUNCTIONS = 3, ROWS = 5, FEW_COUNTERS = 3 };
static const double min_percent = 5;

/* Two counters whose quotient is shown. Both are 0 if one of them was not counted. */
struct pair {
    uint32_t over;
    uint32_t under;
};

static struct pair find_pair(const struct omptape_analysis *analysis)
{
    struct pair pair = {omptape_counter_number(analysis, "instructions"),
                        omptape_counter_number(analysis, "cycles")};
    return pair.over > 0 && pair.under > 0 ? pair : (struct pair){0, 0};
}

/* Sorts regions with counters by processor time, largest first. */
static int compare_regions(const void *left, const void *right)
{
    const struct analysis_region *one = *(const struct analysis_region *const *)left;
    const struct analysis_region *other = *(const struct analysis_region *const *)right;
    const int order = omptape_order(other->counted.sums[0], one->counted.sums[0]);
    return order != 0 ? order : omptape_order(one->definition->id, other->definition->id);
}

static struct analysis_region **list_regions(const struct omptape_analysis *analysis, uint32_t *count)
{
    struct analysis_region **list =
        calloc((size_t)analysis->region_count + 1, sizeof(struct analysis_region *));
    *count = 0;
    for (uint32_t i = 0; i < analysis->region_count && list != NULL; i++)
        if (analysis->regions[i]->counted.sums[0] > 0)
            list[(*count)++] = analysis->regions[i];
    if (list != NULL)
        omptape_sort(list, *count, sizeof(struct analysis_region *), compare_regions);
    return list;
}

/* Returns the counts outside of all regions: threads waited, or were in no region. */
static struct analysis_counts find_rest(const struct omptape_analysis *analysis,
                                        const struct analysis_counts *total)
{
    struct analysis_counts rest = *total;
    for (uint32_t i = 0; i < analysis->region_count; i++)
        for (uint32_t k = 0; k < analysis->counter_count; k++)
            rest.sums[k] = omptape_minus(rest.sums[k], analysis->regions[i]->counted.sums[k]);
    return rest;
}

/* Adds a count to the table, with its share if there are few counters. */
static void add_count(struct report_section *section, uint64_t count, uint64_t total)
{
    const struct units_text number = units_count(count);
    if (section->analysis->counter_count <= FEW_COUNTERS && total > 0)
        table_cell(&section->table, "%s (%s)", number.text,
                   report_percent((double)count, (double)total).text);
    else
        table_cell(&section->table, "%s", number.text);
}

static void add_row(struct report_section *section, const char *label, const struct analysis_counts *counts,
                    const struct analysis_counts *total)
{
    const struct omptape_analysis *analysis = section->analysis;
    const struct pair pair = find_pair(analysis);
    table_cell(&section->table, "%s", label);
    table_cell(&section->table, "%s", units_time(counts->sums[0]).text);
    for (uint32_t i = 1; i < analysis->counter_count; i++)
        add_count(section, counts->sums[i], total->sums[i]);
    if (pair.under > 0 && counts->sums[pair.under] > 0)
        table_cell(&section->table, "%.2f",
                   (double)counts->sums[pair.over] / (double)counts->sums[pair.under]);
    else if (pair.under > 0)
        table_cell(&section->table, "-");
}

/* Writes the functions with the largest part of a counter: "touch @a.c:18 98 %, ...". */
static void describe_functions(const struct omptape_counted_function *list, uint32_t count, uint32_t counter,
                               uint64_t all, char *text, size_t bytes)
{
    char place[SCREEN_TEXT_BYTES / 4];
    uint64_t before = UINT64_MAX;
    text[0] = '\0';
    for (unsigned shown = 0; shown < FUNCTIONS; shown++) {
        const struct omptape_counted_function *max = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (list[i].counted.sums[counter] < before &&
                (max == NULL || list[i].counted.sums[counter] > max->counted.sums[counter]))
                max = &list[i];
        const double percent =
            max != NULL && all > 0 ? 100 * (double)max->counted.sums[counter] / (double)all : 0;
        if (percent < min_percent)
            break;
        omptape_append_item(text, bytes, ", ", "%s %.0f %%",
                            omptape_inside_describe(&max->call, place, sizeof(place)), percent);
        before = max->counted.sums[counter];
    }
}

static int print_functions(const struct report *report, const struct analysis_counts *total)
{
    const struct omptape_analysis *analysis = report->analysis;
    uint32_t count = 0;
    struct omptape_counted_function *list = omptape_counted_functions(analysis, &count);
    char text[SCREEN_TEXT_BYTES];
    if (list == NULL)
        return -ENOMEM;
    for (uint32_t i = 1; i < analysis->counter_count; i++) {
        describe_functions(list, count, i, total->sums[i], text, sizeof(text));
        if (text[0] != '\0')
            screen_paragraph(&report->screen, 2, "%s: %s", analysis->counters[i], text);
    }
    free(list);
    return 0;
}

/* Prints how often the counters were read. Values between two readings are distributed by time. */
static void print_resolution(const struct report *report)
{
    struct omptape_reader *reader = report->analysis->reader;
    const uint64_t period = omptape_reader_sample_period(reader, -1);
    if (period > 0)
        screen_paragraph(&report->screen, 2,
                         "counters are read at each sample, every %s of a thread's processor time: what lies "
                         "between two is shared out among the regions by the time in each",
                         units_time(period).text);
}

/* Prints which further counters would explain a low IPC. */
static void print_no_counts(const struct report *report)
{
    const struct analysis_region *region = omptape_counters_would_explain(report->analysis);
    if (region != NULL)
        screen_paragraph(&report->screen, 2,
                         "--counters=cycles,instructions,cache-misses,branch-misses tells why %s does few "
                         "instructions in a cycle",
                         region->shown);
}

int report_print_counters(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    const struct analysis_counts total = omptape_counted_total(analysis);
    const struct analysis_counts rest = find_rest(analysis, &total);
    uint32_t count = 0;
    if (analysis->counter_count == 0 || total.sums[0] == 0)
        return 0;
    struct analysis_region **regions = list_regions(analysis, &count);
    if (regions == NULL)
        return -ENOMEM;
    struct report_section section = report_section_begin(report, "counted in|processor", count, ROWS);
    for (uint32_t i = 1; i < analysis->counter_count; i++)
        table_column(&section.table, analysis->counters[i], i >= FEW_COUNTERS ? i : 0);
    if (find_pair(analysis).under > 0)
        table_column(&section.table, "IPC", 0);
    for (uint32_t i = 0; i < section.shown; i++)
        add_row(&section, regions[i]->shown, &regions[i]->counted, &total);
    add_row(&section, "waiting, elsewhere", &rest, &total);
    free(regions);
    int status = report_section_end(&section);
    if (status == 0)
        status = print_functions(report, &total);
    print_resolution(report);
    print_no_counts(report);
    return status;
}

static void write_count(struct value_tree *tree, const char *counter, uint64_t count, uint64_t total)
{
    value_tree_text(tree, "counter", counter);
    value_tree_count(tree, "count", count);
    value_tree_number(tree, "share", total > 0 ? (double)count / (double)total : 0);
}

static void write_region(struct value_tree *tree, const struct omptape_analysis *analysis,
                         const struct analysis_region *region, const struct analysis_counts *counts,
                         const struct analysis_counts *total)
{
    for (uint32_t i = 0; i < analysis->counter_count; i++) {
        value_tree_object(tree, NULL);
        report_write_place(tree, region);
        write_count(tree, analysis->counters[i], counts->sums[i], total->sums[i]);
        value_tree_end(tree);
    }
}

static void write_function(struct value_tree *tree, const struct omptape_analysis *analysis,
                           const struct omptape_counted_function *function,
                           const struct analysis_counts *total)
{
    const struct omptape_inside_call *call = &function->call;
    const struct omptape_inside_frame *frame = call->own.function != NULL ? &call->own : &call->called;
    for (uint32_t i = 1; i < analysis->counter_count; i++) {
        if (function->counted.sums[i] == 0)
            continue;
        value_tree_object(tree, NULL);
        report_write_place(tree, function->region);
        report_write_serial(tree, function->serial);
        value_tree_text(tree, "in_function", frame->function != NULL ? frame->function : "");
        value_tree_text(tree, "in_file", frame->file != NULL ? frame->file : "");
        value_tree_text(tree, "calls",
                        frame == &call->own && call->called.function != NULL ? call->called.function : "");
        write_count(tree, analysis->counters[i], function->counted.sums[i], total->sums[i]);
        value_tree_end(tree);
    }
}

void report_write_counters(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    const struct analysis_counts total = omptape_counted_total(analysis);
    const struct analysis_counts rest = find_rest(analysis, &total);
    uint32_t count = 0;
    value_tree_list(tree, "counters");
    for (uint32_t i = 0; i < analysis->region_count; i++)
        if (analysis->regions[i]->counted.sums[0] > 0)
            write_region(tree, analysis, analysis->regions[i], &analysis->regions[i]->counted, &total);
    if (total.sums[0] > 0)
        write_region(tree, analysis, NULL, &rest, &total);
    value_tree_end(tree);
    struct omptape_counted_function *list = omptape_counted_functions(analysis, &count);
    tree->no_memory |= list == NULL;
    for (uint32_t i = 0; value_tree_item(tree, "counted_functions", i, list != NULL ? count : 0); i++)
        write_function(tree, analysis, &list[i], &total);
    free(list);
}
