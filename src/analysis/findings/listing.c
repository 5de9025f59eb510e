/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists the rows of the result in the order in which reports show them (analysis.h). Called by results.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/core/sort.h"

#include <errno.h>
#include <stdlib.h>

/* Sort key: `most` in descending order, then `least`, which is unique, in ascending order. */
struct rank {
    uint64_t most[2];
    uint64_t least[4];
};

/* Sets a value's sort key. Returns false if the value is empty and not listed. */
typedef bool rank_value(const void *value, struct rank *rank);

struct ranked {
    struct rank rank;
    void *value;
};

static int compare_ranks(const void *left, const void *right)
{
    const struct rank *one = &((const struct ranked *)left)->rank;
    const struct rank *other = &((const struct ranked *)right)->rank;
    for (size_t i = 0; i < sizeof(one->most) / sizeof(one->most[0]); i++)
        if (one->most[i] != other->most[i])
            return one->most[i] > other->most[i] ? -1 : 1;
    for (size_t i = 0; i < sizeof(one->least) / sizeof(one->least[0]); i++)
        if (one->least[i] != other->least[i])
            return one->least[i] > other->least[i] ? 1 : -1;
    return 0;
}

/* Converts a table's values into a sorted list. Returns 0 or -ENOMEM. */
static int list_values(const struct omptape_pairs *pairs, void *list_at, uint32_t *count, rank_value *rank)
{
    void **list = omptape_calloc((size_t)pairs->count + 1, sizeof(*list));
    struct ranked *ranked = omptape_calloc((size_t)pairs->count + 1, sizeof(*ranked));
    uint32_t kept = 0;
    *(void ***)list_at = list;
    if (list == NULL || ranked == NULL) {
        free(ranked);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < pairs->count; i++) {
        ranked[kept].value = pairs->list[i].value;
        kept += rank(ranked[kept].value, &ranked[kept].rank);
    }
    omptape_sort(ranked, kept, sizeof(*ranked), compare_ranks);
    for (uint32_t i = 0; i < kept; i++)
        list[i] = ranked[i].value;
    free(ranked);
    *count = kept;
    return 0;
}

static uint64_t id_of(const struct analysis_region *region)
{
    return omptape_analysis_region_id(region);
}

static bool rank_region(const void *value, struct rank *rank)
{
    const struct analysis_region *region = value;
    const uint64_t time = omptape_plus(region->charged, omptape_parts_sum(region->parts));
    *rank = (struct rank){.most = {region->gain, time}, .least = {id_of(region)}};
    return region->visits.count > 0 || time > 0;
}

static bool rank_loop(const void *value, struct rank *rank)
{
    const struct analysis_loop *loop = value;
    *rank = (struct rank){.most = {omptape_minus(loop->wall, loop->mean)}, .least = {id_of(loop->region)}};
    return loop->instances > 0;
}

static bool rank_tasks(const void *value, struct rank *rank)
{
    const struct analysis_tasks *tasks = value;
    *rank = (struct rank){.most = {tasks->grain.sum}, .least = {id_of(tasks->region)}};
    return tasks->created > 0 || tasks->grain.count > 0;
}

static bool rank_lock(const void *value, struct rank *rank)
{
    const struct analysis_lock *lock = value;
    *rank = (struct rank){.most = {lock->wait.sum}, .least = {id_of(lock->region)}};
    return lock->wait.count > 0 || lock->hold.count > 0;
}

static bool rank_lock_holder(const void *value, struct rank *rank)
{
    const struct analysis_lock_holder *one = value;
    *rank = (struct rank){.most = {one->waited}, .least = {id_of(one->asker), id_of(one->holder)}};
    return true;
}

static bool rank_phase(const void *value, struct rank *rank)
{
    const struct analysis_phase *phase = value;
    *rank = (struct rank){.most = {phase->wall}, .least = {id_of(phase->region)}};
    return phase->wall > 0; /* marks have no length */
}

static bool rank_named_value(const void *value, struct rank *rank)
{
    const struct analysis_value *named = value;
    *rank = (struct rank){.most = {named->count}, .least = {named->id}};
    return true;
}

static bool rank_serial(const void *value, struct rank *rank)
{
    const struct analysis_serial *serial = value;
    *rank = (struct rank){.most = {serial->sum}, .least = {id_of(serial->after), id_of(serial->before)}};
    return true;
}

static bool rank_transfer(const void *value, struct rank *rank)
{
    const struct analysis_transfer *transfer = value;
    *rank = (struct rank){.most = {transfer->times.sum}, .least = {id_of(transfer->region)}};
    return transfer->times.count > 0;
}

static bool rank_outliers(const void *value, struct rank *rank)
{
    const struct analysis_outliers *one = value;
    *rank = (struct rank){.most = {one->cost},
                          .least = {id_of(one->region), one->kind, id_of(one->before), one->nesting}};
    return one->count > 0;
}

static bool rank_mpi(const void *value, struct rank *rank)
{
    const struct analysis_mpi *mpi = value;
    *rank = (struct rank){.most = {mpi->region->visits.sum}, .least = {id_of(mpi->region)}};
    return true;
}

static bool rank_device(const void *value, struct rank *rank)
{
    const struct analysis_device *device = value;
    *rank = (struct rank){.most = {device->busy}, .least = {device->group->id}};
    return true;
}

int omptape_analysis_list_rows(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    const struct {
        const struct omptape_pairs *pairs;
        void *list;
        uint32_t *count;
        rank_value *rank;
    } lists[] = {
        {&state->regions, &result->regions, &result->region_count, rank_region},
        {&state->loops, &result->loops, &result->loop_count, rank_loop},
        {&state->task_sites, &result->tasks, &result->task_count, rank_tasks},
        {&state->lock_sites, &result->locks, &result->lock_count, rank_lock},
        {&state->lock_holders, &result->lock_holders, &result->lock_holder_count, rank_lock_holder},
        {&state->serials, &result->serials, &result->serial_count, rank_serial},
        {&state->phases, &result->phases, &result->phase_count, rank_phase},
        {&state->values, &result->values, &result->value_count, rank_named_value},
        {&state->transfers, &result->transfers, &result->transfer_count, rank_transfer},
        {&state->outliers, &result->outliers, &result->outlier_count, rank_outliers},
        {&state->mpi, &result->mpi, &result->mpi_count, rank_mpi},
        {&state->devices, &result->devices, &result->device_count, rank_device},
    };
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (list_values(lists[i].pairs, lists[i].list, lists[i].count, lists[i].rank) != 0)
            return -ENOMEM;
    return 0;
}
