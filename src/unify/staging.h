/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prepares a unified archive in a child process, because libotf2 may crash or hang on a damaged part.
 * What reads and writes archives (model.h, reading.h, clocks.h, writing.h) runs there.
 */
#ifndef OMPTAPE_UNIFY_STAGING_H
#define OMPTAPE_UNIFY_STAGING_H

#include "src/unify/clocks/offsets.h"
#include "src/unify/mending.h"
#include "src/unify/model.h"
#include "src/unify/progress.h"
#include "src/unify/search.h"

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
