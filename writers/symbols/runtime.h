/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Recognises OpenMP runtimes among libraries and mappings.
 */
#pragma once

#include "writers/symbols/maps.h"

#include <stdbool.h>

/* Returns true for the file or shared-object name of LLVM's, Intel's or GNU's runtime or LLVM's offload
 * library: "libomp.so.5", "libgomp-a34b3233.so.1". Also for libomptape.so, which calls the functions of
 * libgomp's regions and tasks. */
bool omptape_runtime_has_name(const char *name);

/* Sets `runtime` of mappings that were not examined yet. Reads the shared-object name if the path differs. */
void omptape_runtime_examine(struct omptape_maps *maps);
