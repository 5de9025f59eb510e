/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formats cells of comma-separated tables in a byte buffer. Used by the tables.
 */
#pragma once

#include "src/command/export/bytes.h"
#include "src/command/export/formats.h"

/* Appends text unchanged; the text must not contain separators. */
void cells_put(struct export_bytes *row, const char *text);
void cells_put_number(struct export_bytes *row, uint64_t number);
void cells_put_signed(struct export_bytes *row, int64_t number);
void cells_put_real(struct export_bytes *row, double number);

/* Append any text, in quotes if needed. */
void cells_put_quoted(struct export_bytes *row, const char *text);
void cells_put_quoted_bytes(struct export_bytes *row, const char *text, size_t bytes);
