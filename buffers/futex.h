/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Futexes in shared memory by which program and writer wake each other. Any thread of either.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* Sleeps while *word == value, at most `timeout_ns`. May return early for any reason. */
void omptape_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);

/* Wakes all threads that wait on the word. */
void omptape_futex_wake(_Atomic uint32_t *word);
/* Wakes the thread that has waited longest on the word. */
void omptape_futex_wake_one(_Atomic uint32_t *word);
