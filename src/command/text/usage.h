/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the command line of a subcommand: its options, --help and its operand. All subcommands use it, so
 * that they accept and reject the same syntax. The command has one thread, on which all of them run.
 */
#pragma once

#include "src/core/string_list.h"

#include <stdbool.h>
#include <stddef.h>

/* The subcommands, in the order of the names below: argv[0] is the name, argv[argc] NULL. Exit codes. */
int omptape_command_info(int argc, char **argv);
int omptape_command_report(int argc, char **argv);
int omptape_command_compare(int argc, char **argv);
int omptape_command_scale(int argc, char **argv);
int omptape_command_whatif(int argc, char **argv);
int omptape_command_check(int argc, char **argv);
int omptape_command_export(int argc, char **argv);
int omptape_command_snapshot(int argc, char **argv);
int omptape_command_unify(int argc, char **argv);
int omptape_command_top(int argc, char **argv);

/* Names of the subcommands: "info", "report"... */
extern const char *const subcommand_names[];
extern const size_t subcommand_count;

/* One option. It is either a switch --NAME, which accepts the values of its environment variable (--NAME=0),
 * or, with `text` or `list`, --NAME VALUE. */
struct usage_option {
    const char *name;
    char letter; /* short form, or 0 */
    bool *on;
    const char **text;
    struct omptape_string_list *list; /* used instead of `text` if the option can be repeated */
    const char *value;                /* name of the value in --help: "FILE", "N"... */
    bool makes_file;                  /* the value is an output file; an archive's name is rejected */
};

struct usage {
    const char *command; /* "info" */
    const char *help;    /* full text of --help */
    const char *operand; /* kind of operand: "archive" */
    const struct usage_option *options;
    size_t count;
    bool newest; /* without an operand, use the newest archive of the current folder */
};

/* Returns 0 with the operand in *operand, 1 if it has printed the help, or -EINVAL after an error message. */
int usage_parse(const struct usage *usage, int argc, char **argv, const char **operand);

/* Operands of a subcommand that takes several. */
struct operands {
    const char **list; /* the caller frees the array */
    int count;
    int split; /* number of operands before the first "--"; -1 without "--" */
};

/* Parses like usage_parse, but requires at least `min` operands. All after the first "--" are operands. */
int usage_parse_many(const struct usage *usage, int argc, char **argv, struct operands *operands, int min);
