/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The texts that omptape prints about itself, made from the tables of options and event groups. All go to
 * stdout.
 */
#ifndef OMPTAPE_COMMAND_HELP_H
#define OMPTAPE_COMMAND_HELP_H

void omptape_help_print(void);       /* --help: fits a screen of 80 by 24 */
void omptape_help_version(void);     /* --version */
void omptape_help_events(void);      /* --events=help */
void omptape_help_filter(void);      /* --filter=help */
void omptape_help_man(void);         /* --man: options and event groups as troff source */
void omptape_help_completions(void); /* --completions: for shells */

#endif
