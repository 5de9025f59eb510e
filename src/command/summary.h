/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the user reads after a run: at most a dozen lines on stderr about the archives that the writers
 * reported.
 */
#ifndef OMPTAPE_COMMAND_SUMMARY_H
#define OMPTAPE_COMMAND_SUMMARY_H

#include "src/command/report.h"

/* Prints the summary; --quiet leaves only the writers' errors. Sorts the report, the largest archive first.
 */
void omptape_summary_print(struct omptape_report *report);

/* Bytes on disk of the archive whose anchor file is `path`: anchor, definitions, and the folder of events. 0
 * if it is not there. */
uint64_t omptape_summary_archive_bytes(const char *path);

#endif
