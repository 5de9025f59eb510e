/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stages a unified archive and puts it in place of the parts. The archive is prepared in a hidden folder,
 * with a plan of the files to be moved. Renaming that folder decides the plan atomically. From then on any
 * process that holds the lock can complete the plan, any number of times.
 */
#pragma once

#include "src/unify/clocks/clocks.h"
#include "src/unify/files.h"
#include "src/unify/model.h"
#include "src/unify/reading.h"
#include "src/unify/search.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Formats the name of the process's staging folder. The next unification removes a killed process's. */
void omptape_unify_staging_name(char *name, size_t bytes, long pid);

/* Writes the plan for the model's parts into the folder `staging`, next to the definitions. The parts are in
 * `folder`. Both are descriptors. Returns 0 or negative errno. */
int omptape_unify_plan_write(const struct omptape_unify_model *model, int folder, int staging);

/* Decides the plan: syncs the folder `staging`, whose name is `name`, and renames it. The unification is
 * final from then on. Returns 0 or negative errno. */
int omptape_unify_plan_decide(int folder, int staging, const char *name,
                              struct omptape_unify_progress *progress);

/* Returns true if a decided plan is not completed. */
bool omptape_unify_plan_pending(int folder);

/* Completes the decided plan. Sets *copied if files had to be copied from another file system. Returns 0, or
 * negative errno with a phrase in `what` that names a file; the next call then resumes the plan. */
int omptape_unify_plan_complete(int folder, struct omptape_unify_progress *progress, bool *copied, char *what,
                                size_t bytes);

/* Removes the staging folders of killed processes. */
void omptape_unify_plan_tidy(int folder);

/* Format of a plan's file, written by plan.c and parsed by plan_complete.c. TO and FROM are numbers of
 * locations; a "move" line renames FOLDER/FROM.evt to traces/TO.evt.
 *
 *     omptape-unify 3
 *     locations COUNT
 *     move TO FROM FOLDER
 *     part BYTES SECONDS NANOSECONDS NAME
 *     end
 */

#define OMPTAPE_PLAN_FIRST_LINE "omptape-unify 3"
#define OMPTAPE_PLAN_LAST_LINE "end"
/* Size and modification time of a part's anchor file. They tell it from a later file of its name. */
struct omptape_plan_identity {
    long long bytes;
    long long seconds;
    long nanoseconds;
};

static inline struct omptape_plan_identity omptape_plan_identity_of(const struct stat *anchor)
{
    return (struct omptape_plan_identity){
        .bytes = anchor->st_size, .seconds = anchor->st_mtim.tv_sec, .nanoseconds = anchor->st_mtim.tv_nsec};
}

/* Stages a unified archive in a child process, because libotf2 may crash or hang on a damaged part. All code
 * that reads and writes archives (model.h, reading.h, clocks.h) runs there. */

enum omptape_unify_result {
    /* No result: the child was killed by a signal, or because it made no progress. */
    OMPTAPE_UNIFY_CRASHED = 0,
    OMPTAPE_UNIFY_STAGED,
    OMPTAPE_UNIFY_PART_BAD,   /* `part` cannot be read; `line` has the reason */
    OMPTAPE_UNIFY_NO_PART,    /* `part` is not a process archive */
    OMPTAPE_UNIFY_FAILED,     /* `line` has the reason */
    OMPTAPE_UNIFY_NOTHING_NEW /* everything is unified already, or a single process needs no unification */
};

/* Result of the child for its parent, in shared memory. */
struct omptape_unify_outcome {
    enum omptape_unify_result result;
    uint32_t part; /* the part that is being read: index into `list` of the search; UINT32_MAX: none */
    uint32_t done; /* parts read, of `total` */
    uint32_t total;
    uint32_t written; /* locations whose definitions are written */
    uint64_t beats;   /* incremented while events are read */
    uint32_t clocks;  /* number of different clocks of the processes */
    uint64_t events;
    uint32_t processes;
    uint32_t locations;
    char missing[OMPTAPE_UNIFY_ERROR_BYTES];    /* line for the user about missing ranks, or "" */
    char unmeasured[OMPTAPE_UNIFY_ERROR_BYTES]; /* line about hosts without offsets, or "" */
    char line[OMPTAPE_UNIFY_ERROR_BYTES];
};

/* Reads all parts of the search that are not skipped, and writes definitions and plan into `staging`.
 * `folder` contains the parts; both are descriptors. If `correction` is not NULL, the only part is the
 * unified archive and its times are shifted. */
void omptape_unify_stage(int folder, int staging, const struct omptape_unify_search *search,
                         const struct omptape_unify_offsets *offsets,
                         const struct omptape_unify_order_correction *correction,
                         struct omptape_unify_progress *progress, struct omptape_unify_outcome *outcome);
