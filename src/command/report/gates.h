/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What --fail-if asks for, so that a pipeline stops where a program became slower: expressions such as
 * "parallel<0.8", "finding>5%" and "region:solver>+10%". Used by report, compare and scale, on their one
 * thread, once the rows of their archives are known (pairs.h). docs/report.md describes the expressions.
 */
#pragma once

#include "src/command/report/file.h"
#include "src/command/report/pairs.h"
#include "src/core/string_list.h"

#include <stdbool.h>
#include <stdint.h>

/* The exit code where an expression is true. */
enum { REPORT_EXIT_FAILED = 3 };

enum { REPORT_GATE_NAME_BYTES = 200, REPORT_GATE_REASON_BYTES = 800 };

/* What an expression may be about. */
enum report_gates_of {
    REPORT_GATES_OF_RUN,    /* one archive */
    REPORT_GATES_OF_CHANGE, /* two: limits may be those of a change */
    REPORT_GATES_OF_SERIES  /* several: "@N" names one by its threads; and what scale computes */
};

enum report_gate_operator { REPORT_GATE_ANY, REPORT_GATE_ABOVE, REPORT_GATE_BELOW };

/* One expression. */
struct report_gate {
    const char *text; /* as it was given, the caller's */
    enum report_row_kind kind;
    char name[REPORT_GATE_NAME_BYTES]; /* of the row, a pattern, or a finding's kind; "": any */
    uint32_t threads;                  /* of the run that "@N" names; 0: the one with most */
    enum report_gate_operator compares;
    bool is_equal;                         /* the limit itself counts, too */
    bool is_change;                        /* the limit has a sign */
    bool is_percent;                       /* ...or is a share of something */
    double limit;                          /* seconds, a share of 1, or a number */
    bool is_failed;                        /* once it was judged: it is true, */
    bool is_unknown;                       /* ...or nothing has this name */
    char reason[REPORT_GATE_REASON_BYTES]; /* why, in words; "" */
};

struct report_gates {
    const char *command;
    struct omptape_string_list texts; /* of --fail-if */
    struct report_file junit;         /* of --junit; report_no_file at first */
    struct report_gate *list;         /* as many as texts */
};

/* Reads the expressions. The caller opens the file. 0, or a negative errno after one line. */
int report_gates_read(struct report_gates *gates, const char *command, enum report_gates_of of);

/* The pairs of one run, which has so many threads. Of one archive alone these have no old rows. */
struct report_gates_side {
    const struct report_pairs *pairs;
    uint32_t threads;
};

/* Judges each by its side, of several the last one unless it names another. Then it writes the file, and one
 * line where one is true. Returns the exit code. */
int report_gates_judge(struct report_gates *gates, const struct report_gates_side *sides, uint32_t count);

void report_gates_free(struct report_gates *gates);
