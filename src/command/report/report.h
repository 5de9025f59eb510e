/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report and its first finding at the end of a run. Called on the command's only thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Prints the report of an archive (path of its anchor) to stderr, like a run's other lines. */
void report_show(const char *archive);

enum { REPORT_LINE_BYTES = 800 };

/* Writes the most expensive finding in one line: "for @a.c:7 loses 2.1 s (17 %): ...", or "nothing stands
 * out". For a large archive the line says that it was not read. Further lines name a long start of MPI, and
 * how to get source lines if they are missing. Returns false if the archive is empty or damaged. */
bool report_first(const char *archive, char *lines, size_t bytes);
