/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the finished archive's properties and the report for the command. Main thread, at the end.
 */
#pragma once

#include "writers/state/writer.h"

/* Opens the command's report file once, before the program continues: later changes of the path have no
 * effect. Opens nothing without a command. */
void omptape_report_open(struct omptape_report_file *report, const struct omptape_settings *settings);

/* Returns true if the command still lives and will read the report. */
bool omptape_report_is_read(const struct omptape_report_file *report);

/* Sets the archive's properties (include/omptape/properties.h). `resolution`: ticks per second; `end`: how
 * the program ended; `warning`: an additional warning, or empty. */
void omptape_report_properties(struct omptape_writer *writer, uint64_t resolution, const char *end,
                               const char *warning);

/* Sends the archive's folder to the command, if there is one. Without a report it knows that this writer was
 * killed. */
void omptape_report_begin(const struct omptape_writer *writer, const char *folder);

/* Appends the report to the command's file, if there is one. `folder` holds the archive. `job_folder` is the
 * folder that the job's ranks share, or empty. `error`, if not empty, says why there is no archive. */
void omptape_report_send(const struct omptape_writer *writer, const char *folder, const char *job_folder,
                         const char *error);

/* Returns why the archive lacks what the user asked for, or "". Valid after omptape_report_properties. */
const char *omptape_report_advice(void);
