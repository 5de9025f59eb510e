/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the OpenMP runtime says of itself (shm.h). The writer's main thread, at the end.
 */
#ifndef OMPTAPE_WRITERS_MODEL_RUNTIME_INFO_H
#define OMPTAPE_WRITERS_MODEL_RUNTIME_INFO_H

#include "writers/model/model.h"

/* A copy of the lines "key=value", which the program cannot change any more; empty if it said nothing. NULL:
 * no memory. The caller frees it. */
char *omptape_runtime_info_copy(const struct omptape_writer *writer);

#endif
