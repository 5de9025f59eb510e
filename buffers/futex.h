/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Futexes in shared memory: how the two processes sleep and wake each other. Any thread of either.
 */
#ifndef OMPTAPE_BUFFERS_FUTEX_H
#define OMPTAPE_BUFFERS_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

/* Sleeps while *word == value, at most `timeout_ns`. Returns early on a wake-up, a signal, or for no reason.
 */
void omptape_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);

/* Wakes all who wait on the word, */
void omptape_futex_wake(_Atomic uint32_t *word);
/* or one of them, who waits longest. */
void omptape_futex_wake_one(_Atomic uint32_t *word);

#endif
