/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads from the kernel how long each thread of the program ran and how long it waited for a processor: about
 * ten times a second, a bounded number of threads at a time. Where the kernel does not tell (no /proc,
 * another namespace's, no schedstat), nothing is known. On the writer's main thread, and in the children that
 * it forks to write a snapshot.
 */
#ifndef OMPTAPE_WRITERS_OBSERVE_SCHEDSTAT_H
#define OMPTAPE_WRITERS_OBSERVE_SCHEDSTAT_H

#include "writers/model/model.h"

/* `process`: the program's folder in /proc (watch.h), or -1. Does nothing if --sched=off. */
void omptape_schedstat_start(struct omptape_writer *writer, int process);
void omptape_schedstat_stop(struct omptape_writer *writer);

/* Between two passes: reads some threads, if it is time and the program does not wait for the writer. */
void omptape_schedstat_serve(struct omptape_writer *writer);
/* How long the writer may sleep, `most` at the most (ns). */
uint64_t omptape_schedstat_patience(const struct omptape_writer *writer, uint64_t most);
/* The end, or a snapshot: reads the threads that have a location; `fresh`: those that were never read. The
 * program's threads must be there still. */
void omptape_schedstat_read(struct omptape_writer *writer, bool fresh);

#endif
