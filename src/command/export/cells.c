/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formats table cells (cells.h).
 */
#include "src/command/export/cells.h"

#include <stdio.h>
#include <string.h>

void cells_put(struct export_bytes *row, const char *text)
{
    export_bytes_add(row, text, strlen(text));
}

void cells_put_number(struct export_bytes *row, uint64_t number)
{
    enum { MAX_DIGITS = 20 };
    char digits[MAX_DIGITS];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    export_bytes_add(row, digits + at, sizeof(digits) - at);
}

void cells_put_signed(struct export_bytes *row, int64_t number)
{
    if (number < 0)
        cells_put(row, "-");
    cells_put_number(row, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

void cells_put_real(struct export_bytes *row, double number)
{
    char text[64];
    snprintf(text, sizeof(text), "%.17g", number);
    cells_put(row, text);
}

/* Appends a cell, in quotes if it contains a separator, a quote or a line end. */
void cells_put_quoted_bytes(struct export_bytes *row, const char *text, size_t bytes)
{
    bool quoted = false;
    for (size_t i = 0; i < bytes; i++)
        quoted = quoted || strchr(",\"\r\n", text[i]) != NULL;
    if (!quoted) {
        export_bytes_add(row, text, bytes);
        return;
    }
    cells_put(row, "\"");
    for (size_t i = 0; i < bytes; i++)
        export_bytes_add(row, text[i] == '"' ? "\"\"" : text + i, text[i] == '"' ? 2 : 1);
    cells_put(row, "\"");
}

void cells_put_quoted(struct export_bytes *row, const char *text)
{
    cells_put_quoted_bytes(row, text, strlen(text));
}
