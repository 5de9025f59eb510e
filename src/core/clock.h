/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host clock: the cheapest reliable clock, chosen once per process. Program threads read it at every
 * event. The writer reads the same clock and calibrates it against the system clocks.
 */
#pragma once

#include <omptape/shm.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Set once by omptape_clock_use before any other thread reads the clock; constant afterwards. */
extern bool omptape_clock_is_counter;

/* Returns the best clock: the processor's counter if the kernel uses it as its clock source, else
 * CLOCK_MONOTONIC_RAW. */
enum omptape_clock_kind omptape_clock_choose(void);
void omptape_clock_use(enum omptape_clock_kind kind);
const char *omptape_clock_name(enum omptape_clock_kind kind);

/* Returns the ticks per second of the chosen clock; 0 if they must be measured. */
uint64_t omptape_clock_second(void);

/* CLOCK_MONOTONIC_RAW and CLOCK_REALTIME in ns. */
uint64_t omptape_clock_raw_ns(void);
uint64_t omptape_clock_realtime_ns(void);

/* Returns the calling thread's processor time in ns. */
uint64_t omptape_clock_thread_ns(void);

/* One moment on three clocks. Of several readings the one with the shortest bracket is kept. */
struct omptape_clock_anchor {
    uint64_t ticks;
    uint64_t raw_ns;
    uint64_t realtime_ns;
};
void omptape_clock_anchor(struct omptape_clock_anchor *anchor);
/* Reads an anchor before a clock has been chosen. omptape_clock_complete_anchor completes it afterwards. */
void omptape_clock_anchor_any(struct omptape_clock_anchor *anchor);
void omptape_clock_complete_anchor(struct omptape_clock_anchor *anchor);

/* Returns CLOCK_MONOTONIC in seconds. */
double omptape_clock_seconds(void);

/* Returns how long the machine has been suspended since boot, in ns. */
uint64_t omptape_clock_suspended_ns(void);

/* Reads the processor's counter; only valid if omptape_clock_is_counter is true. */
static inline uint64_t omptape_clock_counter(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return omptape_clock_raw_ns();
#endif
}

/* Returns the ticks of the chosen clock. Any thread, also in signal handlers; does not order memory accesses.
 */
static inline uint64_t omptape_clock_now(void)
{
    return __builtin_expect(omptape_clock_is_counter, 1) ? omptape_clock_counter() : omptape_clock_raw_ns();
}

/* The same, but not before all earlier instructions are complete. Processors read the counter out of order:
 * an atomic operation between two plain readings may take no time (AMD Zen 5). Takes some tens of ns. */
static inline uint64_t omptape_clock_now_in_order(void)
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
    return omptape_clock_now();
}
