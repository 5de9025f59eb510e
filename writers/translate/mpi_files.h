/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's files, from the program's records: their definitions and events. A file is identified by its name;
 * handles are numbered in the order in which they are opened.
 */
#pragma once

#include "src/core/store.h"
#include "writers/translate/translators.h"

/* What a number in the program's records refers to. */
struct omptape_file_number {
    uint32_t file;   /* Index of the name; UINT32_MAX: unknown. */
    uint32_t handle; /* Index of the handle; UINT32_MAX: none, the number refers only to a name. */
};

struct omptape_file_handle {
    uint32_t file;
    uint32_t comm;    /* Number of the communicator. */
    uint32_t ordinal; /* Ordinal among the handles of this communicator. */
};

struct omptape_files {
    struct omptape_rows names;           /* Names of files; the row is the file's OTF2 number. */
    struct omptape_file_handle *handles; /* In the order in which they were opened. */
    uint32_t handle_count;
    uint32_t handle_capacity;
    struct omptape_file_number *numbers; /* Indexed by the program's numbers. */
    uint32_t number_count;
    uint32_t number_capacity;
};

void omptape_mpi_files_free(struct omptape_writer *writer);

/* Translate the record of a file or handle, and of an operation on it. */
omptape_translator omptape_mpi_translate_file;
omptape_translator omptape_mpi_translate_io;

/* Writes the I/O paradigm if there are files. Called before the system tree is written. */
void omptape_mpi_files_write_paradigm(struct omptape_writer *writer);
/* Writes the files, within the node `scope`, and the handles. Called after the communicators are written. */
void omptape_mpi_files_write(struct omptape_writer *writer, OTF2_SystemTreeNodeRef scope);
