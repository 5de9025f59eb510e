/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape export --csv FILE --instances`: a table with a row for each visit of a region. For export.c, in
 * the child that reads.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_INSTANCES_H
#define OMPTAPE_COMMAND_EXPORT_INSTANCES_H

#include "src/archive/read/guard.h"
#include "src/command/export/choice.h"
#include "src/command/export/places.h"
#include "src/command/export/stream.h"

/* 0, or a negative errno with a line in `error` (none when stream->error says it). */
int omptape_export_instances(struct omptape_export_places *places, const struct omptape_export_choice *choice,
                             struct omptape_export_stream *stream, char *error, size_t error_bytes,
                             struct omptape_reader_progress *progress);

#endif
