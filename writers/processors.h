/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks whether the program's threads had enough processors. Uses their allowed processors (PLACE records,
 * later readings of the kernel), their waiting time (writers/state/sched.h) and the other users of the
 * processors (writers/observe/). For the summary and `omptape info`.
 */
#pragma once

#include "writers/observe/observe.h"
#include "writers/state/writer.h"

/* Returns a copy of the OpenMP runtime's description of itself, in lines "key=value" (shm.h), which the
 * program cannot change any more. The copy is empty if there is no description. Returns NULL if out of
 * memory. The caller frees the copy. Called by the writer's main thread at the end. */
char *omptape_runtime_info_copy(const struct omptape_writer *writer);

/* Writes one sentence with the problem and its remedy. Returns false if no problem is known. `resolution`:
 * ticks per second; `rivals`: NULL if not known. Called when all locations are closed. */
bool omptape_processors_describe(const struct omptape_writer *writer, uint64_t resolution,
                                 const struct omptape_rivals *rivals, char *text, size_t bytes);

/* Returns how many processors all threads of teams together might use, or 0 if not known. */
uint32_t omptape_processors_count(const struct omptape_writer *writer);
