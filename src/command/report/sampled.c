/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints samples in `omptape report`: the functions in which a construct's threads were found most often.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"
#include "src/command/report/numbers.h"
#include "src/command/report/state.h"

#include "src/core/array.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/core/words.h"

#include <inttypes.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

/* HOTTEST: number of functions shown for a construct. None below 1/INVERSE_MIN_SHARE of the run is. */
enum { HOTTEST = 3, INVERSE_MIN_SHARE = 20, MIN_SAMPLES_SHOWN = 3 };

/* Least share of the samples, per cent, of a function on the first screen. */
static const double min_share = 5;

static double percent_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Returns the largest sample count of an entry. Entries are sorted by samples plus looks at blocked threads,
 * so the first one may not be the largest. */
static uint64_t max_samples(const struct omptape_inside *inside)
{
    uint64_t max = 0;
    for (uint32_t i = 0; i < inside->entry_count; i++)
        max = inside->entries[i].count > max ? inside->entries[i].count : max;
    return max;
}

/* Writes "count @parse.c:31 73 %, ..., of 97 samples". Few samples have numbers; too few one function. */
static void describe_all(const struct omptape_inside *inside, char *text, size_t bytes)
{
    char place[SCREEN_TEXT_BYTES / 4];
    const struct units_text all = units_count(inside->count);
    const bool few = inside->count < OMPTAPE_INSIDE_FEW;
    const uint32_t max = inside->count < OMPTAPE_INSIDE_TOO_FEW ? 1 : HOTTEST;
    uint32_t shown = 0;
    text[0] = '\0';
    if (!few && percent_of(max_samples(inside), inside->count) < min_share) {
        (void)snprintf(text, bytes, "no function has more than %.0f %% of %s samples", min_share, all.text);
        return;
    }
    for (uint32_t i = 0; i < inside->entry_count && shown < max; i++) {
        const struct omptape_inside_entry *entry = &inside->entries[i];
        const double share = percent_of(entry->count, inside->count);
        if (entry->count == 0 || (shown > 0 && share < min_share))
            continue;
        omptape_append_item(text, bytes, ", ", "%s ",
                            omptape_inside_describe(&entry->call, place, sizeof(place)));
        if (few)
            omptape_append(text, bytes, "%s", units_count(entry->count).text);
        else
            omptape_append(text, bytes, "%.0f %%", share);
        if (shown++ == 0)
            omptape_append(text, bytes, " of %s samples", all.text);
    }
    if (inside->count < OMPTAPE_INSIDE_TOO_FEW)
        omptape_append(text, bytes, " (too few to tell)");
}

/* Describes and frees `inside`. Returns false if there are too few samples. */
static bool describe_hottest(struct omptape_inside *inside, char *text, size_t bytes)
{
    const bool some = inside->count >= MIN_SAMPLES_SHOWN;
    text[0] = '\0';
    if (some)
        describe_all(inside, text, bytes);
    omptape_inside_free(inside);
    return some;
}

bool report_hottest(const struct omptape_analysis *analysis, const struct analysis_region *region,
                    const struct analysis_serial *serial, char *text, size_t bytes)
{
    struct omptape_inside inside;
    return omptape_inside_gather(analysis, region, serial, &inside) && describe_hottest(&inside, text, bytes);
}

/* Threads of one name that OpenMP does not know. */
struct other_threads {
    const char *name;
    uint64_t count;
    uint64_t ns; /* processor time */
};

/* Lists the sampled other threads with at least 1/INVERSE_MIN_SHARE of the run, busiest first; the caller
 * frees the list. Returns their number. */
static uint32_t list_others(const struct omptape_analysis *analysis, struct other_threads **list)
{
    const double min = omptape_analysis_seconds(analysis, omptape_minus(analysis->end, analysis->begin)) *
                       1e9 / (double)INVERSE_MIN_SHARE;
    struct omptape_rows names = {0};
    uint32_t count = 0;
    *list = NULL;
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < analysis->sampled_count; i++) {
        struct other_threads other = {.name = analysis->sampled[i]->thread};
        const uint32_t known = names.count;
        if (other.name == NULL ||
            omptape_rows_number(&names, other.name, omptape_inside_stem(other.name)) < known || names.failed)
            continue;
        other.ns = omptape_inside_thread_ns(analysis->reader, other.name, &other.count);
        if ((double)other.ns < min || !OMPTAPE_RESERVE(*list, count + 1, &capacity))
            continue;
        uint32_t at = count++;
        for (; at > 0 && (*list)[at - 1].ns < other.ns; at--)
            (*list)[at] = (*list)[at - 1];
        (*list)[at] = other;
    }
    omptape_rows_free(&names);
    return count;
}

