/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape compare`: what became faster or slower between the runs before and after a change. Used by the
 * files of this folder, on the command's only thread.
 */
#pragma once

#include "src/command/report/file.h"
#include "src/command/report/gates.h"
#include "src/command/report/pairs.h"
#include "src/command/text/screen.h"
#include "src/command/text/value_tree.h"
#include "src/core/string_list.h"

#include <stdbool.h>
#include <stdio.h>

/* The runs before or after a change. */
struct compare_side {
    struct omptape_string_list paths;
    struct report_rows rows;
};

struct comparison {
    struct compare_side before;
    struct compare_side after;
    struct report_file files[REPORT_OUTPUTS];
    struct report_gates gates;
    struct report_pairs pairs; /* rows of both sides that describe the same thing */
    unsigned top;
    struct screen screen;
};

/* Returns true if a side has several runs. */
static inline bool compare_is_repeated(const struct comparison *comparison)
{
    return comparison->before.rows.runs + comparison->after.rows.runs > 2;
}

/* print.c: Prints the text. Returns 0 or -ENOMEM. */
int compare_print(const struct comparison *comparison);

/* print.c: Writes the page; a report_file_writer. */
int compare_write_html(FILE *out, const void *comparison);

/* numbers.c: Adds the numbers of a struct comparison; a value_tree_writer. */
void compare_write_numbers(struct value_tree *tree, const void *comparison);
