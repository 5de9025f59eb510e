/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Included by the compiler before all else into what the stress test of the buffers is built from: each
 * explicit atomic operation may let other threads in before it, so that they meet in the middle of every
 * function. Any thread.
 */
#pragma once

#include <stdatomic.h>

/* Yields or sleeps now and then. In stress_buffer.c. */
void stumble(void);
/* The same, often: where two loads and an exchange must not be torn apart unnoticed. */
void stumble_badly(void);

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_compare_exchange_weak_explicit
#if defined(__clang__)
#define atomic_load_explicit(object, order) (stumble(), __c11_atomic_load(object, order))
#define atomic_store_explicit(object, value, order) (stumble(), __c11_atomic_store(object, value, order))
#define atomic_compare_exchange_weak_explicit(object, expected, value, success, failure)                     \
    (stumble_badly(), __c11_atomic_compare_exchange_weak(object, expected, value, success, failure))
#else
#define atomic_load_explicit(object, order) (stumble(), __atomic_load_n(object, order))
#define atomic_store_explicit(object, value, order) (stumble(), __atomic_store_n(object, value, order))
#define atomic_compare_exchange_weak_explicit(object, expected, value, success, failure)                     \
    (stumble_badly(), __atomic_compare_exchange_n(object, expected, value, 1, success, failure))
#endif
