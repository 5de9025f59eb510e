/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists the numbers of `omptape scale` under the names in docs/report.md (scale.h).
 */
#include "src/command/scale/scale.h"

#include "src/core/words.h"

#include <math.h>
#include <string.h>

static void write_or_null(struct value_tree *tree, const char *key, bool is_known, double number)
{
    value_tree_number(tree, key, is_known ? number : NAN);
}

static void write_numbers(struct value_tree *tree, const struct scale_size *size)
{
    value_tree_count(tree, "threads", size->threads);
    value_tree_count(tree, "processes", size->processes);
    value_tree_count(tree, "nodes", size->nodes);
}

static void write_row(struct value_tree *tree, const struct report_row *row)
{
    value_tree_number(tree, "time_s", row->value);
    value_tree_number(tree, "least_s", row->min);
    value_tree_number(tree, "most_s", row->max);
}

/* Lists the losses in thread seconds. */
static void write_losses(struct value_tree *tree, const struct report_row *row)
{
    value_tree_object(tree, "parts");
    for (int loss = 0; loss < REPORT_LOSSES; loss++) {
        char key[SCALE_LABEL_BYTES];
        (void)snprintf(key, sizeof(key), "%s_s", scale_loss_key((enum report_loss)loss));
        value_tree_number(tree, key, row->losses[loss]);
    }
    value_tree_end(tree);
}

static void write_size(struct value_tree *tree, const struct scale_size *size)
{
    write_numbers(tree, size);
    write_or_null(tree, "processors", size->processors > 0, size->processors);
    value_tree_count(tree, "is_oversubscribed", size->is_oversubscribed);
    value_tree_count(tree, "runs", size->rows.runs);
    write_row(tree, size->wall);
    value_tree_number(tree, "speedup", size->speedup);
    value_tree_number(tree, "efficiency", size->efficiency);
    write_or_null(tree, "computation", size->computation > 0, size->computation);
    for (uint32_t i = 0; i < size->rows.count; i++) {
        const struct report_row *row = &size->rows.list[i];
        if (row->kind != REPORT_ROW_EFFICIENCY)
            continue;
        value_tree_number(tree, report_factor_key(row->name), row->value);
    }
    write_losses(tree, size->wall);
}

static void write_fit(struct value_tree *tree, const struct scale_fit *fit)
{
    const bool is_known = fit->model != SCALE_MODEL_NONE;
    const bool is_normal = fit->model == SCALE_MODEL_NORMAL_FORM;
    value_tree_object(tree, "curve");
    value_tree_text(tree, "model", scale_model_name(fit->model));
    write_or_null(tree, "constant_s", is_known, fit->terms[0].seconds);
    write_or_null(tree, "constant_error_s", is_known, fit->constant_error);
    write_or_null(tree, "shared_s", is_known && !is_normal, fit->terms[1].seconds);
    write_or_null(tree, "growing_s", fit->model == SCALE_MODEL_USL, fit->terms[2].seconds);
    write_or_null(tree, "factor_s", is_normal, fit->terms[1].seconds);
    write_or_null(tree, "exponent", is_normal, fit->terms[1].exponent);
    write_or_null(tree, "log_exponent", is_normal, fit->terms[1].logarithms);
    write_or_null(tree, "error", is_known, fit->error);
    value_tree_end(tree);
}

static void write_prediction(struct value_tree *tree, const struct scale_prediction *prediction)
{
    value_tree_object(tree, "next");
    write_or_null(tree, "threads", prediction->threads > 0, prediction->threads);
    write_or_null(tree, "time_s", prediction->threads > 0, prediction->time);
    write_or_null(tree, "doubt_s", prediction->threads > 0, prediction->half_interval);
    write_or_null(tree, "enough_threads", prediction->enough > 0, prediction->enough);
    value_tree_end(tree);
}

static const char *kind_of(const struct scale_part *part)
{
    return part->kind == REPORT_ROW_WHOLE ? "whole" : part->kind == REPORT_ROW_PHASE ? "phase" : "region";
}

/* Lists a part without nesting, so that it fits into one line of CSV. */
static void write_part(struct value_tree *tree, const struct scale *scale, const struct scale_part *part)
{
    char causes[SCALE_TEXT_BYTES] = "";
    for (unsigned i = 0; i < part->cause_count; i++)
        omptape_append_item(causes, sizeof(causes), " ", "%s", scale_loss_key(part->causes[i].loss));
    value_tree_text(tree, "kind", kind_of(part));
    value_tree_text(tree, "region", part->kind == REPORT_ROW_WHOLE ? "" : part->name);
    value_tree_number(tree, "share", part->share);
    value_tree_count(tree, "best_threads", scale->sizes[part->best].threads);
    value_tree_count(tree, "is_stopped", part->stops_scaling);
    value_tree_number(tree, "gain_s", part->gain);
    value_tree_text(tree, "grows", causes);
    write_or_null(tree, "computation", part->computation > 0, part->computation);
    write_fit(tree, &part->fit);
    write_prediction(tree, &part->prediction);
    value_tree_text(tree, "text", part->text);
}

static void write_times(struct value_tree *tree, const struct scale *scale, const struct scale_part *part)
{
    const struct report_row *first = part->rows[0];
    for (uint32_t i = 0; i < scale->size_count; i++) {
        const struct report_row *row = part->rows[i];
        const double times = (double)scale->sizes[i].threads / scale->sizes[0].threads;
        const bool is_known = first != NULL && row != NULL && row->value > 0;
        const double speedup = is_known ? first->value / row->value * (scale->is_weak ? times : 1) : 0;
        if (row == NULL)
            continue;
        value_tree_object(tree, NULL);
        value_tree_text(tree, "kind", kind_of(part));
        value_tree_text(tree, "region", part->name);
        write_numbers(tree, &scale->sizes[i]);
        write_row(tree, row);
        write_or_null(tree, "speedup", is_known, speedup);
        write_or_null(tree, "efficiency", is_known, speedup / times);
        write_losses(tree, row);
        value_tree_end(tree);
    }
}

void scale_write_numbers(struct value_tree *tree, const void *data)
{
    enum { FORMAT_VERSION = 1 };
    const struct scale *scale = data;
    value_tree_count(tree, "version", FORMAT_VERSION);
    value_tree_text(tree, "program", scale->program);
    value_tree_text(tree, "varies", scale->varies);
    value_tree_count(tree, "is_weak", scale->is_weak);
    for (uint32_t i = 0; value_tree_row(tree, "sizes", i, scale->size_count); i++)
        write_size(tree, &scale->sizes[i]);
    for (uint32_t i = 0; value_tree_row(tree, "regions", i, scale->part_count); i++)
        write_part(tree, scale, &scale->parts[i]);
    for (uint32_t i = 0; value_tree_item(tree, "times", i, scale->part_count); i++)
        if (scale->parts[i].kind != REPORT_ROW_WHOLE)
            write_times(tree, scale, &scale->parts[i]);
}
