/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why a run has left no trace, as far as it can be known from outside.
 */
#ifndef OMPTAPE_COMMAND_RUN_UNTRACED_H
#define OMPTAPE_COMMAND_RUN_UNTRACED_H

#include "src/command/run/libraries.h"
#include "src/command/run/program.h"

#include <sys/types.h>

/* Says one line, after a program that used no OpenMP runtime that could be traced. */
void omptape_untraced_explain(char *const *argv, const struct omptape_program *program,
                              const struct omptape_libraries *libraries);

/* The same after a program that root started and that became `user`; its output folder was to be `folder`. */
void omptape_untraced_explain_user(const char *name, uid_t user, const char *folder);

#endif
