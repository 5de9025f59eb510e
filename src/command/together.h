/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes one archive of those that a run's processes left in its folder.
 */
#ifndef OMPTAPE_COMMAND_TOGETHER_H
#define OMPTAPE_COMMAND_TOGETHER_H

#include "src/command/output.h"
#include "src/command/report.h"

/* Called once the writers have ended. Does nothing for a single archive in the folder itself. What was joined
 * is marked in the report; what could not be is said in a line and stays as it is. */
void omptape_together(const struct omptape_output *output, struct omptape_report *report);

#endif
