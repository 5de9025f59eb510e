/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand `omptape check`. Called by main.c on its only thread.
 */
#pragma once

/* Verifies an archive. argv[0] is "check", argv[argc] is NULL. Returns the exit code. */
int omptape_command_check(int argc, char **argv);
