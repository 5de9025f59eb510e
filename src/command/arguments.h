/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line of omptape: options up to the first word that is none, then a subcommand or a program.
 */
#pragma once

#include "src/core/options.h"

#include <stdbool.h>
#include <stddef.h>

enum omptape_action {
    OMPTAPE_ACTION_RUN = 0,
    OMPTAPE_ACTION_INFO, /* these ten in the order of omptape_subcommand_names */
    OMPTAPE_ACTION_REPORT,
    OMPTAPE_ACTION_COMPARE,
    OMPTAPE_ACTION_SCALE,
    OMPTAPE_ACTION_WHATIF,
    OMPTAPE_ACTION_CHECK,
    OMPTAPE_ACTION_EXPORT,
    OMPTAPE_ACTION_SNAPSHOT,
    OMPTAPE_ACTION_UNIFY,
    OMPTAPE_ACTION_TOP,
    OMPTAPE_ACTION_HELP,
    OMPTAPE_ACTION_VERSION,
    OMPTAPE_ACTION_EVENTS,      /* --events=help */
    OMPTAPE_ACTION_FILTER,      /* --filter=help */
    OMPTAPE_ACTION_MAN,         /* --man: a part of the manual page, for the build */
    OMPTAPE_ACTION_COMPLETIONS, /* --completions: for shells */
};

struct omptape_arguments {
    enum omptape_action action;
    int program;       /* index of the program's or subcommand's name */
    bool output_given; /* --output stood on this command line, not only in the environment */
};

/* Reads the command line, checks each value, and sets the options' variables in this process's environment.
 * 0, or -EINVAL with one line in `error`; some variables may be set then. */
int omptape_arguments_parse(int argc, char *const *argv, struct omptape_arguments *arguments, char *error,
                            size_t error_bytes);

/* Checks the rules of --filter with their files, and makes the files' names absolute in the variable, for a
 * program that changes its folder. 0, or a negative errno with one line in `error`. */
int omptape_arguments_check_filter(const struct omptape_options *options, char *error, size_t error_bytes);

/* Makes the path of --with-tool absolute in the variable. 0, or a negative errno with one line in `error`. */
int omptape_arguments_check_tool(const struct omptape_options *options, char *error, size_t error_bytes);
