/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ring of the floor tool: a thread's own memory that records of 32 bytes go round in. Written by the
 * callbacks of floor_tool.c, on the runtime's threads.
 */
#pragma once

#include "src/core/clock.h"

#include <stdatomic.h>
#include <stdint.h>

/* FLOOR_RECORDS 0: callbacks do nothing. FLOOR_COUNTER 1: the clock is the processor's counter, read without
 * asking whether it can be trusted; 0: clock_gettime, for machines where it cannot, and to show the
 * difference. */
enum { RECORDS = FLOOR_RECORDS, COUNTER = FLOOR_COUNTER };
enum { RING_BYTES = 1 << 20, RING_MASK = RING_BYTES - 1 };

struct floor_record {
    uint64_t time;
    uint64_t head;
    uint64_t p0;
    uint64_t p1;
};

/* A thread's ring. `cursor` counts bytes and never wraps: with it the events are counted for free. */
struct floor_thread {
    char *ring;
    _Atomic uint64_t cursor;
    struct floor_thread *next;
};

/* Threads that never announced themselves write into a ring that all of them share: that spares the hot path
 * the question. */
extern _Thread_local struct floor_thread floor_self __attribute__((tls_model("initial-exec")));

/* The calling thread's first and last moment. */
void floor_begin_thread(void);
void floor_end_thread(void);

/* Threads so far. */
unsigned floor_threads(void);

/* For the benchmark programs, which look it up: events so far, of all threads and of the calling one. */
void omptape_floor_count(uint64_t *all, uint64_t *own);

static inline __attribute__((always_inline)) uint64_t floor_ticks(void)
{
    if (!COUNTER)
        return omptape_clock_raw_ns();
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
#else
    return omptape_clock_raw_ns();
#endif
}

/* One event: its number, two small values and two words. */
static inline __attribute__((always_inline)) void put(unsigned number, unsigned a, unsigned b, uint64_t p0,
                                                      uint64_t p1)
{
    if (!RECORDS)
        return;
    uint64_t at = atomic_load_explicit(&floor_self.cursor, memory_order_relaxed);
    struct floor_record *record = (struct floor_record *)(void *)(floor_self.ring + (at & RING_MASK));
    record->time = floor_ticks();
    record->head = number | ((uint64_t)(a & 0xffffffU) << 8) | ((uint64_t)b << 32);
    record->p0 = p0;
    record->p1 = p1;
    atomic_store_explicit(&floor_self.cursor, at + sizeof(*record), memory_order_relaxed);
}
