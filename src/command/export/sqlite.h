/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape export --sqlite`: an archive as a database (docs/sqlite.md). For export.c, in the child that
 * reads.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_SQLITE_H
#define OMPTAPE_COMMAND_EXPORT_SQLITE_H

#include "src/archive/read/guard.h"
#include "src/command/export/choice.h"
#include "src/command/export/places.h"
#include "src/command/export/stream.h"

#include <stdio.h>

/* The stream's file is written directly. 0, or a negative errno with a line in `error` (none when
 * stream->error says it). */
#ifdef OMPTAPE_WITHOUT_SQLITE
static inline int omptape_export_sqlite(struct omptape_export_places *places,
                                        const struct omptape_export_choice *choice,
                                        struct omptape_export_stream *stream, char *error, size_t error_bytes,
                                        struct omptape_reader_progress *progress)
{
    (void)places;
    (void)choice;
    (void)stream;
    (void)progress;
    snprintf(error, error_bytes,
             "this omptape was built without --sqlite (OMPTAPE_WITH_SQLITE of its build)");
    return -1;
}
#else
int omptape_export_sqlite(struct omptape_export_places *places, const struct omptape_export_choice *choice,
                          struct omptape_export_stream *stream, char *error, size_t error_bytes,
                          struct omptape_reader_progress *progress);
#endif

#endif
