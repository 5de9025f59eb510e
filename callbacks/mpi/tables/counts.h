/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How many there were of the same, by a number that stands for what they have in common. One thread at a
 * time: with a lock of the caller's.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_TABLES_COUNTS_H
#define OMPTAPE_CALLBACKS_MPI_TABLES_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

/* All zeros at first. */
struct omptape_mpi_counts {
    struct omptape_mpi_count *list;
};

/* Takes the memory, if that is not done. False: there is none. */
bool omptape_mpi_counts_begin(struct omptape_mpi_counts *counts);

#define OMPTAPE_MPI_NO_COUNT UINT64_MAX

/* How many of this key there were before, with which there is one more; NO_COUNT where there is no room. */
uint64_t omptape_mpi_counts_next(struct omptape_mpi_counts *counts, uint64_t key);

#endif
