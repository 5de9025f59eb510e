/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes and merges parts of an analysis (share.h).
 */
#include "src/analysis/reduce/share.h"

#include "src/analysis/mpi/mpi.h"
#include "src/analysis/reduce/sums.h"
#include "src/analysis/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* State while a part is made or parts are merged. */
struct work {
    struct analysis_plan plan;
    struct analysis_state *sums;
    uint32_t *part_of; /* part of each process of the plan */
    uint32_t *list;    /* scratch array of the same size */
};

/* Assigns processes to parts. All ranks compute the same assignment. */
static int assign(struct work *work, uint32_t parts)
{
    const struct analysis_plan *plan = &work->plan;
    uint32_t *order = omptape_calloc(plan->count + (size_t)1, sizeof(*order));
    uint64_t *load = omptape_calloc(parts, sizeof(*load));
    bool good = order != NULL && load != NULL;
    for (uint32_t i = 0; good && i < plan->count; i++)
        order[i] = i;
    if (good)
        omptape_analysis_plan_sort(plan, order, plan->count);
    for (uint32_t i = 0; good && i < plan->count; i++) {
        uint32_t least = 0;
        for (uint32_t j = 1; j < parts; j++)
            least = load[j] < load[least] ? j : least;
        uint64_t events = plan->processes[order[i]].events;
        work->part_of[order[i]] = least;
        /* A process without events has a cost, too. */
        uint64_t cost = events < UINT64_MAX / 2 ? events + 1 : UINT64_MAX / 2;
        load[least] = load[least] < UINT64_MAX / 2 ? load[least] + cost : UINT64_MAX;
    }
    free(order);
    free(load);
    return good ? 0 : -ENOMEM;
}

static int begin(struct work *work, struct omptape_reader *reader,
                 const struct omptape_analysis_options *options, uint32_t parts)
{
    *work = (struct work){.sums = NULL};
    if (omptape_analysis_plan_make(&work->plan, reader, options) != 0)
        return -ENOMEM;
    work->sums = omptape_analysis_sums_begin(&work->plan);
    work->part_of = omptape_calloc(work->plan.count + (size_t)1, sizeof(*work->part_of));
    work->list = omptape_calloc(work->plan.count + (size_t)1, sizeof(*work->list));
    if (work->sums == NULL || work->part_of == NULL || work->list == NULL)
        return -ENOMEM;
    return assign(work, parts);
}

static void end(struct work *work)
{
    omptape_analysis_sums_free(work->sums);
    omptape_analysis_plan_free(&work->plan);
    free(work->part_of);
    free(work->list);
}

static uint64_t identity_of(const struct analysis_plan *plan, const struct analysis_share_of *share)
{
    const uint64_t facts[] = {omptape_partial_identity(plan), share->number, share->count};
    return omptape_hash_key(facts, sizeof(facts));
}

static int read_part(struct work *work, uint32_t number, char *error, size_t error_bytes)
{
    const struct omptape_analysis_options *options = work->plan.options;
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->plan.count; i++)
        if (work->part_of[i] == number)
            work->list[count++] = i;
    return omptape_analysis_add_processes(work->sums, work->list, count, options != NULL ? options->jobs : 1,
                                          error, error_bytes);
}

int omptape_analysis_part_make(struct omptape_partial *partial, struct omptape_reader *reader,
                               const struct omptape_analysis_options *options,
                               const struct analysis_share_of *share, char *error, size_t error_bytes)
{
    struct work work;
    *partial = (struct omptape_partial){0};
    int status = begin(&work, reader, options, share->count) == 0
                     ? read_part(&work, share->number, error, error_bytes)
                     : -ENOMEM;
    if (status == 0 && omptape_partial_write(partial, work.sums, identity_of(&work.plan, share)) != 0)
        status = -ENOMEM;
    end(&work);
    return status;
}

int omptape_analysis_part_check(const void *bytes, size_t count, struct omptape_reader *reader,
                                const struct omptape_analysis_options *options,
                                const struct analysis_share_of *share)
{
    struct analysis_plan plan;
    int status = omptape_analysis_plan_make(&plan, reader, options);
    if (status == 0)
        status = omptape_partial_check(bytes, count, identity_of(&plan, share));
    omptape_analysis_plan_free(&plan);
    return status;
}

static int add_part(struct work *work, const struct analysis_share_of *share,
                    omptape_analysis_part_source *source, void *data, char *error, size_t error_bytes)
{
    struct omptape_partial partial = {0};
    uint64_t identity = identity_of(&work->plan, share);
    int status = source(data, share->number, &partial);
    if (status == 0)
        status = omptape_partial_check(partial.bytes, partial.count, identity);
    if (status == 0)
        status = omptape_analysis_add_partial(work->sums, partial.bytes, partial.count, identity, error,
                                              error_bytes);
    else
        status = read_part(work, share->number, error, error_bytes);
    free(partial.bytes);
    return status;
}

int omptape_analysis_parts_merge(struct omptape_analysis **analysis, struct omptape_reader *reader,
                                 const struct omptape_analysis_options *options, uint32_t count,
                                 omptape_analysis_part_source *source, void *data, char *error,
                                 size_t error_bytes)
{
    struct work work;
    *analysis = NULL;
    int status = begin(&work, reader, options, count) == 0 ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < count && status == 0; i++)
        status = add_part(&work, &(struct analysis_share_of){i, count}, source, data, error, error_bytes);
    if (status == 0)
        omptape_mpi_waits(work.sums);
    if (status == 0)
        status = omptape_analysis_conclude(analysis, work.sums, error, error_bytes);
    end(&work);
    return status;
}
