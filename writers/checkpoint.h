/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the trace safe against the death of program and writer together (src/folder/checkpoint.h): every few
 * seconds a child, which has a copy of all that the writer knows, completes the archive as if the program had
 * ended, into a folder in memory, and packs what is not on disk yet into one file.
 */
#ifndef OMPTAPE_WRITERS_CHECKPOINT_H
#define OMPTAPE_WRITERS_CHECKPOINT_H

#include "writers/state.h"

/* The archive has been opened in `folder`, whose `path` has to stay; NULL: it has not, and there is nothing
 * to be made safe. `finish` completes an archive. */
void omptape_checkpoint_start(struct omptape_checkpoint *checkpoint, const struct omptape_writer *writer,
                              const char *path, int folder, omptape_finisher *finish);

/* Starts a child if it is time, and takes what the last one has looked up. To be called after a pass
 * that was not blocked: all events before its `horizon` are in the archive. */
void omptape_checkpoint_serve(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                              uint64_t horizon);

/* The program is over: ends the child. The checkpoint stays. */
void omptape_checkpoint_stop(struct omptape_checkpoint *checkpoint);

/* The archive is complete, or there will be none: removes the checkpoint. */
void omptape_checkpoint_remove(const struct omptape_checkpoint *checkpoint);

#endif
