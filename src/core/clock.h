/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host clock: the cheapest one that can be trusted, chosen once per process. Read on every event by
 * program threads; the writer reads the same clock and calibrates it against the system's.
 */
#ifndef OMPTAPE_CORE_CLOCK_H
#define OMPTAPE_CORE_CLOCK_H

#include <omptape/shm.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Set once by omptape_clock_use before any other thread reads the clock; constant afterwards. */
extern bool omptape_clock_is_counter;

/* The best clock of this machine: a CPU counter where the kernel itself relies on it, else
 * CLOCK_MONOTONIC_RAW. */
enum omptape_clock_kind omptape_clock_choose(void);
void omptape_clock_use(enum omptape_clock_kind kind);
const char *omptape_clock_name(enum omptape_clock_kind kind);

/* Ticks of the chosen clock in a second; 0 where only a measurement can tell. */
uint64_t omptape_clock_second(void);

/* CLOCK_MONOTONIC_RAW and CLOCK_REALTIME in ns. */
uint64_t omptape_clock_raw_ns(void);
uint64_t omptape_clock_realtime_ns(void);

/* One moment on three clocks: the reading with the tightest bracket of several. */
struct omptape_clock_anchor {
    uint64_t ticks;
    uint64_t raw_ns;
    uint64_t realtime_ns;
};
void omptape_clock_anchor(struct omptape_clock_anchor *anchor);
/* The same where no clock has been chosen yet; settled when it is. */
void omptape_clock_anchor_any(struct omptape_clock_anchor *anchor);
void omptape_clock_settle(struct omptape_clock_anchor *anchor);

/* How long the machine has been suspended since boot, ns. */
uint64_t omptape_clock_asleep_ns(void);

/* The processor's counter, where omptape_clock_is_counter says so. */
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

/* Ticks of the chosen clock. Any thread, any time; does not order memory accesses. */
static inline uint64_t omptape_clock_now(void)
{
    return __builtin_expect(omptape_clock_is_counter, 1) ? omptape_clock_counter() : omptape_clock_raw_ns();
}

#endif
