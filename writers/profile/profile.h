/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The profile mode (--profile). The archive gets all definitions but no events. These go to the analysis that
 * `omptape report` makes of a trace (src/analysis/reduce/pass.h), in the order in which it would read them,
 * while the program runs. At the end, and in each checkpoint, its sums are written beside the event files
 * that are empty: FOLDER/traces/0.sums (src/analysis/reduce/profile.h).
 *
 * As long as somebody looks (writers/live.h) the same is done beside a trace. Called by the writer's main
 * thread.
 */
#pragma once

#include "writers/state/writer.h"

/* In the archive's folder. */
#define OMPTAPE_PROFILE_FILE "traces/0.sums"

struct analysis_state;
struct omptape_known;

/* Sets up writer->profile and has the archive's events go there: before the first. 0 or -ENOMEM. */
int omptape_profile_create(struct omptape_writer *writer);

/* Sets up writer->sums alone: of the events from now on, which the archive's files get as well. Its analysis
 * has no timeline. Likewise. */
int omptape_profile_look(struct omptape_writer *writer);

/* Should what waits be handed on before much more comes? */
bool omptape_profile_is_full(const struct omptape_profile *profile);
/* All records before `time` have been translated: hands on what is before it. What goes wrong is in the
 * archive's error. */
void omptape_profile_advance(struct omptape_writer *writer, uint64_t time);

/* All events were there: the analysis of writer->sums, which has ended, and the definitions that it refers
 * to. NULL: no memory. */
struct analysis_state *omptape_profile_end(struct omptape_writer *writer);
struct omptape_known *omptape_profile_known(struct omptape_profile *profile);

/* All events were there: writes the sums. Before the archive's definitions. */
void omptape_profile_finish(struct omptape_writer *writer);
/* How many events were added up. */
uint64_t omptape_profile_events(const struct omptape_profile *profile);
/* Of writer->sums, and writer->profile if that is the same. */
void omptape_profile_free(struct omptape_writer *writer);
