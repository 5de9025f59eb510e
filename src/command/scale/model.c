/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups runs by size, matches their regions, and finds from where on more threads are not faster (scale.h).
 */
#include "src/command/scale/scale.h"

#include "src/command/report/runs.h"
#include "src/core/array.h"
#include "src/core/sort.h"
#include "src/core/whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Minimum relative reduction of the time to count as faster. */
static const double MIN_TIME_REDUCTION = 0.03;
/* Share of the wall time. Smaller gains by a different number of threads for one region are ignored. */
static const double MIN_GAIN = 0.01;

static double value_of(const struct report_rows *rows, enum report_row_kind kind, const char *name)
{
    const struct report_row *row = report_rows_find(rows, kind, name);
    return row != NULL ? row->value : 0;
}

static uint32_t count_of(const struct report_rows *rows, enum report_row_kind kind, const char *name)
{
    const double value = value_of(rows, kind, name);
    return value >= 1 && value < UINT32_MAX ? (uint32_t)value : 1;
}

static struct scale_size *size_of(struct scale *scale, uint32_t processes, uint32_t threads, uint32_t nodes)
{
    for (uint32_t i = 0; i < scale->size_count; i++) {
        struct scale_size *size = &scale->sizes[i];
        if (size->processes == processes && size->threads == threads && size->nodes == nodes)
            return size;
    }
    struct scale_size *list = realloc(scale->sizes, (scale->size_count + 1) * sizeof(*list));
    if (list == NULL)
        return NULL;
    scale->sizes = list;
    struct scale_size *size = &list[scale->size_count++];
    *size = (struct scale_size){.processes = processes, .threads = threads, .nodes = nodes};
    return size;
}

int scale_add_run(struct scale *scale, struct report_rows *rows, uint32_t requested_threads)
{
    const uint32_t processes = count_of(rows, REPORT_ROW_COUNT, "processes");
    const uint32_t worked = count_of(rows, REPORT_ROW_COUNT, "threads");
    struct scale_size *size = size_of(scale, processes,
                                      requested_threads > 0 && processes < UINT32_MAX / requested_threads
                                          ? requested_threads * processes
                                          : worked,
                                      count_of(rows, REPORT_ROW_MACHINE, "nodes"));
    if (size == NULL)
        return -ENOMEM;
    size->processors = value_of(rows, REPORT_ROW_MACHINE, "processors");
    if (value_of(rows, REPORT_ROW_MACHINE, "oversubscribed") > 0)
        size->is_oversubscribed = true;
    for (uint32_t i = 0; i < rows->count; i++)
        if (rows->list[i].kind == REPORT_ROW_REGION)
            rows->list[i].value = rows->list[i].values[0] = rows->list[i].elapsed;
    int status = report_runs_merge(&size->rows, rows);
    report_rows_free(rows);
    return status;
}

static int by_threads(const void *left, const void *right)
{
    const struct scale_size *one = left;
    const struct scale_size *other = right;
    if (one->threads != other->threads)
        return omptape_order(one->threads, other->threads);
    return one->nodes != other->nodes ? omptape_order(one->nodes, other->nodes)
                                      : omptape_order(one->processes, other->processes);
}

/* Determines whether nodes, ranks or threads vary between the sizes, and labels the sizes. */
static void label_sizes(struct scale *scale)
{
    const struct scale_size *first = &scale->sizes[0];
    bool nodes = false;
    bool processes = false;
    bool threads = false;
    for (uint32_t i = 0; i < scale->size_count; i++) {
        const struct scale_size *size = &scale->sizes[i];
        nodes = nodes || size->nodes != first->nodes;
        processes = processes || size->processes != first->processes;
        threads = threads || size->threads / size->processes != first->threads / first->processes;
        scale->has_many_processes = scale->has_many_processes || size->processes > 1;
    }
    scale->varies = nodes ? "nodes" : processes ? "ranks" : "threads";
    for (uint32_t i = 0; i < scale->size_count; i++) {
        struct scale_size *size = &scale->sizes[i];
        if (scale->has_many_processes)
            (void)snprintf(size->label, sizeof(size->label), "%u x %u", size->processes,
                           size->threads / size->processes);
        else
            (void)snprintf(size->label, sizeof(size->label), "%u", size->threads);
    }
}

