/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why a program cannot be started, said before anything is made for it. Called by run/.
 */
#ifndef OMPTAPE_COMMAND_RUN_REFUSAL_H
#define OMPTAPE_COMMAND_RUN_REFUSAL_H

#include "src/command/run/program.h"

/* `error`: what omptape_program_find or the start of the program gave, negative or positive; 0 if neither
 * failed. Says one line and returns the exit code (127: it is not there; 126: it cannot be run), or 0: it may
 * be started. */
int omptape_refusal_say(const char *name, const struct omptape_program *program, int error);

#endif