/* Writes "2 threads "worker", which OpenMP does not know, ran for 3.1 s in all; inside: ...". Returns false
 * if there are too few samples. */
static bool describe_others(const struct omptape_analysis *analysis, const struct other_threads *others,
                            char *line, size_t bytes)
{
    char hottest[SCREEN_TEXT_BYTES];
    struct omptape_inside inside;
    if (!omptape_inside_gather_thread(analysis, others->name, &inside) ||
        !describe_hottest(&inside, hottest, sizeof(hottest)))
        return false;
    const bool one = others->count == 1;
    (void)snprintf(line, bytes,
                   "%" PRIu64 " thread%s \"%s\", which OpenMP does not know, ran for %s%s; inside: %s",
                   others->count, one ? "" : "s", others->name[0] != '\0' ? others->name : "(no name)",
                   units_time(others->ns).text, one ? "" : " in all", hottest);
    return true;
}

/* Prints how many threads without a location there were, if they took as large a part of the run. */
static void print_unseen(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    const double run =
        omptape_analysis_seconds(analysis, omptape_minus(analysis->end, analysis->begin)) * 1e9;
    double ns = 0;
    double count = 0;
    for (uint32_t i = 0; i < analysis->process_count; i++) {
        ns += omptape_findings_number(analysis, i, OMPTAPE_KEY_OTHER_TIME);
        count += omptape_findings_number(analysis, i, OMPTAPE_KEY_OTHER_THREADS);
    }
    if (report->whole && count > 0 && ns * (double)INVERSE_MIN_SHARE >= run)
        screen_paragraph(
            &report->screen, 2,
            "%.0f thread%s that OpenMP does not know ran for %s in all, without a location of %s own", count,
            count > 1 ? "s" : "", units_time(omptape_whole(ns)).text, count > 1 ? "their" : "its");
}

void report_print_other_threads(const struct report *report)
{
    struct other_threads *list;
    const uint32_t count = list_others(report->analysis, &list);
    const uint32_t max = report->all ? UINT32_MAX : HOTTEST;
    char line[2 * SCREEN_TEXT_BYTES];
    for (uint32_t i = 0; i < count && i < max; i++)
        if (describe_others(report->analysis, &list[i], line, sizeof(line)))
            screen_paragraph(&report->screen, 2, "%s", line);
    free(list);
    print_unseen(report);
}

bool report_callers(const struct omptape_analysis *analysis, const struct analysis_region *region, char *text,
                    size_t bytes)
{
    struct omptape_inside callers;
    if (!omptape_inside_gather_callers(analysis, region, &callers))
        return false;
    const bool several = callers.count >= OMPTAPE_INSIDE_TOO_FEW && callers.entry_count > 1 &&
                         percent_of(callers.entries[1].count, callers.count) >= min_share;
    text[0] = '\0';
    if (several)
        describe_all(&callers, text, bytes);
    omptape_inside_free(&callers);
    return several;
}

/* Writes "for @solver.c:112 takes 61 % of the run; inside: ...". The share refers to the time of all threads.
 */
static void describe_region(const struct omptape_analysis *analysis, const struct analysis_region *region,
                            const char *hottest, char *line, size_t bytes)
{
    const uint64_t threads = analysis->threads > 0 ? analysis->threads : 1;
    (void)snprintf(line, bytes, "%s takes %s of the run; inside: %s", region->shown,
                   report_percent((double)report_cost(region) / (double)threads,
                                  (double)omptape_minus(analysis->end, analysis->begin))
                       .text,
                   hottest);
}

static void print_region(const struct report *report, const struct analysis_region *region,
                         const char *hottest)
{
    const struct omptape_analysis *analysis = report->analysis;
    char line[2 * SCREEN_TEXT_BYTES];
    char callers[SCREEN_TEXT_BYTES];
    describe_region(analysis, region, hottest, line, sizeof(line));
    (void)screen_wrap(&report->screen, 0, 2, line);
    if (report_callers(analysis, region, callers, sizeof(callers))) {
        (void)snprintf(line, sizeof(line), "called from: %s", callers);
        fputs("\n  ", report->screen.out);
        (void)screen_wrap(&report->screen, 2, 2, line);
    }
    fputc('\n', report->screen.out);
}

/* Returns true if a finding above shows the region. */
static bool is_in_finding(const struct report *report, const struct analysis_region *region)
{
    const struct omptape_analysis *analysis = report->analysis;
    unsigned shown = 0;
    for (uint32_t i = 0; i < analysis->finding_count && shown < report->findings; i++) {
        if (report_is_folded(report, i))
            continue;
        if (omptape_inside_is_beside(analysis->findings[i].region, region) &&
            analysis->findings[i].serial == NULL)
            return true;
        shown++;
    }
    return false;
}

