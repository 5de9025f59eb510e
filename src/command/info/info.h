/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand `omptape info`. main.c calls it on its only thread.
 */
#pragma once

/* `omptape info ...`: prints what an archive holds. argv[0] is "info", argv[argc] is NULL. Returns the exit
 * code. */
int omptape_command_info(int argc, char **argv);
