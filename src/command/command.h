/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command has one thread, on which everything in this folder and in those below runs. Here are the entry
 * points of the subcommands that have no folder. src/command/main.c calls them when the first argument names
 * one. Everything else is a program to run.
 */
#pragma once

/* `omptape snapshot PID`: has a running program's flight recorder saved. argv[0] is "snapshot". Returns the
 * exit code. */
int omptape_command_snapshot(int argc, char **argv);

/* `omptape unify ...`: makes one archive of several processes' archives. argv[0] is "unify", argv[argc] is
 * NULL. Returns the exit code. */
int omptape_command_unify(int argc, char **argv);

/* The texts that omptape prints about itself, made from the tables of options and event groups. All go to
 * stdout.
 */

void omptape_help_print(void);       /* --help: fits a screen of 80 by 24 */
void omptape_help_version(void);     /* --version */
void omptape_help_events(void);      /* --events=help */
void omptape_help_filter(void);      /* --filter=help */
void omptape_help_man(void);         /* --man: options and event groups as troff source */
void omptape_help_completions(void); /* --completions: for shells */
