/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints texts about omptape itself on stdout, generated from the tables of options and event groups.
 */
#pragma once

void help_print(void);       /* --help: fits on a screen of 80 by 24 */
void help_version(void);     /* --version */
void help_events(void);      /* --events=help */
void help_filter(void);      /* --filter=help */
void help_man(void);         /* --man: options and event groups as troff source */
void help_completions(void); /* --completions: for shell completion */
