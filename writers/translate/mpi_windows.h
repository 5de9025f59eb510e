/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's windows, from the program's records. Events number them from OMPTAPE_RMA_WINDOW + 1, after the window
 * of device transfers. If that window is not defined, local definitions map all numbers.
 */
#pragma once

#include "writers/translate/translators.h"

struct omptape_mpi_window {
    uint32_t comm;    /* Number of the communicator. */
    uint32_t ordinal; /* Ordinal among the windows of this communicator. */
};

struct omptape_mpi_windows {
    struct omptape_mpi_window *list; /* In the order in which they were created. */
    uint32_t count;
    uint32_t capacity;
    uint32_t *places; /* Index in `list` by the program's number; UINT32_MAX: unknown. */
    uint32_t number_count;
    uint32_t number_capacity;
};

void omptape_mpi_windows_free(struct omptape_writer *writer);

/* Translate the record of a window, and of an operation on it. */
omptape_translator omptape_mpi_translate_window;
omptape_translator omptape_mpi_translate_rma;

/* Returns the number of windows. */
uint32_t omptape_mpi_windows_count(const struct omptape_writer *writer);

/* Writes the definitions of the windows, numbered from `first`. */
void omptape_mpi_windows_write(struct omptape_writer *writer, OTF2_RmaWinRef first);
