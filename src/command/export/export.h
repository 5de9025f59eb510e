/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape export`: an archive in a form that other programs read. main.c calls it.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_EXPORT_H
#define OMPTAPE_COMMAND_EXPORT_EXPORT_H

/* argv[0] is "export". Returns the exit code. */
int omptape_command_export(int argc, char **argv);

#endif
