/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What `omptape report` shows of samples: the functions in which a construct's threads were found most often.
 * Called by findings.c, tables.c and numbers.c.
 */
#include "src/command/report/numbers.h"
#include "src/command/report/section.h"

#include "src/core/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More functions of a construct are not shown. */
enum { HOTTEST = 3 };

struct hot_function {
    const struct analysis_sampled *line; /* the one with most samples */
    uint64_t count;                      /* of all its lines */
};

static int compare_counts(const void *left, const void *right)
{
    const struct hot_function *one = left;
    const struct hot_function *other = right;
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    return (one->line->place > other->line->place) - (one->line->place < other->line->place);
}

static bool is_same_function(const struct analysis_sampled *one, const struct analysis_sampled *other)
{
    return strcmp(one->function, other->function) == 0 && strcmp(one->file, other->file) == 0;
}

/* The functions of the region's samples, in the order of their samples; *samples: all of them. */
static uint32_t list_functions(const struct omptape_analysis *analysis, const struct analysis_region *region,
                               struct hot_function *functions, uint64_t *samples)
{
    uint32_t count = 0;
    *samples = 0;
    for (uint32_t i = 0; i < analysis->sampled_count; i++) {
        const struct analysis_sampled *line = analysis->sampled[i];
        uint32_t at = 0;
        if (line->region != region)
            continue;
        while (at < count && !is_same_function(functions[at].line, line))
            at++;
        if (at == count)
            functions[count++] = (struct hot_function){.line = line};
        functions[at].count += line->count;
        *samples += line->count;
    }
    qsort(functions, count, sizeof(*functions), compare_counts);
    return count;
}

/* "strlen @parse.c:31". */
static void describe(const struct analysis_sampled *line, char *text, size_t bytes)
{
    if (line->line > 0)
        (void)snprintf(text, bytes, "%s @%s:%u", line->function, omptape_base_name(line->file), line->line);
    else
        (void)snprintf(text, bytes, "%s", line->function);
}

bool report_hottest(const struct omptape_analysis *analysis, const struct analysis_region *region, char *text,
                    size_t bytes)
{
    struct hot_function *functions = calloc((size_t)analysis->sampled_count + 1, sizeof(*functions));
    char place[OMPTAPE_SCREEN_TEXT_BYTES / 4];
    char number[OMPTAPE_UNIT_BYTES];
    char all[OMPTAPE_UNIT_BYTES];
    uint64_t samples = 0;
    size_t used = 0;
    const uint32_t count = functions != NULL ? list_functions(analysis, region, functions, &samples) : 0;
    for (uint32_t i = 0; i < count && i < HOTTEST && used < bytes; i++) {
        describe(functions[i].line, place, sizeof(place));
        used += (size_t)snprintf(text + used, bytes - used, i == 0 ? "%s %s of %s samples" : ", %s %s", place,
                                 omptape_units_count(functions[i].count, number),
                                 omptape_units_count(samples, all));
    }
    free(functions);
    return count > 0;
}

/* Of the regions that take most. */
int report_print_samples(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    const uint32_t most = report->all ? analysis->region_count : HOTTEST;
    char line[2 * OMPTAPE_SCREEN_TEXT_BYTES];
    char hottest[OMPTAPE_SCREEN_TEXT_BYTES];
    uint32_t shown = 0;
    for (uint32_t i = 0; i < analysis->region_count && shown < most; i++) {
        const struct analysis_region *region = analysis->regions[i];
        if (report_is_mere_waiting(region) || !report_hottest(analysis, region, hottest, sizeof(hottest)))
            continue;
        if (shown++ == 0)
            fputc('\n', report->screen.out);
        (void)snprintf(line, sizeof(line), "in %s: %s", region->shown, hottest);
        (void)omptape_screen_words(&report->screen, 0, 2, line);
        fputc('\n', report->screen.out);
    }
    return 0;
}

void report_tell_samples(struct report_tree *tree, const struct omptape_analysis *analysis)
{
    report_tree_list(tree, "samples");
    for (uint32_t i = 0; i < analysis->sampled_count; i++) {
        const struct analysis_sampled *line = analysis->sampled[i];
        report_tree_object(tree, NULL);
        report_tell_place(tree, line->region);
        report_tree_text(tree, "in_function", line->function);
        report_tree_text(tree, "in_file", line->file);
        report_tree_count(tree, "in_line", line->line);
        report_tree_count(tree, "count", line->count);
        report_tree_end(tree);
    }
    report_tree_end(tree);
}
