/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The subcommand `omptape report`, and its first finding for a run's summary. Called on the command's only
 * thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* `omptape report ...`: what costs time in an archive, where, and what can be done. argv[0] is "report",
 * argv[argc] is NULL. Returns the exit code. */
int omptape_command_report(int argc, char **argv);

/* `omptape compare BEFORE AFTER`: likewise. */
int omptape_command_compare(int argc, char **argv);

/* The report of an archive (the path of its anchor) on stderr, where a run's other lines are. */
void omptape_report_show(const char *archive);

enum { OMPTAPE_REPORT_LINE_BYTES = 800 };

/* The finding that costs most in one line: "for @a.c:7 loses 2.1 s (17 %): ..."; "nothing stands out" is one,
 * too. A second line says how the report could name lines, if it cannot. False: there is none, for the
 * archive is large (reading it would take more than a second), empty or damaged. */
bool omptape_report_first(const char *archive, char *lines, size_t bytes);
