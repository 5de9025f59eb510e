/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape export --folded`: a line for each stack, "main;solve;for @x.c:12;dgemv_ 48", and how many samples
 * of all threads have it. Looks at threads that sleep are left out. For export.c, in the child that reads.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_FOLDED_H
#define OMPTAPE_COMMAND_EXPORT_FOLDED_H

#include "src/archive/read/guard.h"
#include "src/command/export/choice.h"
#include "src/command/export/places.h"
#include "src/command/export/stream.h"

/* 0, or a negative errno with a line in `error` (none when stream->error says it). */
int omptape_export_folded(struct omptape_export_places *places, const struct omptape_export_choice *choice,
                          struct omptape_export_stream *stream, char *error, size_t error_bytes,
                          struct omptape_reader_progress *progress);

#endif
