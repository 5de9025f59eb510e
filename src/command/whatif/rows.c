/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the tables of the critical path (whatif.h). A region's possible gain is simulated: without its
 * work, and with less of it.
 */
#include "src/command/whatif/whatif.h"

#include "src/core/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Minimum share of the wall time for a row. */
static const double MIN_SHARE = 0.005;
/* Tolerance in comparing the run's gain with the reduction of the path. */
static const double SAME_SHARE = 0.02;
enum { HALVINGS = 4 };

/* Returns the region to which the work at a place belongs: the construct, if the place is a part of one. */
static const struct omptape_definition *owner_of(const struct model *model, uint32_t place)
{
    const struct omptape_definition *region = model->places.list[place].region;
    while (place != 0 && region->region->kind < OMPTAPE_REGION_KIND_COUNT &&
           omptape_constructs[region->region->kind].whole != 0) {
        const uint32_t parent = model->places.list[place].parent;
        const struct omptape_definition *around = model->places.list[parent].region;
        if (around == NULL || around->region->kind != omptape_constructs[region->region->kind].whole)
            break;
        place = parent;
        region = around;
    }
    return region;
}

/* Inserts a row and keeps the longest ones. */
static void add_row(struct whatif_rows *rows, const char *name, uint64_t time)
{
    uint32_t at = rows->count;
    while (at > 0 && rows->list[at - 1].time < time)
        at--;
    if (at >= WHATIF_MAX_ROWS)
        return;
    const uint32_t max = WHATIF_MAX_ROWS - 1;
    const uint32_t moved = (rows->count < max ? rows->count : max) - at;
    memmove(&rows->list[at + 1], &rows->list[at], moved * sizeof(rows->list[0]));
    rows->list[at] = (struct whatif_row){.name = name, .time = time};
    rows->count += rows->count < WHATIF_MAX_ROWS;
}

static bool is_worth_a_row(const struct whatif *whatif, uint64_t time)
{
    return time > 0 && (double)time >= MIN_SHARE * (double)whatif->wall;
}

static const struct omptape_definition *phase_of(const struct model *model, uint32_t place)
{
    while (place != 0 && model->places.list[place].region->region->kind != OMPTAPE_REGION_USER)
        place = model->places.list[place].parent;
    return model->places.list[place].region;
}

/* Adds a row for each region with the sum over the places that belong to it. `region_of` returns a place's
 * region, or NULL. `lags` is NULL or the waits at each place, which count too. Returns 0 or -ENOMEM. */
static int add_regions(const struct whatif *whatif, struct whatif_rows *rows,
                       const struct omptape_definition *(*region_of)(const struct model *, uint32_t place),
                       const uint64_t *lags)
{
    const struct model *model = &whatif->model;
    struct omptape_pairs sums = {.list = NULL};
    struct omptape_arena arena = {.blocks = NULL};
    int status = 0;
    for (uint32_t i = 1; i < model->places.count && status == 0; i++) {
        const struct omptape_definition *region = region_of(model, i);
        if (region == NULL)
            continue;
        uint64_t *sum = omptape_pairs_obtain(&sums, &arena, 0, region->id, sizeof(*sum));
        if (sum == NULL)
            status = -ENOMEM;
        else
            *sum += whatif->path.places[i] + (lags != NULL ? lags[i] : 0);
    }
    for (uint32_t i = 0; i < sums.count; i++) {
        const struct omptape_definition *region =
            omptape_reader_find(model->reader, OMPTAPE_DEF_REGION, sums.list[i].low);
        const uint64_t *sum = sums.list[i].value;
        if (is_worth_a_row(whatif, *sum))
            add_row(rows, region->region->label, *sum);
    }
    omptape_pairs_free(&sums);
    omptape_arena_free(&arena);
    return status;
}

/* Adds a row for each function, estimated from samples: each is the same share of the path's work. */
static void add_functions(struct whatif *whatif)
{
    const struct model *model = &whatif->model;
    enum { MIN_SAMPLES = 10 }; /* fewer samples are not representative */
    if (whatif->path.sampled < MIN_SAMPLES)
        return;
    const double each = (double)whatif->path.work / (double)whatif->path.sampled;
    for (uint32_t i = 0; i < model->functions.count; i++) {
        const uint64_t time = omptape_whole(each * (double)whatif->path.samples[i]);
        if (is_worth_a_row(whatif, time))
            add_row(&whatif->functions,
                    omptape_reader_name(model->reader, OMPTAPE_DEF_REGION, model->functions.list[i]->id),
                    time);
    }
}

static void add_threads(struct whatif *whatif)
{
    const struct model *model = &whatif->model;
    for (uint32_t i = 0; i < model->threads.count; i++)
        if (is_worth_a_row(whatif, whatif->path.threads[i]))
            add_row(
                &whatif->threads,
                omptape_reader_name(model->reader, OMPTAPE_DEF_LOCATION, model->threads.list[i].location->id),
                whatif->path.threads[i]);
}

/* Simulates the run with the region's work multiplied by `factor`. *gain receives the reduction of the wall
 * time. Returns 0 or negative errno. */
static int simulate_gain(const struct whatif *whatif, const char *name, double factor, uint64_t *gain)
{
    const struct model *model = &whatif->model;
    struct simulate_rule *rules = scenario_rules(model);
    struct simulate_result result;
    if (rules == NULL)
        return -ENOMEM;
    for (uint32_t i = 1; i < model->places.count; i++)
        if (strcmp(owner_of(model, i)->region->label, name) == 0)
            rules[i].factor = factor;
    const int status = simulate_run(model, rules, false, &result);
    free(rules);
    *gain = status == 0 ? omptape_minus(whatif->wall, result.wall) : 0;
    return status;
}

static bool is_same(uint64_t gain, double wanted)
{
    return (double)gain >= (1 - SAME_SHARE) * wanted;
}

/* Finds, by bisection, how far the region's work can shrink while the run gains as much as the path loses.
 * Returns 0 or negative errno. */
static int find_limit(const struct whatif *whatif, struct whatif_row *row)
{
    double min = 0;
    double max = 1;
    int status = simulate_gain(whatif, row->name, 0, &row->gain);
    row->critical_until = row->time;
    if (status != 0 || is_same(row->gain, (double)row->time))
        return status;
    for (int i = 0; i < HALVINGS && status == 0; i++) {
        const double share = (min + max) / 2;
        uint64_t gain = 0;
        status = simulate_gain(whatif, row->name, 1 - share, &gain);
        *(is_same(gain, share * (double)row->time) ? &min : &max) = share;
    }
    row->critical_until = omptape_whole(min * (double)row->time);
    return status;
}

int whatif_find_rows(struct whatif *whatif)
{
    int status = add_regions(whatif, &whatif->regions, owner_of, NULL);
    if (status == 0)
        status = add_regions(whatif, &whatif->phases, phase_of, whatif->path.lags);
    add_functions(whatif);
    add_threads(whatif);
    for (uint32_t i = 0; i < whatif->regions.count && status == 0; i++)
        status = find_limit(whatif, &whatif->regions.list[i]);
    return status;
}
