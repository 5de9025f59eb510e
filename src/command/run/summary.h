/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the user reads after a run: at most a dozen lines on stderr about the archives that the writers
 * reported.
 */
#ifndef OMPTAPE_COMMAND_RUN_SUMMARY_H
#define OMPTAPE_COMMAND_RUN_SUMMARY_H

#include "src/command/run/report.h"

/* Prints the summary; --quiet leaves only the writers' errors. Sorts the report: ranks in their order, then
 * the largest archives first, snapshots last. */
void omptape_summary_print(struct omptape_report *report);

/* The same for one rank of a job: only what went wrong, with the rank before it. */
void omptape_summary_print_rank(struct omptape_report *report, int rank);

/* The path of the archive that holds all of the run, or NULL. Once the summary is printed. */
const char *omptape_summary_archive(const struct omptape_report *report);

/* Is the archive with this anchor file a profile (--profile), without events for a viewer? */
bool omptape_summary_is_profile(const char *anchor);

/* The path as the user would type it (owned by the caller): relative if it lies below the current folder,
 * quoted for the shell if it must be, never like an option. */
char *omptape_summary_path(const char *path);

#endif
