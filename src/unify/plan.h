/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The step from parts to the unified archive. It is prepared in a hidden folder, with a plan of what is to be
 * moved. One rename of that folder decides that it will happen. From then on any process that holds the lock
 * can complete it, any number of times.
 */
#ifndef OMPTAPE_UNIFY_PLAN_H
#define OMPTAPE_UNIFY_PLAN_H

#include "src/unify/clocks/clocks.h"
#include "src/unify/files.h"
#include "src/unify/model.h"
#include "src/unify/reading.h"
#include "src/unify/search.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* The name of the folder in which this process prepares. The next unification removes it if this process is
 * killed. */
void omptape_unify_staging_name(char *name, size_t bytes, long pid);

/* Folders are descriptors. Writes the plan for the model's parts, which are in `folder`, into the folder
 * `staging` in which its definitions are. 0 or negative errno. */
int omptape_unify_plan_write(const struct omptape_unify_model *model, int folder, int staging);

/* Decides: from now on the parts are to become one. `name` is that of the folder `staging`. 0 or negative
 * errno. */
int omptape_unify_plan_decide(int folder, int staging, const char *name,
                              struct omptape_unify_progress *progress);

/* True if a plan was decided and not completed. */
bool omptape_unify_plan_pending(int folder);

/* Completes the decided plan. *copied is set if files had to be copied from another file system. 0, or
 * negative errno with a phrase in `what` that names a file; then the next call goes on from there. */
int omptape_unify_plan_complete(int folder, struct omptape_unify_progress *progress, bool *copied, char *what,
                                size_t bytes);

/* Removes what killed processes have left behind. */
void omptape_unify_plan_tidy(int folder);

/* What a plan's file looks like, for who makes it (plan.c) and who follows it (plan_complete.c).
 *
 *     omptape-unify 3
 *     locations COUNT
 *     move TO FROM FOLDER         numbers of locations; FOLDER/FROM.evt becomes traces/TO.evt
 *     part BYTES SECONDS NANOSECONDS NAME
 *     end
 */

#define OMPTAPE_PLAN_FIRST_LINE "omptape-unify 3"
#define OMPTAPE_PLAN_LAST_LINE "end"
/* What tells a part's anchor from any other that may come to have its name. */
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

/* Prepares a unified archive in a child process, because libotf2 may crash or hang on a damaged part.
 * What reads and writes archives (model.h, reading.h, clocks.h) runs there.
 */

enum omptape_unify_result {
    OMPTAPE_UNIFY_CRASHED = 0, /* no word: it was killed by a signal, or for making no progress */
    OMPTAPE_UNIFY_STAGED,
    OMPTAPE_UNIFY_PART_BAD,   /* `part` cannot be taken, `line` says why */
    OMPTAPE_UNIFY_NO_PART,    /* `part` is none */
    OMPTAPE_UNIFY_FAILED,     /* `line` says why */
    OMPTAPE_UNIFY_NOTHING_NEW /* all of it is unified, or a single process that needs no unification */
};

/* What the child leaves for its parent; shared memory. */
struct omptape_unify_outcome {
    enum omptape_unify_result result;
    uint32_t part; /* that is being read: index of `list` of the search; UINT32_MAX: none */
    uint32_t done; /* parts read, */
    uint32_t total;
    uint32_t written; /* ...then locations */
    uint64_t beats;   /* counted up while events are read */
    uint32_t clocks;  /* that the processes have, which may disagree */
    uint64_t events;
    uint32_t processes;
    uint32_t locations;
    char missing[OMPTAPE_UNIFY_ERROR_BYTES];    /* ranks that are not there, a line for the user; or empty */
    char unmeasured[OMPTAPE_UNIFY_ERROR_BYTES]; /* likewise, hosts that the file of offsets lacks */
    char line[OMPTAPE_UNIFY_ERROR_BYTES];
};

/* Reads all parts of the search that are not left alone, and writes definitions and plan into `staging`. The
 * parts are in `folder`; both are descriptors. With `mending` the only part is the unified archive, and its
 * times are shifted; else NULL. */
void omptape_unify_stage(int folder, int staging, const struct omptape_unify_search *search,
                         const struct omptape_unify_offsets *offsets,
                         const struct omptape_unify_mending *mending, struct omptape_unify_progress *progress,
                         struct omptape_unify_outcome *outcome);

#endif
