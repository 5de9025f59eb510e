/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file in which a profile (omptape --profile) keeps its results in place of events. It has the sums
 * (partial.h) and the pyramid of a process. Its name is FOLDER/traces/N.sums, where N is the first location
 * of the process.
 *
 * The writer writes it at the end and with each checkpoint. Unification moves it with the location's other
 * files and does not read it. So its ids are those of the writer and its times those of the process. The
 * location's definition file maps both to the archive. run.c reads it in place of the process's events.
 *
 *     "omptsums"   bytes of the sums   the sums   the pyramid   a hash of all before it
 */
#pragma once

#include "src/analysis/reduce/bytes.h"
#include "src/analysis/reduce/partial.h"
#include "src/analysis/timeline/pyramid.h"

#define OMPTAPE_SUMS_ENDING ".sums"

/* Of a pass and a pyramid that have ended. 0 or -ENOMEM. The caller frees the bytes in either case. */
int omptape_sums_write(struct omptape_bytes *bytes, const struct analysis_state *pass,
                       const struct omptape_pyramid *pyramid);

/* Has this process of the plan such a file? */
bool omptape_sums_are_there(const struct analysis_planned *process, const struct omptape_reader *reader);
/* Should it have one? It holds no events, and the archive says that it is a profile. */
bool omptape_sums_are_due(const struct analysis_planned *process, struct omptape_reader *reader);
/* Has any process of the archive? Then there are no single events of it. */
bool omptape_sums_anywhere(const struct omptape_reader *reader);

/* Adds them to `sums`. 0, or a negative errno with one line in `error`. */
int omptape_sums_add(struct analysis_state *sums, const struct analysis_planned *process, char *error,
                     size_t error_bytes);
/* Adds its pyramid to this one. Likewise. */
int omptape_sums_draw(struct omptape_pyramid *pyramid, const struct analysis_planned *process, char *error,
                      size_t error_bytes);
