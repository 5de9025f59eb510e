/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a library's file is, in words that mean the same to the writer. Called by callbacks/module.c on
 * program threads.
 */
#ifndef OMPTAPE_CALLBACKS_MODULE_PATH_H
#define OMPTAPE_CALLBACKS_MODULE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OMPTAPE_MODULE_PATH_BYTES = 1024 };

/* The absolute path of the library that the loader calls `name` and whose code is mapped at `begin`. A name
 * from the current folder may mean another file by now, so it is the kernel's map that counts. False: it is
 * not known, or too long. */
bool omptape_module_path(const char *name, uintptr_t begin, char *path, size_t bytes);

#endif
