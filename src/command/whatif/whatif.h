/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape whatif`: finds the critical path of a run, and predicts the run's duration under
 * changed conditions. The results come from whatif.c and rows.c; the other files print them. Runs on one
 * thread, in the child process that omptape_reader_guard starts.
 */
#pragma once

#include "src/command/text/screen.h"
#include "src/command/text/value_tree.h"
#include "src/model/path.h"
#include "src/model/scenario.h"

enum { WHATIF_MAX_ROWS = 10 };

/* A row of a table of the critical path; times in ns. */
struct whatif_row {
    const char *name;
    uint64_t time;
    uint64_t gain; /* gain of the run without any of the region's work, also off the path */
    /* Reduction of the region's work on the path until another path becomes critical. */
    uint64_t critical_until;
};

struct whatif_rows {
    struct whatif_row list[WHATIF_MAX_ROWS]; /* sorted, longest first */
    uint32_t count;
};

struct whatif_scenario {
    const char *text;
    const char *assumption; /* what the prediction assumes, or NULL */
    uint64_t wall;
};

struct whatif {
    struct model model;
    struct path path;
    const char *archive;
    uint64_t wall;               /* simulated wall time of the unchanged run, ns */
    uint32_t unreproduced_waits; /* number of waits that the model cannot reproduce */
    struct whatif_rows regions;
    struct whatif_rows functions;
    struct whatif_rows phases;
    struct whatif_rows threads;
    struct whatif_scenario *scenarios; /* if there are several, the last one combines all */
    uint32_t scenario_count;
    bool is_scenario; /* scenarios were given, so the path is not computed */
};

/* Returns the model's relative error: (simulated - recorded) / recorded wall time. */
double whatif_error(const struct whatif *whatif);

/* print.c: Prints the text. Returns 0 or -ENOMEM. */
int whatif_print(const struct whatif *whatif, const struct screen *screen);

/* numbers.c: Lists the numbers under the names in docs/whatif.md. */
void whatif_write_numbers(struct value_tree *tree, const void *data);

/* rows.c: Computes the tables of the critical path. Returns 0 or negative errno. */
int whatif_find_rows(struct whatif *whatif);
