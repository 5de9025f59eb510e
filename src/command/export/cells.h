/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cells of a table whose columns have commas between them, added to a row of bytes. For the tables.
 */
#pragma once

#include "src/command/export/bytes.h"
#include "src/command/export/formats.h"

/* A text as it is, which has nothing that separates cells. */
void cells_put(struct omptape_export_bytes *row, const char *text);
void cells_put_number(struct omptape_export_bytes *row, uint64_t number);
void cells_put_signed(struct omptape_export_bytes *row, int64_t number);
void cells_put_real(struct omptape_export_bytes *row, double number);

/* Any text, in quotes where it has to be. */
void cells_put_quoted(struct omptape_export_bytes *row, const char *text);
void cells_put_quoted_bytes(struct omptape_export_bytes *row, const char *text, size_t bytes);

/* Sends the row, which is empty then. */
void cells_send(struct omptape_export_bytes *row, struct omptape_export_stream *stream);
