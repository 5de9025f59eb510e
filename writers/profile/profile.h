/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The profile mode (--profile). The archive gets all definitions but no events. The events go to the analysis
 * that `omptape report` makes of a trace (src/analysis/reduce/pass.h), in the same order, while the program
 * runs. At the end, and in each checkpoint, its sums are written beside the empty event files:
 * FOLDER/traces/0.sums (src/analysis/reduce/profile.h). While `omptape top` asks (writers/top_answers.h), a
 * trace gets the same analysis in addition. Called by the writer's main thread.
 */
#pragma once

#include "writers/state/writer.h"

/* Path in the archive's folder. */
#define OMPTAPE_PROFILE_FILE "traces/0.sums"

struct analysis_state;
struct omptape_profile_defs;

/* Creates writer->profile and makes it the archive's observer. Called before the first event. Returns 0 or
 * -ENOMEM. */
int omptape_profile_create(struct omptape_writer *writer);

/* Creates only writer->sums, for later events, which the archive's files get as well. Its analysis has no
 * timeline. Events before `begin` that are written later, as the end of an idle worker's last region, count
 * at `begin`; samples do not count. Returns 0 or -ENOMEM. */
int omptape_profile_attach_sums(struct omptape_writer *writer, uint64_t begin);

/* Returns true if the waiting events should be passed on before many more come. */
bool omptape_profile_is_full(const struct omptape_profile *profile);
/* Passes on events before `time`: all records before it are translated. Errors are stored in the archive. */
void omptape_profile_advance(struct omptape_writer *writer, uint64_t time);

/* Called after the last event. Ends the analysis of writer->sums and returns it, or NULL if out of memory.
 * omptape_profile_get_defs returns its definitions. */
struct analysis_state *omptape_profile_end(struct omptape_writer *writer);
struct omptape_profile_defs *omptape_profile_get_defs(struct omptape_profile *profile);

/* Writes the sums. Called after the last event and before the archive's definitions. */
void omptape_profile_finish(struct omptape_writer *writer);
/* Returns the number of analysed events. */
uint64_t omptape_profile_events(const struct omptape_profile *profile);
/* Frees writer->sums, and writer->profile if it is the same. */
void omptape_profile_free(struct omptape_writer *writer);
