/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the program's threads had processors enough: from what they might run on (PLACE records, and what
 * the kernel says later), how long they waited (model/sched.h), and who else had the processors (observe/).
 * For the summary and `omptape info`.
 */
#ifndef OMPTAPE_WRITERS_PROCESSORS_H
#define OMPTAPE_WRITERS_PROCESSORS_H

#include "writers/model/model.h"
#include "writers/observe/observe.h"

/* What the OpenMP runtime says of itself (shm.h). The writer's main thread, at the end. */
/* A copy of the lines "key=value", which the program cannot change any more; empty if it said nothing. NULL:
 * no memory. The caller frees it. */
char *omptape_runtime_info_copy(const struct omptape_writer *writer);

/* One sentence that says what was wrong and the way out. False: nothing was, as far as is known.
 * `resolution`: ticks a second; `rivals`: NULL: not known. When all locations are closed. */
bool omptape_processors_describe(const struct omptape_writer *writer, uint64_t resolution,
                                 const struct omptape_rivals *rivals, char *text, size_t bytes);

/* How many processors these threads might run on, all together; 0: not known. */
uint32_t omptape_processors_count(const struct omptape_writer *writer);

#endif
