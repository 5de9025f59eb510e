/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What src/tool/ uses of the wrappers of libgomp.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bit n is set if the callback number n is wanted (--events). Set when the session starts. */
extern uint64_t omptape_gomp_events;

/* Registers the destructor by which the library notices the end of threads (threads.c). Called once, before
 * the first thread begins. Returns 0 or a negative errno. */
int omptape_gomp_watch_threads(void);

/* Forgets all threads in a forked child, which has only one. */
void omptape_gomp_forget_threads(void);

/* Returns true if the calling thread is in a parallel region of libgomp (threads.c). */
bool omptape_gomp_is_in_region(void);
