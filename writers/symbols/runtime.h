/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells an OpenMP runtime's library from others, and which mappings belong to one.
 */
#pragma once

#include "writers/symbols/maps.h"

#include <stdbool.h>

/* True for the file or shared-object name of LLVM's, Intel's or GNU's runtime or of LLVM's offload library:
 * "libomp.so.5", "libgomp-a34b3233.so.1". And for libomptape.so, which calls the
 * functions of libgomp's regions and tasks. */
bool omptape_runtime_has_name(const char *name);

/* Looks at the mappings that were not looked at before and sets their `runtime`. Reads the file's
 * shared-object name where the path does not tell. */
void omptape_runtime_examine(struct omptape_maps *maps);
