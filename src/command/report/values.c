/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the values that the program reports by name. Called by tables.c, phases.c and numbers.c.
 */
#include "src/command/report/numbers.h"
#include "src/command/report/state.h"

#include "src/analysis/values.h"

static void cell_number(struct report_section *section, uint64_t ordered)
{
    table_cell_if(&section->table, ordered != 0, "%.6g", omptape_values_number(ordered));
}

int report_print_values(const struct report *report)
{
    const struct omptape_analysis *analysis = report->analysis;
    struct report_section section = report_section_begin(report, "value|times:1|smallest|largest|last",
                                                         analysis->value_count, REPORT_DEFAULT_REGIONS);
    for (uint32_t i = 0; i < section.shown; i++) {
        const struct analysis_value *value = analysis->values[i];
        table_cell(&section.table, "%s", value->name);
        report_cell_count(&section, value->count);
        cell_number(&section, value->smallest);
        cell_number(&section, value->largest);
        cell_number(&section, value->last);
    }
    return report_section_end(&section);
}

void report_write_values(struct value_tree *tree, const struct omptape_analysis *analysis)
{
    for (uint32_t i = 0; value_tree_row(tree, "values", i, analysis->value_count); i++) {
        const struct analysis_value *value = analysis->values[i];
        value_tree_text(tree, "name", value->name);
        value_tree_count(tree, "count", value->count);
        value_tree_count(tree, "not_finite", value->not_finite);
        value_tree_real(tree, "smallest", omptape_values_number(value->smallest));
        value_tree_real(tree, "largest", omptape_values_number(value->largest));
        value_tree_real(tree, "last", omptape_values_number(value->last));
    }
}
