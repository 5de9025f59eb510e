/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why a run left no archive.
 */
#ifndef OMPTAPE_COMMAND_ABSENCE_H
#define OMPTAPE_COMMAND_ABSENCE_H

#include "src/command/closure.h"
#include "src/command/program.h"

/* Says in one line why nothing was traced, as far as it can be known from outside. `replacement`: the runtime
 * that took libgomp's place, or NULL. */
void omptape_absence_explain(const char *name, const struct omptape_program *program,
                             const struct omptape_closure *closure, const char *replacement);

#endif
