/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the changes as JSON with the names in docs/report.md (compare.h).
 */
#include "src/command/compare/compare.h"

#include "src/command/text/units.h"

#include <math.h>

static void write_both(struct value_tree *tree, const struct report_pair *pair, const char *before,
                       const char *after)
{
    value_tree_number(tree, before, pair->old != NULL ? pair->before : NAN);
    value_tree_number(tree, after, pair->new != NULL ? pair->after : NAN);
}

static void write_line(struct value_tree *tree, const char *key, const struct report_row *row)
{
    value_tree_number(tree, key, row != NULL && row->line > 0 ? (double)row->line : NAN);
}

static void write_values(struct value_tree *tree, const char *key, const struct compare_side *side,
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
    char before[UNITS_TEXT_BYTES];
    char after[UNITS_TEXT_BYTES];
    (void)snprintf(before, sizeof(before), "runs_before%s", unit);
    (void)snprintf(after, sizeof(after), "runs_after%s", unit);
    write_values(tree, before, &comparison->before, pair->old);
    write_values(tree, after, &comparison->after, pair->new);
    value_tree_number(tree, "p", compare_is_repeated(comparison) ? pair->chance : NAN);
    value_tree_count(tree, "is_noise", pair->is_noise);
}

/* Writes a list of pairs. `key` is the JSON key of the names. */
static void write_pairs(struct value_tree *tree, const struct comparison *comparison, const char *list,
                        const char *key, enum report_row_kind kind)
{
    const struct report_pairs *pairs = &comparison->pairs;
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
        write_runs(tree, comparison, pair, "_s");
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

static void write_archives(struct value_tree *tree, const char *key, const struct compare_side *side)
{
    for (uint32_t i = 0; value_tree_item(tree, key, i, side->paths.count); i++)
        value_tree_text(tree, NULL, side->paths.items[i]);
}

static void write_whole(struct value_tree *tree, const struct comparison *comparison,
                        const struct report_pair *pair)
{
    const char *unit = pair->kind == REPORT_ROW_COUNT ? "" : "_s";
    char before[UNITS_TEXT_BYTES];
    char after[UNITS_TEXT_BYTES];
    if (pair->kind != REPORT_ROW_WHOLE && pair->kind != REPORT_ROW_COUNT && pair->kind != REPORT_ROW_WORK)
        return;
    (void)snprintf(before, sizeof(before), "%.12s_before%s", pair->name, unit);
    (void)snprintf(after, sizeof(after), "%.12s_after%s", pair->name, unit);
    write_both(tree, pair, before, after);
    if (pair->kind == REPORT_ROW_WHOLE)
        write_runs(tree, comparison, pair, "_s");
}

void compare_write_numbers(struct value_tree *tree, const void *data)
{
    enum { FORMAT_VERSION = 1 };
    const struct comparison *comparison = data;
    const struct report_pairs *pairs = &comparison->pairs;
    value_tree_count(tree, "version", FORMAT_VERSION);
    value_tree_text(tree, "before", comparison->before.paths.items[0]);
    value_tree_text(tree, "after", comparison->after.paths.items[0]);
    write_archives(tree, "archives_before", &comparison->before);
    write_archives(tree, "archives_after", &comparison->after);
    for (uint32_t i = 0; i < pairs->count; i++)
        write_whole(tree, comparison, &pairs->list[i]);
    value_tree_list(tree, "efficiency");
    for (uint32_t i = 0; i < pairs->count; i++) {
        if (pairs->list[i].kind != REPORT_ROW_EFFICIENCY)
            continue;
        value_tree_object(tree, NULL);
        value_tree_text(tree, "name", pairs->list[i].name);
        write_both(tree, &pairs->list[i], "before", "after");
        write_runs(tree, comparison, &pairs->list[i], "");
        value_tree_end(tree);
    }
    value_tree_end(tree);
    write_pairs(tree, comparison, "findings", "place", REPORT_ROW_FINDING);
    write_pairs(tree, comparison, "phases", "phase", REPORT_ROW_PHASE);
    write_pairs(tree, comparison, "regions", "region", REPORT_ROW_REGION);
    write_pairs(tree, comparison, "functions", "in_function", REPORT_ROW_FUNCTION);
}
