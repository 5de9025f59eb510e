/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts objects that have something in common, by a number that stands for that. Also knows which objects
 * may replace each other. One thread at a time: the caller holds a lock.
 *
 * What is made and freed again and again (communicators, windows, files) must not take memory each time. So
 * the n-th of a kind takes over the number of the one OMPTAPE_MPI_APART before it, if the same thread has
 * freed that. All processes must find the same without a message. They count alike, since MPI has them make
 * and free in the same order, except for what different threads do. A process may free later than the others
 * in spite of that. This does no harm unless OMPTAPE_MPI_APART of the kind are made meanwhile.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_COUNTS_H
#define OMPTAPE_CALLBACKS_MPI_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

enum { OMPTAPE_MPI_APART = 8 };

/* All zeros at first. */
struct omptape_mpi_counts {
    struct omptape_mpi_count *list;
    struct omptape_mpi_series *series; /* NULL: nobody took a turn */
};

/* Takes the memory, if that is not done. False: there is none. */
bool omptape_mpi_counts_begin(struct omptape_mpi_counts *counts);

#define OMPTAPE_MPI_NO_COUNT UINT64_MAX

/* How many of this key there were before, with which there is one more; NO_COUNT where there is no room. */
uint64_t omptape_mpi_counts_next(struct omptape_mpi_counts *counts, uint64_t key);

/* A number that is remembered with a key which is not counted; 0: none so far. NULL: there is no room. */
uint64_t *omptape_mpi_counts_number(struct omptape_mpi_counts *counts, uint64_t key);

/* One of a kind. All zeros: of none, and the functions below do nothing. */
struct omptape_mpi_turn {
    uint64_t first; /* how many there were before the one that it stands for, which may be itself */
    uint32_t place; /* where this is remembered; 0: nowhere */
};

/* The next of this key. *number gets that which it takes over, UINT32_MAX: it needs one of its own. */
struct omptape_mpi_turn omptape_mpi_counts_take_turn(struct omptape_mpi_counts *counts, uint64_t key,
                                                     uint32_t *number);
/* Its number, which is recorded: others may take it over. */
void omptape_mpi_counts_know(struct omptape_mpi_counts *counts, struct omptape_mpi_turn turn,
                             uint32_t number);
/* There is one more user, and one less, on this thread: whoever takes a turn is the first. */
void omptape_mpi_counts_hold(struct omptape_mpi_counts *counts, struct omptape_mpi_turn turn);
void omptape_mpi_counts_release(struct omptape_mpi_counts *counts, struct omptape_mpi_turn turn);

#endif