static void measure_sizes(struct scale *scale)
{
    const struct scale_size *first = &scale->sizes[0];
    for (uint32_t i = 0; i < scale->size_count; i++) {
        struct scale_size *size = &scale->sizes[i];
        const double times = (double)size->threads / first->threads;
        const double *start = first->wall->losses;
        const double *now = size->wall->losses;
        size->speedup = size->wall->value > 0 ? first->wall->value / size->wall->value : 0;
        size->speedup *= scale->is_weak ? times : 1;
        size->efficiency = size->speedup / times;
        size->computation =
            now[REPORT_LOSS_COMPUTING] > 0 ? start[REPORT_LOSS_COMPUTING] / now[REPORT_LOSS_COMPUTING] : 0;
        size->computation *= scale->is_weak ? times : 1;
    }
}

static struct scale_part *add_part(struct scale *scale, const struct report_row *row)
{
    if (!OMPTAPE_RESERVE(scale->parts, scale->part_count + 1, &scale->part_capacity))
        return NULL;
    const struct report_row **rows = calloc(scale->size_count, sizeof(rows[0]));
    if (rows == NULL || report_rows_add(&scale->known, row) == NULL) {
        free(rows);
        return NULL;
    }
    struct scale_part *part = &scale->parts[scale->part_count++];
    *part = (struct scale_part){.kind = row->kind, .rows = rows};
    return part;
}

/* Matches the rows of one size with the known parts and adds new parts. Returns 0 or -ENOMEM. */
static int join_size(struct scale *scale, uint32_t number)
{
    const struct report_row *const known = scale->known.list;
    const uint32_t before = scale->known.count;
    struct report_pairs pairs = {0};
    int status = report_pairs_make(&pairs, &(struct report_rows){.list = scale->known.list, .count = before},
                                   &scale->sizes[number].rows);
    for (uint32_t i = 0; status == 0 && i < pairs.count; i++)
        if (pairs.list[i].old != NULL)
            scale->parts[pairs.list[i].old - known].rows[number] = pairs.list[i].new;
    for (uint32_t i = 0; status == 0 && i < pairs.count; i++) {
        const struct report_pair *pair = &pairs.list[i];
        if (pair->old != NULL || (pair->kind != REPORT_ROW_WHOLE && pair->kind != REPORT_ROW_PHASE &&
                                  pair->kind != REPORT_ROW_REGION))
            continue;
        struct scale_part *part = add_part(scale, pair->new);
        if (part == NULL)
            status = -ENOMEM;
        else
            part->rows[number] = pair->new;
    }
    report_pairs_free(&pairs);
    return status;
}

static bool is_faster(const struct scale *scale, const struct scale_part *part, uint32_t later, uint32_t size)
{
    const struct report_row *now = part->rows[later];
    const struct report_row *then = part->rows[size];
    const uint32_t runs = scale->sizes[later].rows.runs;
    const uint32_t others = scale->sizes[size].rows.runs;
    return now->value < (1 - MIN_TIME_REDUCTION) * then->value &&
           report_runs_chance(now->values, runs, then->values, others) <= report_runs_level(runs, others);
}

/* Finds the first size after which no size is faster, and the time that it would save in the largest one. */
static void find_best(const struct scale *scale, struct scale_part *part)
{
    const uint32_t last = scale->size_count - 1;
    for (uint32_t i = 0; i < scale->size_count; i++) {
        bool pays = false;
        for (uint32_t k = i + 1; part->rows[i] != NULL && k <= last; k++)
            pays = pays || (part->rows[k] != NULL && is_faster(scale, part, k, i));
        part->best = i;
        if (part->rows[i] != NULL && !pays)
            break;
    }
    part->stops_scaling = part->best < last && part->rows[last] != NULL && !scale->is_weak;
    if (part->stops_scaling && part->rows[part->best] != NULL && is_faster(scale, part, part->best, last))
        part->gain = part->rows[last]->value - part->rows[part->best]->value;
    if (part->gain < MIN_GAIN * scale->sizes[last].wall->value)
        part->gain = 0;
}

/* Returns the relative random error of a size's median. */
static double noise_of(const struct report_row *row, uint32_t runs)
{
    return row->value > 0 ? (row->max - row->min) / 2 / row->value / sqrt(runs) : 0;
}

/* Predicts the time for twice the `max` threads of the fit, unless there are runs with more. The curve is not
 * followed further than MAX_TIMES the largest size. */
