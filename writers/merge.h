/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Merges the threads' records in order of time and translates them, in passes over the committed records.
 */
#pragma once

#include "writers/state/writer.h"

struct omptape_merge_result {
    uint64_t horizon; /* Time up to which the pass has translated, if it was not blocked. */
    bool blocked;     /* True if the pass stopped early because a team is not complete yet. */
};

/* Translates all records with a time before the begin of this call, or before the final horizon if
 * writer->final. All records on which such a record depends were committed earlier and have earlier times. */
struct omptape_merge_result omptape_merge_pass(struct omptape_writer *writer);
