/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why a run left no archive.
 */
#ifndef OMPTAPE_COMMAND_RUN_UNTRACED_H
#define OMPTAPE_COMMAND_RUN_UNTRACED_H

#include "src/command/program/libraries.h"
#include "src/command/program/program.h"

/* Says in one line why nothing was traced, as far as it can be known from outside. `replacement`: the runtime
 * that took libgomp's place, or NULL. */
void omptape_untraced_explain(const char *name, const struct omptape_program *program,
                              const struct omptape_libraries *libraries, const char *replacement);

#endif