static void predict(const struct scale *scale, struct scale_part *part, uint32_t max)
{
    enum { MAX_TIMES = 4 };
    const double max_half_interval = 0.2;
    const double little = 0.9;
    const uint32_t twice = max < UINT32_MAX / (2 * MAX_TIMES) ? 2 * max : 0;
    const double time = scale_fit_time(&part->fit, twice);
    const double half_interval = scale_fit_half_interval(&part->fit, twice);
    const uint32_t first = scale->sizes[0].threads;
    if (part->fit.model == SCALE_MODEL_NONE || twice == 0 ||
        scale->sizes[scale->size_count - 1].threads > max || time <= 0 ||
        half_interval > max_half_interval * time)
        return;
    part->prediction =
        (struct scale_prediction){.threads = twice, .time = time, .half_interval = half_interval};
    for (uint32_t threads = first; part->prediction.enough == 0 && threads <= MAX_TIMES * max; threads *= 2)
        if (scale_fit_time(&part->fit, 2.0 * threads) > little * scale_fit_time(&part->fit, threads))
            part->prediction.enough = threads;
}

static void fit_part(const struct scale *scale, struct scale_part *part)
{
    double *threads = calloc(scale->size_count, sizeof(*threads));
    double *times = calloc(scale->size_count, sizeof(*times));
    uint32_t count = 0;
    double noise = 0;
    for (uint32_t i = 0; threads != NULL && times != NULL && i < scale->size_count; i++) {
        if (part->rows[i] == NULL || scale->sizes[i].is_oversubscribed)
            continue;
        if (count > 0 && threads[count - 1] >= scale->sizes[i].threads)
            continue; /* the same number of threads, divided differently */
        threads[count] = scale->sizes[i].threads;
        times[count++] = part->rows[i]->value;
        noise = fmax(noise, noise_of(part->rows[i], scale->sizes[i].rows.runs));
    }
    if (count > 0) {
        part->fit = scale_fit_times(threads, times, count, noise, scale->is_weak);
        predict(scale, part, (uint32_t)threads[count - 1]);
        if (scale->is_weak)
            part->prediction.enough = 0;
    }
    free(threads);
    free(times);
}

static void finish_part(const struct scale *scale, struct scale_part *part)
{
    for (uint32_t i = 0; i < scale->size_count; i++) {
        const double wall = scale->sizes[i].wall->value;
        if (part->rows[i] != NULL && wall > 0)
            part->share = fmax(part->share, part->rows[i]->value / wall);
    }
    find_best(scale, part);
    fit_part(scale, part);
    scale_find_causes(scale, part);
    scale_describe(scale, part);
}

static int by_share(const void *left, const void *right)
{
    const struct scale_part *one = left;
    const struct scale_part *other = right;
    if (one->kind != other->kind)
        return one->kind < other->kind ? -1 : 1;
    return one->share < other->share ? 1 : one->share > other->share ? -1 : strcmp(one->name, other->name);
}

int scale_finish(struct scale *scale)
{
    int status = 0;
    omptape_sort(scale->sizes, scale->size_count, sizeof(scale->sizes[0]), by_threads);
    for (uint32_t i = 0; i < scale->size_count; i++)
        scale->sizes[i].wall = report_rows_find(&scale->sizes[i].rows, REPORT_ROW_WHOLE, "wall");
    label_sizes(scale);
    measure_sizes(scale);
    for (uint32_t i = 0; status == 0 && i < scale->size_count; i++)
        status = join_size(scale, i);
    for (uint32_t i = 0; status == 0 && i < scale->part_count; i++) {
        scale->parts[i].name = scale->known.list[i].name;
        finish_part(scale, &scale->parts[i]);
    }
    for (uint32_t i = 0; i < scale->known.count; i++)
        if (scale->known.list[i].construct == OMPTAPE_REGION_PROGRAM)
            scale->program = scale->known.list[i].name;
    if (status == 0)
        omptape_sort(scale->parts, scale->part_count, sizeof(scale->parts[0]), by_share);
    return status;
}

void scale_free(struct scale *scale)
{
    for (uint32_t i = 0; i < scale->size_count; i++)
        report_rows_free(&scale->sizes[i].rows);
    for (uint32_t i = 0; i < scale->part_count; i++)
        free(scale->parts[i].rows);
    free(scale->sizes);
    free(scale->parts);
    report_rows_free(&scale->known);
}
