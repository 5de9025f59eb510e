/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command's part in --filter: files of rules are read and checked before the program starts.
 */
#ifndef OMPTAPE_COMMAND_RUN_RULES_H
#define OMPTAPE_COMMAND_RUN_RULES_H

#include "src/core/options.h"

#include <stddef.h>

/* Checks the rules with their files, and makes the files' names absolute in the variable, for a program that
 * changes its folder. 0, or a negative errno with one line in `error`. */
int omptape_rules_prepare(const struct omptape_options *options, char *error, size_t error_bytes);

#endif