static int compare_costs(const void *left, const void *right)
{
    const struct analysis_region *one = *(const struct analysis_region *const *)left;
    const struct analysis_region *other = *(const struct analysis_region *const *)right;
    const uint64_t cost = report_cost(one);
    const uint64_t other_cost = report_cost(other);
    return cost != other_cost ? omptape_order(other_cost, cost)
                              : omptape_order(one->definition->id, other->definition->id);
}

/* Returns the regions sorted by cost. Returns NULL if out of memory. */
static struct analysis_region **list_largest(const struct omptape_analysis *analysis)
{
    struct analysis_region **list =
        calloc((size_t)analysis->region_count + 1, sizeof(struct analysis_region *));
    if (list == NULL || analysis->region_count == 0)
        return list;
    memcpy(list, analysis->regions, analysis->region_count * sizeof(struct analysis_region *));
    omptape_sort(list, analysis->region_count, sizeof(struct analysis_region *), compare_costs);
    return list;
}

bool report_hottest_region(const struct omptape_analysis *analysis, char *line, size_t bytes)
{
    char hottest[SCREEN_TEXT_BYTES];
    const struct analysis_region *largest = NULL;
    for (uint32_t i = 0; i < analysis->region_count && analysis->sampled_count > 0; i++)
        if (largest == NULL || report_cost(analysis->regions[i]) > report_cost(largest))
            largest = analysis->regions[i];
    struct other_threads *others;
    const double cost = largest != NULL ? omptape_analysis_seconds(analysis, report_cost(largest)) * 1e9 : 0;
    const uint32_t count = list_others(analysis, &others);
    bool found =
        count > 0 && (double)others[0].ns > cost && describe_others(analysis, &others[0], line, bytes);
    if (!found && largest != NULL && report_hottest(analysis, largest, NULL, hottest, sizeof(hottest))) {
        describe_region(analysis, largest, hottest, line, bytes);
        found = true;
    }
    free(others);
    return found;
}

bool report_print_samples(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    const uint32_t max = report->all ? UINT32_MAX : HOTTEST;
    const uint64_t threads = analysis->threads > 0 ? analysis->threads : 1;
    const uint64_t min = omptape_minus(analysis->end, analysis->begin) / INVERSE_MIN_SHARE * threads;
    struct analysis_region **regions = analysis->sampled_count > 0 ? list_largest(analysis) : NULL;
    char hottest[SCREEN_TEXT_BYTES];
    uint32_t shown = 0;
    for (uint32_t i = 0; regions != NULL && i < analysis->region_count && i < max; i++) {
        if (report_cost(regions[i]) < min || report_is_only_waiting(regions[i]) ||
            is_in_finding(report, regions[i]) ||
            !report_hottest(analysis, regions[i], NULL, hottest, sizeof(hottest)))
            continue;
        print_region(report, regions[i], hottest);
        shown++;
    }
    free(regions);
    return shown > 0;
}

void report_print_serial_samples(const struct report *report, uint32_t count)
{
    const struct omptape_analysis *analysis = report->analysis;
    const uint64_t processes = analysis->at_once;
    const uint64_t min = omptape_minus(analysis->end, analysis->begin) / INVERSE_MIN_SHARE;
    char hottest[SCREEN_TEXT_BYTES];
    for (uint32_t i = 0; i < count && analysis->sampled_count > 0; i++) {
        const struct analysis_serial *serial = analysis->serials[i];
        if (serial->sum / processes < min ||
            !report_hottest(analysis, NULL, serial, hottest, sizeof(hottest)))
            continue;
        const bool has_before = serial->before != NULL;
        const struct analysis_region *next = has_before ? serial->before : serial->after;
        if (next == NULL)
            screen_paragraph(&report->screen, 2, "the whole run: %s", hottest);
        else
            screen_paragraph(&report->screen, 2, "serial %s %s: %s", has_before ? "before" : "after",
                             next->shown, hottest);
    }
}

/* Samples of one source line in a construct. */
struct line_sum {
    const struct analysis_region *region;
    const char *thread;
    struct omptape_inside_frame frame;
    uint64_t count;
    uint64_t blocked;
};

/* Returns the innermost function of a path; for a sleeping thread the function that it called last. */
static struct omptape_inside_frame innermost(const struct omptape_reader *reader,
                                             const struct analysis_sampled *row)
{
    const struct omptape_definition *caller = omptape_inside_caller(reader, row->context);
    return omptape_inside_frame(reader, row->blocked > 0 && caller != NULL ? caller : row->context);
}

