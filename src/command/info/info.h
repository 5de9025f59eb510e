/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand `omptape info`. Called by main.c on its only thread.
 */
#pragma once

/* Prints the contents of an archive. argv[0] is "info", argv[argc] is NULL. Returns the exit code. */
int omptape_command_info(int argc, char **argv);
