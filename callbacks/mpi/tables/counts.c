/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts, hashed by their keys; none is ever given up.
 */
#include "callbacks/mpi/tables/counts.h"

#include "callbacks/mpi/tables/memory.h"

enum { MOST_COUNTS = 1 << 16, MOST_PROBES = 64 };

struct omptape_mpi_count {
    uint64_t key; /* 0: not in use */
    uint64_t count;
};

bool omptape_mpi_counts_begin(struct omptape_mpi_counts *counts)
{
    if (counts->list == NULL)
        counts->list = omptape_mpi_memory(MOST_COUNTS * sizeof(*counts->list));
    return counts->list != NULL;
}

uint64_t omptape_mpi_counts_next(struct omptape_mpi_counts *counts, uint64_t key)
{
    key |= 1;
    for (uint64_t i = 0; i < MOST_PROBES; i++) {
        struct omptape_mpi_count *one = &counts->list[(key + i) % MOST_COUNTS];
        if (one->key != 0 && one->key != key)
            continue;
        one->key = key;
        return one->count++;
    }
    return OMPTAPE_MPI_NO_COUNT;
}
