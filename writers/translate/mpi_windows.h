/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's windows, as the program's records tell of them. Events have their numbers from OMPTAPE_RMA_WINDOW + 1
 * on, behind the window of devices' transfers; where that is not defined, local definitions map all of them.
 */
#pragma once

#include "writers/translate/translator.h"

struct omptape_mpi_window {
    uint32_t comm;    /* the communicator's number */
    uint32_t ordinal; /* of those on it */
};

struct omptape_mpi_windows {
    struct omptape_mpi_window *list; /* in the order in which they came */
    uint32_t count;
    uint32_t capacity;
    uint32_t *places; /* in it, by the program's numbers; UINT32_MAX: not known */
    uint32_t number_count;
    uint32_t number_capacity;
};

void omptape_mpi_windows_free(struct omptape_writer *writer);

/* A window comes or goes; what it is used for. */
omptape_translator omptape_mpi_translate_window;
omptape_translator omptape_mpi_translate_rma;

/* How many windows there are. */
uint32_t omptape_mpi_windows_count(const struct omptape_writer *writer);

/* Definitions, the first of them with this number. */
void omptape_mpi_windows_write(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                               OTF2_RmaWinRef first);
