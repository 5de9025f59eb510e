/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The process that makes a checkpoint (checkpoint.h): a fork of the writer, with one thread.
 */
#ifndef OMPTAPE_WRITERS_CHECKPOINT_CHILD_H
#define OMPTAPE_WRITERS_CHECKPOINT_CHILD_H

#include "writers/checkpoint/state.h"

/* Makes a checkpoint of all events before `horizon` and ends the process, with code 0 if that is on the disk.
 * The parent may go on writing meanwhile. */
_Noreturn void omptape_checkpoint_child(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                                        uint64_t horizon);

#endif
