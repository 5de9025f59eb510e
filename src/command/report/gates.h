/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Expressions of --fail-if, which stop a pipeline if a program became slower: "parallel<0.8", "finding>5%",
 * "region:solver>+10%". Used by report, compare and scale, on their one thread, after the rows of their
 * archives are known (pairs.h). docs/report.md describes the expressions.
 */
#pragma once

#include "src/command/report/file.h"
#include "src/command/report/pairs.h"
#include "src/core/string_list.h"

#include <stdbool.h>
#include <stdint.h>

/* Exit code if an expression is true. */
enum { REPORT_EXIT_FAILED = 3 };

enum { REPORT_GATE_NAME_BYTES = 200, REPORT_GATE_REASON_BYTES = 800 };

/* The scope of an expression. */
enum report_gates_scope {
    REPORT_GATES_SCOPE_RUN,    /* one archive */
    REPORT_GATES_SCOPE_CHANGE, /* two sides: limits may be changes */
    /* several runs: "@N" selects one by its threads; includes the values that scale computes */
    REPORT_GATES_SCOPE_SERIES
};

enum report_gate_operator { REPORT_GATE_ANY, REPORT_GATE_ABOVE, REPORT_GATE_BELOW };

/* One expression. */
struct report_gate {
    const char *text; /* as given; owned by the caller */
    enum report_row_kind kind;
    char name[REPORT_GATE_NAME_BYTES]; /* row name, pattern, or a finding's key; "" for any */
    uint32_t threads;                  /* the run that "@N" selects; 0 for the one with most threads */
    enum report_gate_operator comparison;
    bool is_equal;                         /* the operator includes the limit */
    bool is_change;                        /* the limit has a sign */
    bool is_percent;                       /* the limit is a percentage */
    double limit;                          /* seconds, a share (0 to 1), or a number */
    bool is_failed;                        /* result: the expression is true */
    bool is_unknown;                       /* result: no row has this name */
    char reason[REPORT_GATE_REASON_BYTES]; /* reason for the result; "" if none */
};

struct report_gates {
    const char *command;
    struct omptape_string_list texts; /* values of --fail-if */
    struct report_file *junit;        /* file of --junit */
    struct report_gate *list;         /* one entry for each text */
};

/* Parses the expressions; the caller opens the file. Returns 0, or negative errno after one line. */
int report_gates_read(struct report_gates *gates, const char *command, enum report_gates_scope scope);

/* The pairs of one run and its number of threads. For a single archive the pairs have no old rows. */
struct report_gates_side {
    const struct report_pairs *pairs;
    uint32_t threads;
};

/* Evaluates each expression on the side that it names, by default the last one. Writes the JUnit file and
 * prints one line if an expression is true. Returns the exit code. */
int report_gates_evaluate(struct report_gates *gates, const struct report_gates_side *sides, uint32_t count);

void report_gates_free(struct report_gates *gates);
