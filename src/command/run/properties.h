/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an archive says of its run, for writers that could not report it: those on other nodes, and in a
 * container, where the command's file cannot be reached. Called once, before the summary.
 */
#ifndef OMPTAPE_COMMAND_RUN_PROPERTIES_H
#define OMPTAPE_COMMAND_RUN_PROPERTIES_H

/* Appends the lines that a writer would have put into the report (a descriptor) of the archive whose anchor
 * this is. Nothing, where that cannot be read. */
void omptape_properties_report(const char *anchor, int report);

#endif
