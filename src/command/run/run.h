/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape PROGRAM ...`: everything from the options to the summary. run.c calls the other files of this
 * folder and those of src/command/run.
 */
#ifndef OMPTAPE_COMMAND_RUN_RUN_H
#define OMPTAPE_COMMAND_RUN_RUN_H

#include "src/core/options.h"

#include <stdbool.h>

/* Runs argv traced. `options` were read from this process's environment, which is changed. `output_given`:
 * the folder is the user's, not an outer omptape's. Returns the exit code for the command. To be called once.
 */
int omptape_run(const struct omptape_options *options, bool output_given, char *const *argv);

#endif
