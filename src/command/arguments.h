/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the command line of omptape: options, up to the first word that is not an option, then a subcommand
 * or program.
 */
#pragma once

#include "src/core/options.h"

#include <stdbool.h>
#include <stddef.h>

enum command_action {
    ACTION_RUN = 0,
    ACTION_INFO, /* this and the next nine are in the order of subcommand_names */
    ACTION_REPORT,
    ACTION_COMPARE,
    ACTION_SCALE,
    ACTION_WHATIF,
    ACTION_CHECK,
    ACTION_EXPORT,
    ACTION_SNAPSHOT,
    ACTION_UNIFY,
    ACTION_TOP,
    ACTION_HELP,
    ACTION_VERSION,
    ACTION_EVENTS,      /* --events=help */
    ACTION_FILTER,      /* --filter=help */
    ACTION_MAN,         /* --man: options as troff source, for the build */
    ACTION_COMPLETIONS, /* --completions: for shell completion */
};

struct arguments {
    enum command_action action;
    int program;       /* index of the name of the program or subcommand */
    bool output_given; /* --output is on the command line, not only in the environment */
};

/* Parses the command line, checks each value, and sets the options' variables in this process's environment.
 * Returns 0, or -EINVAL with a line in `error`; some variables may be set then. */
int arguments_parse(int argc, char *const *argv, struct arguments *arguments, char *error,
                    size_t error_bytes);

/* Checks the rules of --filter and their files. Makes the file names in the variable absolute, because the
 * program may change its folder. Returns 0, or negative errno with a line in `error`. */
int arguments_check_filter(const struct omptape_options *options, char *error, size_t error_bytes);

/* Makes the path of --with-tool absolute in the variable. Returns 0, or negative errno with `error`. */
int arguments_check_tool(const struct omptape_options *options, char *error, size_t error_bytes);
