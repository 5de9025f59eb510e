/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes one archive of those that a run's processes left in its folder.
 */
#ifndef OMPTAPE_COMMAND_RUN_UNIFY_RUN_H
#define OMPTAPE_COMMAND_RUN_UNIFY_RUN_H

#include "src/command/run/output.h"
#include "src/command/run/report.h"

/* Called once the writers have ended. Does nothing for a single archive in the folder itself. What was joined
 * is marked in the report; what could not be is said in a line and stays as it is. */
void omptape_unify_run(const struct omptape_run_output *output, struct omptape_report *report);

#endif
