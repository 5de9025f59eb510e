/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is said about the finished archive: its properties, and the report for the command. The writer's main
 * thread, at the end.
 */
#ifndef OMPTAPE_WRITERS_REPORT_H
#define OMPTAPE_WRITERS_REPORT_H

#include "writers/model/model.h"

/* Opens the command's file, once, before the program goes on: what it names later is of no account. Without a
 * command nothing is open. */
void omptape_report_open(struct omptape_report_file *report, const struct omptape_settings *settings);

/* Is the command still there to read it? */
bool omptape_report_is_read(const struct omptape_report_file *report);

/* Sets the archive's properties (include/omptape/properties.h). `resolution`: ticks a second; `end`: how the
 * program ended; `warning`: one more of them, or empty. */
void omptape_report_properties(struct omptape_writer *writer, uint64_t resolution, const char *end,
                               const char *warning);

/* Tells the command, if there is one, where the archive will be: if nothing more comes, this writer was
 * killed. */
void omptape_report_begin(const struct omptape_writer *writer, const char *folder);

/* Appends to the file of the command, if there is one. `folder` holds the archive; `job_folder` is that which
 * the ranks of its job share, or empty; `error`, if not empty, says why there is none. */
void omptape_report_send(const struct omptape_writer *writer, const char *folder, const char *job_folder,
                         const char *error);

/* Why the archive has not what was asked for, after omptape_report_properties; empty: nothing. */
const char *omptape_report_advice(void);

#endif
