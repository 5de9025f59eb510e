/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The profile mode (--profile): the archive gets all definitions but no events; these go to the analysis that
 * `omptape report` makes of a trace (src/analysis/reduce/pass.h), in the order in which it would read them,
 * while the program runs. At the end, and in each checkpoint, its sums are written beside the event files
 * that are empty: FOLDER/traces/0.sums (src/analysis/reduce/profile.h). Called by the writer's main thread.
 */
#ifndef OMPTAPE_WRITERS_PROFILE_PROFILE_H
#define OMPTAPE_WRITERS_PROFILE_PROFILE_H

#include "writers/model/model.h"

/* In the archive's folder. */
#define OMPTAPE_PROFILE_FILE "traces/0.sums"

/* Sets up writer->profile and has the archive's events go there: before the first. 0 or -ENOMEM. */
int omptape_profile_create(struct omptape_writer *writer);

/* Should what waits be handed on before much more comes? */
bool omptape_profile_is_full(const struct omptape_profile *profile);
/* All records before `time` have been translated: hands on what is before it. What goes wrong is in the
 * archive's error. */
void omptape_profile_advance(struct omptape_writer *writer, uint64_t time);

/* All events were there: writes the sums. Before the archive's definitions. */
void omptape_profile_finish(struct omptape_writer *writer);
/* How many events were added up. */
uint64_t omptape_profile_events(const struct omptape_profile *profile);
void omptape_profile_free(struct omptape_writer *writer);

#endif