/* Sums up the samples by line; *count receives the number of lines. Returns NULL if out of memory. */
static struct line_sum *sum_lines(const struct omptape_analysis *analysis, uint32_t *count)
{
    struct omptape_rows keys = {0};
    struct line_sum *sums = calloc((size_t)analysis->sampled_count + 1, sizeof(*sums));
    char text[2 * SCREEN_TEXT_BYTES];
    for (uint32_t i = 0; i < analysis->sampled_count && sums != NULL; i++) {
        const struct analysis_sampled *row = analysis->sampled[i];
        const struct omptape_inside_frame frame = innermost(analysis->reader, row);
        (void)snprintf(text, sizeof(text), "%p\n%p\n%s\n%s\n%u", (const void *)row->region,
                       (const void *)row->thread, frame.function != NULL ? frame.function : "", frame.file,
                       frame.line);
        struct line_sum *sum = &sums[omptape_rows_text(&keys, text)];
        sum->region = row->region;
        sum->thread = row->thread;
        sum->frame = frame;
        sum->count += row->count;
        sum->blocked += row->blocked;
    }
    *count = keys.count;
    omptape_rows_free(&keys);
    return sums;
}

static int compare_lines(const void *left, const void *right)
{
    const struct line_sum *one = left;
    const struct line_sum *other = right;
    return one->count != other->count ? omptape_order(other->count, one->count)
                                      : omptape_order(other->blocked, one->blocked);
}

void report_write_samples(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    uint32_t count = 0;
    struct line_sum *sums = sum_lines(analysis, &count);
    tree->no_memory |= sums == NULL;
    omptape_sort(sums, count, sizeof(*sums), compare_lines);
    for (uint32_t i = 0; value_tree_row(tree, "samples", i, count); i++) {
        report_write_place(tree, sums[i].region);
        value_tree_text(tree, "thread", sums[i].thread != NULL ? sums[i].thread : "");
        value_tree_text(tree, "in_function", sums[i].frame.function != NULL ? sums[i].frame.function : "");
        value_tree_text(tree, "in_file", sums[i].frame.file);
        value_tree_count(tree, "in_line", sums[i].frame.line);
        value_tree_count(tree, "count", sums[i].count);
        value_tree_count(tree, "blocked", sums[i].blocked);
    }
    free(sums);
}

/* Writes a path, outermost function first: "main @a.c:7;f @a.c:3;strlen". */
static void write_stack(struct value_tree *tree, const struct omptape_reader *reader,
                        const struct omptape_definition *context)
{
    char text[8 * SCREEN_TEXT_BYTES];
    char frame_text[SCREEN_TEXT_BYTES];
    size_t at = sizeof(text) - 1;
    text[at] = '\0';
    for (; context != NULL; context = omptape_inside_caller(reader, context)) {
        const struct omptape_inside_frame frame = omptape_inside_frame(reader, context);
        const int length =
            frame.line > 0
                ? snprintf(frame_text, sizeof(frame_text), "%s @%s:%u%s",
                           frame.function != NULL ? frame.function : "", omptape_base_name(frame.file),
                           frame.line, text[at] != '\0' ? ";" : "")
                : snprintf(frame_text, sizeof(frame_text), "%s%s",
                           frame.function != NULL ? frame.function : "", text[at] != '\0' ? ";" : "");
        if (length < 0 || (size_t)length >= sizeof(frame_text) || (size_t)length > at)
            break;
        at -= (size_t)length;
        memcpy(text + at, frame_text, (size_t)length);
    }
    value_tree_text(tree, "stack", text + at);
}

void report_write_serial(struct value_tree *tree, const struct analysis_serial *serial)
{
    value_tree_text(tree, "after", serial != NULL && serial->after != NULL ? serial->after->label : "");
    value_tree_text(tree, "before", serial != NULL && serial->before != NULL ? serial->before->label : "");
}

void report_write_sampled_place(struct value_tree *tree, const struct analysis_sampled *row)
{
    report_write_place(tree, row->region);
    report_write_serial(tree, row->serial);
    value_tree_text(tree, "thread", row->thread != NULL ? row->thread : "");
}

void report_write_call_paths(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "call_paths", i, analysis->sampled_count); i++) {
        const struct analysis_sampled *row = analysis->sampled[i];
        report_write_sampled_place(tree, row);
        write_stack(tree, analysis->reader, row->context);
        value_tree_count(tree, "count", row->count);
        value_tree_count(tree, "waiting", row->waiting);
        value_tree_count(tree, "blocked", row->blocked);
    }
}
