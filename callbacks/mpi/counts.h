/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts objects of a kind, given by a key, and determines which objects may take over an earlier object's
 * number. The caller holds a lock.
 *
 * Objects that a program creates and frees repeatedly (communicators, windows, files) must not use memory
 * each time. So the n-th object of a kind takes over the number of the object OMPTAPE_MPI_REUSE_DISTANCE
 * before it, if the same thread has freed that object. All processes must reach the same result without a
 * message. They count alike, because MPI requires the same order of creation and freeing on each thread. A
 * process may free an object later than others. This does no harm unless OMPTAPE_MPI_REUSE_DISTANCE objects
 * of the kind are created in between.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { OMPTAPE_MPI_REUSE_DISTANCE = 8 };

/* All zeros at first. */
struct omptape_mpi_counts {
    struct omptape_mpi_count *list;
    struct omptape_mpi_series *series; /* NULL before the first object is counted. */
};

/* Allocates the table, if that is not done. Returns false if out of memory. */
bool omptape_mpi_counts_alloc(struct omptape_mpi_counts *counts);

#define OMPTAPE_MPI_NO_COUNT UINT64_MAX

/* Increments the count of the key. Returns the count before, or NO_COUNT if the table is full. */
uint64_t omptape_mpi_counts_next(struct omptape_mpi_counts *counts, uint64_t key);

/* Returns the address of a number stored with the key, 0 at first. Such a key is not counted. NULL: full
 * table. */
uint64_t *omptape_mpi_counts_value(struct omptape_mpi_counts *counts, uint64_t key);

/* An object's use of a number, which it may share with earlier objects of its kind. With all zeros the
 * functions below do nothing. */
struct omptape_mpi_number_use {
    /* Count of objects before the first one with this number, which may be the object itself. */
    uint64_t first;
    uint32_t entry; /* Index of its entry + 1; 0 if it has none. */
};

/* Counts a new object of the key. `*number` receives the number that it takes over, UINT32_MAX: it needs a
 * new one. */
struct omptape_mpi_number_use omptape_mpi_counts_add_object(struct omptape_mpi_counts *counts, uint64_t key,
                                                            uint32_t *number);
/* Stores the recorded number of the object, which later objects may take over. */
void omptape_mpi_counts_set_number(struct omptape_mpi_counts *counts,
                                   struct omptape_mpi_number_use number_use, uint32_t number);
/* Add and remove a user of the number. omptape_mpi_counts_add_object() adds the first. Called on the thread
 * that creates or frees the object. */
void omptape_mpi_counts_add_user(struct omptape_mpi_counts *counts, struct omptape_mpi_number_use number_use);
void omptape_mpi_counts_remove_user(struct omptape_mpi_counts *counts,
                                    struct omptape_mpi_number_use number_use);
