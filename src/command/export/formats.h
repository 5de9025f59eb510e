/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The formats of `omptape export`. Each reads the archive once and fills a file. For export.c, in the child
 * that reads; one thread.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_FORMATS_H
#define OMPTAPE_COMMAND_EXPORT_FORMATS_H

#include "src/archive/read/guard.h"
#include "src/command/export/choice.h"
#include "src/command/export/places.h"
#include "src/command/export/stream.h"

/* One export: what is read, which part of it, and where it goes. */
struct export_job {
    struct omptape_export_places *places;
    const struct omptape_export_choice *choice;
    struct omptape_export_stream *stream;
    struct omptape_reader_progress *progress;
    char *error; /* gets a line of so many bytes: */
    size_t error_bytes;
};

/* All return 0 or a negative errno. Then there is a line in `error`, but for -ENOMEM and what stream->error
 * says. */

/* Every event a row, for pandas and R. */
int export_csv(const struct export_job *job);
/* A table with a row for each visit of a region. */
int export_instances(const struct export_job *job);
/* A line for each stack, "main;solve;for @x.c:12;dgemv_ 48", and how many samples of all threads have it.
 * Looks at threads that sleep are left out. */
int export_folded(const struct export_job *job);
/* Sums of samples for pprof: their number and processor time, with labels for thread and region. */
int export_pprof(const struct export_job *job);
/* A trace for Perfetto. */
int export_perfetto(const struct export_job *job);
/* A database (docs/sqlite.md). The stream's file is written directly. */
int export_sqlite(const struct export_job *job);

#endif
