/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether memory ran out. Whatever allocates in this folder notes it here: arrays, hash tables, arenas. The
 * readers of archives go on without what is missing, and ask once at their end. So they need no flag of their
 * own for it. Any thread; each has its own answer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* An allocation of this thread failed. Who begins something new sets it to false. */
extern _Thread_local bool omptape_out_of_memory;

/* As calloc(); NULL is noted. */
void *omptape_calloc(size_t count, size_t bytes);
