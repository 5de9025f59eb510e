/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What src/tool/ knows of the functions that stand in front of libgomp.
 */
#ifndef OMPTAPE_CALLBACKS_GOMP_GOMP_H
#define OMPTAPE_CALLBACKS_GOMP_GOMP_H

#include <stdbool.h>
#include <stdint.h>

/* Bit n: the callback number n is asked for. Set when the session starts. */
extern uint64_t omptape_gomp_events;

/* threads.c: what the library needs to hear of threads that end. Once, before the first thread begins. 0 or
 * -errno. */
int omptape_gomp_watch_threads(void);

/* In a forked child, which has one thread. */
void omptape_gomp_forget_threads(void);

/* threads.c: is the calling thread in a parallel region of libgomp's? */
bool omptape_gomp_is_in_region(void);

#endif
