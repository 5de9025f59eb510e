/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The words behind a subcommand: its options, --help, and the one thing that it is about. All subcommands
 * read them here, so that they understand and refuse the same.
 */
#ifndef OMPTAPE_COMMAND_TEXT_USAGE_H
#define OMPTAPE_COMMAND_TEXT_USAGE_H

#include "src/core/string_list.h"

#include <stdbool.h>
#include <stddef.h>

/* "info", "report"... */
extern const char *const omptape_subcommand_names[];
extern const size_t omptape_subcommand_count;

/* --NAME, which may have a value as its variable would (--NAME=0); or with `text` --NAME VALUE. */
struct omptape_usage_option {
    const char *name;
    char letter; /* or 0 */
    bool *on;
    const char **text;
    struct omptape_string_list *list; /* in place of `text`: it may be given several times */
    const char *value;                /* what --help calls the value of `text`: "FILE", "N"... */
    bool makes_file;                  /* the value is a file to be made: an archive there is a mistake */
};

struct omptape_usage {
    const char *command; /* "info" */
    const char *help;    /* all of --help */
    const char *operand; /* what it is about: "archive" */
    const struct omptape_usage_option *options;
    size_t count;
    bool newest; /* without an operand: the newest archive in the current folder */
};

/* 0 with the operand in *operand; 1: the help was printed; -EINVAL after one line. */
int omptape_usage_parse(const struct omptape_usage *usage, int argc, char **argv, const char **operand);

/* What a subcommand is about, where that are several. */
struct omptape_operands {
    const char **list; /* free it */
    int count;
    int split; /* so many stand before the first "--"; -1: there is none */
};

/* The same for `least` or more of them. What stands behind the first "--" is an operand. */
int omptape_usage_parse_many(const struct omptape_usage *usage, int argc, char **argv,
                             struct omptape_operands *operands, int least);

#endif
