/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the command line of omptape: options, up to the first word that is not an option, then a subcommand
 * or a program.
 */
#pragma once

#include "src/core/options.h"

#include <stdbool.h>
#include <stddef.h>

enum omptape_action {
    OMPTAPE_ACTION_RUN = 0,
    OMPTAPE_ACTION_INFO, /* this and the next nine are in the order of omptape_subcommand_names */
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
    OMPTAPE_ACTION_MAN,         /* --man: options as troff source, for the build */
    OMPTAPE_ACTION_COMPLETIONS, /* --completions: for shell completion */
};

struct omptape_arguments {
    enum omptape_action action;
    int program;       /* index of the name of the program or subcommand */
    bool output_given; /* --output is on the command line, not only in the environment */
};

/* Parses the command line, checks each value, and sets the options' variables in this process's environment.
 * Returns 0, or -EINVAL with a line in `error`; some variables may be set then. */
int omptape_arguments_parse(int argc, char *const *argv, struct omptape_arguments *arguments, char *error,
                            size_t error_bytes);

/* Checks the rules of --filter and their files. Makes the file names in the variable absolute, because the
 * program may change its folder. Returns 0, or negative errno with a line in `error`. */
int omptape_arguments_check_filter(const struct omptape_options *options, char *error, size_t error_bytes);

/* Makes the path of --with-tool absolute in the variable. Returns 0, or negative errno with a line in
 * `error`. */
int omptape_arguments_check_tool(const struct omptape_options *options, char *error, size_t error_bytes);
