/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a process that runs on GNU's libgomp, but was not started by the omptape command itself (by mpirun,
 * make, a script), gets onto LLVM's runtime: the library in it has the command take its place before main,
 * and the command becomes the program again (src/tool/restart.c, src/command/program/restart.c). What the two
 * agree on.
 */
#ifndef OMPTAPE_RESTART_H
#define OMPTAPE_RESTART_H

/* The command's path, set by the command for all that it starts. Without it nothing is restarted. */
#define OMPTAPE_RESTART_VARIABLE "OMPTAPE_RESTART"

/* `omptape --restart FILE ARGUMENTS...`: FILE is to be run with these arguments, the name included. */
#define OMPTAPE_RESTART_OPTION "--restart"

/* For one program only: its runtime is settled. "NAME=TEXT" is taken out of that variable by the library, so
 * that the program's children do not inherit what was made for it; empty: there is nothing to take out. */
#define OMPTAPE_RESTART_SETTLED "OMPTAPE_SETTLED"

/* A line of the report (src/job/report_file.h): something was said of this file. */
#define OMPTAPE_RESTART_KEY "restarted="
/* Another one: this file loaded GNU's libgomp only while it ran, too late for all this. */
#define OMPTAPE_RESTART_LATE_KEY "late="

#endif
