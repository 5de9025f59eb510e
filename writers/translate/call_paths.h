/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes call paths in the program's terms: a worker's frames continue the path on which its team was
 * forked. A task's frames continue the path on which the task was created. Called by the writer's main
 * thread, and by the only thread of a child that makes a checkpoint.
 */
#pragma once

#include "writers/regions/contexts.h"

/* Returns the context of a sample of the location. `context` has the frames of the thread's own stack. The
 * location's stack of tasks and teams must be as it was at the sample's time. */
OTF2_CallingContextRef omptape_call_path(struct omptape_writer *writer, struct omptape_location *location,
                                         OTF2_CallingContextRef context);

/* Returns the context in which a task executes that the location creates now, at the site. Returns
 * OTF2_UNDEFINED_CALLING_CONTEXT if it is not known or nothing is sampled. */
OTF2_CallingContextRef omptape_call_path_of_task(struct omptape_writer *writer,
                                                 struct omptape_location *location, uint64_t site);
