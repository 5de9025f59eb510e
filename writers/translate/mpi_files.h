/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's files, as the program's records tell of them: their definitions and events. A file is its name;
 * handles are numbered as they are opened.
 */
#pragma once

#include "src/core/store.h"
#include "writers/translate/translator.h"

/* What a number of the program's stands for. */
struct omptape_file_number {
    uint32_t file;   /* UINT32_MAX: not known */
    uint32_t handle; /* UINT32_MAX: none, it is only a name */
};

struct omptape_file_handle {
    uint32_t file;
    uint32_t comm;    /* the communicator's number */
    uint32_t ordinal; /* of those on it */
};

struct omptape_files {
    struct omptape_rows names;           /* of files, whose numbers are those of the rows */
    struct omptape_file_handle *handles; /* in the order in which they came */
    uint32_t handle_count;
    uint32_t handle_capacity;
    struct omptape_file_number *numbers; /* by the program's */
    uint32_t number_count;
    uint32_t number_capacity;
};

void omptape_mpi_files_free(struct omptape_writer *writer);

/* A file is opened, closed and the like; it is read or written. */
omptape_translator omptape_mpi_translate_file;
omptape_translator omptape_mpi_translate_io;

/* Before the system tree: the paradigm, if there are files. */
void omptape_mpi_files_write_paradigm(struct omptape_writer *writer, OTF2_GlobalDefWriter *out);
/* Behind the communicators: files, which are within this node, and handles. */
void omptape_mpi_files_write(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                             OTF2_SystemTreeNodeRef scope);
