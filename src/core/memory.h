/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records that memory is exhausted. Arrays, hash tables and arenas of this folder set a flag when an
 * allocation fails. Readers of archives continue without the missing data and check the flag once at their
 * end. Their functions therefore need no error of their own for it. Any thread; each thread has its own flag.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* An allocation of this thread has failed. Callers that continue without the memory leave the flag set.
 * Whoever checks it at the end therefore sets it to false at the beginning. */
extern _Thread_local bool omptape_out_of_memory;

/* As calloc; sets the flag before it returns NULL. */
void *omptape_calloc(size_t count, size_t bytes);
