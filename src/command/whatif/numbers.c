/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists the numbers of `omptape whatif` under the names in docs/whatif.md (whatif.h).
 */
#include "src/command/whatif/whatif.h"

static const double NS = 1e-9;

static void write_rows(struct value_tree *tree, const char *key, const char *name,
                       const struct whatif_rows *rows, bool has_gain)
{
    for (uint32_t i = 0; value_tree_row(tree, key, i, rows->count); i++) {
        const struct whatif_row *row = &rows->list[i];
        value_tree_text(tree, name, row->name);
        value_tree_number(tree, "path_s", NS * (double)row->time);
        if (has_gain) {
            value_tree_number(tree, "gain_s", NS * (double)row->gain);
            value_tree_number(tree, "until_s", NS * (double)row->critical_until);
        }
    }
}

static void write_path(struct value_tree *tree, const struct whatif *whatif)
{
    value_tree_object(tree, "path");
    value_tree_number(tree, "work_s", NS * (double)whatif->path.work);
    value_tree_number(tree, "lag_s", NS * (double)whatif->path.lag);
    value_tree_end(tree);
    write_rows(tree, "regions", "region", &whatif->regions, true);
    write_rows(tree, "functions", "function", &whatif->functions, false);
    write_rows(tree, "phases", "phase", &whatif->phases, false);
    write_rows(tree, "threads", "thread", &whatif->threads, false);
}

static void write_scenario(struct value_tree *tree, const struct whatif *whatif,
                           const struct whatif_scenario *scenario)
{
    value_tree_text(tree, "scenario", scenario->text);
    value_tree_number(tree, "wall_s", NS * (double)scenario->wall);
    value_tree_number(tree, "gain_s", NS * ((double)whatif->wall - (double)scenario->wall));
    value_tree_text(tree, "assumption", scenario->assumption);
}

void whatif_write_numbers(struct value_tree *tree, const void *data)
{
    enum { FORMAT_VERSION = 1 };
    const struct whatif *whatif = data;
    value_tree_count(tree, "version", FORMAT_VERSION);
    value_tree_text(tree, "archive", whatif->archive);
    value_tree_number(tree, "wall_s", NS * (double)whatif->model.wall);
    value_tree_number(tree, "model_wall_s", NS * (double)whatif->wall);
    value_tree_number(tree, "model_error", whatif_error(whatif));
    value_tree_count(tree, "waits_without_end", whatif->unreproduced_waits);
    if (!whatif->is_scenario) {
        write_path(tree, whatif);
        return;
    }
    for (uint32_t i = 0; value_tree_row(tree, "scenarios", i, whatif->scenario_count); i++)
        write_scenario(tree, whatif, &whatif->scenarios[i]);
}
