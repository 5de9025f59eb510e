/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Entry points of the subcommands without a folder of their own. main.c calls them if the first argument is
 * their name. Any other word is a program to run. The command has one thread, on which everything in this
 * folder and its subfolders runs.
 */
#pragma once

/* Implements `omptape snapshot PID`: makes a running program's flight recorder save its events. argv[0] is
 * "snapshot". Returns the exit code. */
int omptape_command_snapshot(int argc, char **argv);

/* Implements `omptape unify ...`: merges the archives of several processes. argv[0] is "unify", argv[argc] is
 * NULL. Returns the exit code. */
int omptape_command_unify(int argc, char **argv);

/* Print texts about omptape itself, generated from the tables of options and event groups, on stdout. */

void help_print(void);       /* --help: fits on a screen of 80 by 24 */
void help_version(void);     /* --version */
void help_events(void);      /* --events=help */
void help_filter(void);      /* --filter=help */
void help_man(void);         /* --man: options and event groups as troff source */
void help_completions(void); /* --completions: for shell completion */
