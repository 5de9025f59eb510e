/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand `omptape top`: shows what traced programs are doing. Called on the command's only thread.
 */
#pragma once

/* Implements `omptape top ...`: argv[0] is "top", argv[argc] is NULL. Returns the exit code. */
int omptape_command_top(int argc, char **argv);
