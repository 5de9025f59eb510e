/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A folder of a unit test's own, in TMPDIR or /tmp. Its path is short, so that what is below it fits into any
 * test's array.
 */
#pragma once

enum { SCRATCH_BYTES = 64 };

/* Makes it and puts its path into `path`. 0, or -1. */
int scratch_make(char path[SCRATCH_BYTES]);

/* Removes it with all that is in it. 0, or -1. */
int scratch_remove(const char *path);
