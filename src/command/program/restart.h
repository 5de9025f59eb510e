/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape --restart FILE ARGUMENTS...`: a program that runs on GNU's libgomp is begun anew on LLVM's
 * runtime, in the same process. Nobody types this; the library in the program asks for it
 * (include/omptape/restart.h).
 */
#ifndef OMPTAPE_COMMAND_PROGRAM_RESTART_H
#define OMPTAPE_COMMAND_PROGRAM_RESTART_H

#include "src/command/program/gomp.h"

#include <stdbool.h>

/* Is the command called in this way? */
bool omptape_restart_is_asked(int argc, char *const *argv);

/* Becomes the program, on LLVM's runtime if that can be. Returns only if the program cannot be run: its exit
 * code. */
int omptape_restart(char *const *argv);

/* Of many processes that run this file one has to say what becomes of it: the first to note so in the report;
 * where that is out of reach, the first rank. */
bool omptape_restart_speaks(const char *file);

/* Nobody who has this report says so. */
void omptape_restart_silence(int report);

/* Before the command starts a program itself: tells the library in it what was made for it alone, and where
 * the command is for those that it starts. */
void omptape_restart_announce(const struct omptape_gomp_plan *plan, bool forced, bool forbidden);

#endif
