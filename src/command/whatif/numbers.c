/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists the numbers of `omptape whatif` under the names in docs/whatif.md (whatif.h).
 */
#include "src/command/whatif/whatif.h"

static const double NS = 1e-9;

static void write_rows(struct report_tree *tree, const char *key, const char *name,
                       const struct whatif_rows *rows, bool has_gain)
{
    report_tree_list(tree, key);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct whatif_row *row = &rows->list[i];
        report_tree_object(tree, NULL);
        report_tree_text(tree, name, row->name);
        report_tree_number(tree, "path_s", NS * (double)row->time);
        if (has_gain) {
            report_tree_number(tree, "gain_s", NS * (double)row->gain);
            report_tree_number(tree, "until_s", NS * (double)row->critical_until);
        }
        report_tree_end(tree);
    }
    report_tree_end(tree);
}

static void write_path(struct report_tree *tree, const struct whatif *whatif)
{
    report_tree_object(tree, "path");
    report_tree_number(tree, "work_s", NS * (double)whatif->path.work);
    report_tree_number(tree, "lag_s", NS * (double)whatif->path.lag);
    report_tree_end(tree);
    write_rows(tree, "regions", "region", &whatif->regions, true);
    write_rows(tree, "functions", "function", &whatif->functions, false);
    write_rows(tree, "phases", "phase", &whatif->phases, false);
    write_rows(tree, "threads", "thread", &whatif->threads, false);
}

static void write_scenario(struct report_tree *tree, const struct whatif *whatif,
                           const struct whatif_scenario *scenario)
{
    report_tree_object(tree, NULL);
    report_tree_text(tree, "scenario", scenario->text);
    report_tree_number(tree, "wall_s", NS * (double)scenario->wall);
    report_tree_number(tree, "gain_s", NS * ((double)whatif->wall - (double)scenario->wall));
    if (scenario->assumption != NULL)
        report_tree_text(tree, "assumption", scenario->assumption);
    else
        report_tree_null(tree, "assumption");
    report_tree_end(tree);
}

void whatif_write_numbers(struct report_tree *tree, const void *data)
{
    enum { FORMAT_VERSION = 1 };
    const struct whatif *whatif = data;
    report_tree_count(tree, "version", FORMAT_VERSION);
    report_tree_text(tree, "archive", whatif->archive);
    report_tree_number(tree, "wall_s", NS * (double)whatif->model.wall);
    report_tree_number(tree, "model_wall_s", NS * (double)whatif->wall);
    report_tree_number(tree, "model_error", whatif_error(whatif));
    report_tree_count(tree, "waits_without_end", whatif->unreproduced_waits);
    if (!whatif->is_scenario) {
        write_path(tree, whatif);
        return;
    }
    report_tree_list(tree, "scenarios");
    for (uint32_t i = 0; i < whatif->scenario_count; i++)
        write_scenario(tree, whatif, &whatif->scenarios[i]);
    report_tree_end(tree);
}
