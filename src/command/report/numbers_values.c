/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that many objects of the report have (numbers.h).
 */
#include "src/command/report/numbers.h"

#include "src/command/report/state.h"
#include "src/core/whole.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

enum { KEY_BYTES = 64 };
static const double NS_PER_SECOND = 1e9;

/* Whole ones. No integer: a slow clock's largest times have more of them than fit into one. */
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

/* A part is told as the whole nanoseconds between its ends, all parts behind each other: so they add up,
 * which ticks of some fraction of a nanosecond, each rounded by itself, do not. */
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
