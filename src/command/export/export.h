/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape export`: converts an archive for other programs. Called by main.c.
 */
#pragma once

#include "src/core/message.h"

/* Runs the subcommand; argv[0] is "export". Returns the exit code. */
#ifdef OMPTAPE_WITHOUT_EXPORT
static inline int omptape_command_export(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    omptape_message("export: this omptape was built without it (OMPTAPE_WITH_EXPORT of its CMake build)");
    return 2;
}
#else
int omptape_command_export(int argc, char **argv);
#endif
