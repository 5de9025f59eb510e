/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape whatif`: what is on the critical path of a run, and how long the run would take if something were
 * different. The files share what was computed; whatif.c fills it, the others show it. One thread, in the
 * child process that omptape_reader_guard starts.
 */
#pragma once

#include "src/command/report/tree.h"
#include "src/command/text/screen.h"
#include "src/model/path.h"
#include "src/model/scenario.h"

enum { WHATIF_MOST_ROWS = 10 };

/* A row of a table of the path, in ns. */
struct whatif_row {
    const char *name;
    uint64_t time;
    uint64_t gain;  /* of a region: what the run wins if its work on the path and beside it is gone, */
    uint64_t until; /* ...and by how much the work on the path shrinks before another path takes over */
};

struct whatif_rows {
    struct whatif_row list[WHATIF_MOST_ROWS]; /* the longest first */
    uint32_t count;
};

struct whatif_scenario {
    const char *text;
    const char *assumption; /* what the prediction rests on; or NULL */
    uint64_t wall;
};

struct whatif {
    struct model model;
    struct path path;
    const char *archive;
    uint64_t wall;   /* of the unchanged run, as the model has it, */
    uint32_t forced; /* ...and the waits that it cannot follow */
    struct whatif_rows regions;
    struct whatif_rows functions;
    struct whatif_rows phases;
    struct whatif_rows threads;
    struct whatif_scenario *scenarios; /* all of them at once is the last, if there are several */
    uint32_t scenario_count;
    bool is_scenario; /* asked for, in place of the path */
};

/* The model's wall time less the recorded one, as a share of that. */
double whatif_error(const struct whatif *whatif);

/* print.c: the text. 0 or -ENOMEM. */
int whatif_print(const struct whatif *whatif, const struct omptape_screen *screen);

/* tell.c: the numbers under the names that docs/whatif.md lists. */
void whatif_tell(struct report_tree *tree, const void *data);

/* rows.c: fills the tables of the path. 0 or -ENOMEM. */
int whatif_find_rows(struct whatif *whatif);

/* `omptape whatif ...`. argv[0] is "whatif", argv[argc] is NULL. Returns the exit code. */
int omptape_command_whatif(int argc, char **argv);
