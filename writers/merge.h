/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Brings the threads' records into one order of time, in passes over what has been committed so far.
 */
#ifndef OMPTAPE_WRITERS_MERGE_H
#define OMPTAPE_WRITERS_MERGE_H

#include "writers/model/model.h"

struct omptape_merge_result {
    uint64_t horizon; /* up to which it went, if it was not blocked */
    bool blocked;     /* stopped before its time: a team is not complete yet */
};

/* Translates all records with a time before this call began (up to the final horizon, when the writer is
 * final). Everything that such a record depends on was committed before it and comes before it. */
struct omptape_merge_result omptape_merge_pass(struct omptape_writer *writer);

#endif
