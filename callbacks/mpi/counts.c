/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A hash table of counters by key (counts.h). No entry is ever removed.
 */
#include "callbacks/mpi/counts.h"

#include "callbacks/mpi/handles.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_COUNTS = 1 << 16, MAX_PROBES = 64 };

struct omptape_mpi_count {
    uint64_t key; /* 0 if the entry is free. */
    uint64_t count;
};

/* The last OMPTAPE_MPI_REUSE_DISTANCE objects of one key: object n is in latest[n %
 * OMPTAPE_MPI_REUSE_DISTANCE]. */
struct omptape_mpi_series {
    struct omptape_mpi_latest {
        uint64_t first;
        uint32_t users;
        uint32_t number; /* UINT32_MAX if it is not recorded. */
        long freed_by;   /* The thread that released it last. */
    } latest[OMPTAPE_MPI_REUSE_DISTANCE];
};

bool omptape_mpi_counts_alloc(struct omptape_mpi_counts *counts)
{
    if (counts->list == NULL)
        counts->list = omptape_mpi_memory(MAX_COUNTS * sizeof(*counts->list));
    return counts->list != NULL;
}

/* Returns the entry of the key, and creates it if necessary. Returns NULL if the table is too full. */
static struct omptape_mpi_count *obtain(struct omptape_mpi_counts *counts, uint64_t key)
{
    key |= 1;
    for (uint64_t i = 0; i < MAX_PROBES; i++) {
        struct omptape_mpi_count *one = &counts->list[(key + i) % MAX_COUNTS];
        if (one->key != 0 && one->key != key)
            continue;
        one->key = key;
        return one;
    }
    return NULL;
}

uint64_t omptape_mpi_counts_next(struct omptape_mpi_counts *counts, uint64_t key)
{
    struct omptape_mpi_count *one = obtain(counts, key);
    return one != NULL ? one->count++ : OMPTAPE_MPI_NO_COUNT;
}

uint64_t *omptape_mpi_counts_value(struct omptape_mpi_counts *counts, uint64_t key)
{
    struct omptape_mpi_count *one = obtain(counts, key);
    return one != NULL ? &one->count : NULL;
}

/* Returns the entry of an object's number, or NULL if a later object has replaced it. */
static struct omptape_mpi_latest *latest_of(const struct omptape_mpi_counts *counts,
                                            struct omptape_mpi_number_use number_use)
{
    const uint32_t index = number_use.entry - 1;
    if (number_use.entry == 0 || counts->series == NULL)
        return NULL;
    struct omptape_mpi_latest *latest =
        &counts->series[index / OMPTAPE_MPI_REUSE_DISTANCE].latest[index % OMPTAPE_MPI_REUSE_DISTANCE];
    return latest->first == number_use.first ? latest : NULL;
}

struct omptape_mpi_number_use omptape_mpi_counts_add_object(struct omptape_mpi_counts *counts, uint64_t key,
                                                            uint32_t *number)
{
    struct omptape_mpi_count *one = obtain(counts, key);
    *number = UINT32_MAX;
    if (counts->series == NULL)
        counts->series = omptape_mpi_memory(MAX_COUNTS * sizeof(*counts->series));
    if (one == NULL || counts->series == NULL)
        return (struct omptape_mpi_number_use){.first = one != NULL ? one->count++ : 0};
    const uint64_t count = one->count++;
    const uint32_t which = (uint32_t)(count % OMPTAPE_MPI_REUSE_DISTANCE);
    struct omptape_mpi_latest *latest = &counts->series[one - counts->list].latest[which];
    if (count < OMPTAPE_MPI_REUSE_DISTANCE || latest->users > 0 || latest->freed_by != syscall(SYS_gettid))
        *latest = (struct omptape_mpi_latest){.first = count, .number = UINT32_MAX};
    latest->users = 1;
    *number = latest->number;
    return (struct omptape_mpi_number_use){
        .first = latest->first,
        .entry = (uint32_t)(one - counts->list) * OMPTAPE_MPI_REUSE_DISTANCE + which + 1};
}

void omptape_mpi_counts_set_number(struct omptape_mpi_counts *counts,
                                   struct omptape_mpi_number_use number_use, uint32_t number)
{
    struct omptape_mpi_latest *latest = latest_of(counts, number_use);
    if (latest != NULL)
        latest->number = number;
}

void omptape_mpi_counts_add_user(struct omptape_mpi_counts *counts, struct omptape_mpi_number_use number_use)
{
    struct omptape_mpi_latest *latest = latest_of(counts, number_use);
    if (latest != NULL)
        latest->users++;
}

void omptape_mpi_counts_remove_user(struct omptape_mpi_counts *counts,
                                    struct omptape_mpi_number_use number_use)
{
    struct omptape_mpi_latest *latest = latest_of(counts, number_use);
    if (latest == NULL || latest->users == 0)
        return;
    latest->users--;
    latest->freed_by = syscall(SYS_gettid);
}
