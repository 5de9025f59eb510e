/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock of an emulated device: an offset, a wrong rate, and a drift that changes, as a function of the
 * host's ticks (src/core/clock.h), so that the truth of every device time is known exactly. Any thread.
 */
#pragma once

#include <stdint.h>

struct em_clock {
    uint64_t offset;   /* device time at the emulator's start */
    long double hz;    /* nominal */
    long double rate;  /* error at the start, without drift */
    long double drift; /* most change of the rate in a second */
    long double phase; /* of the drift, in its periods */
};

/* Chooses and measures the host's clock. Once, before all others. */
void em_clock_start(void);

/* Host ticks, and the number of them in so many ns. */
uint64_t em_host_now(void);
uint64_t em_host_ticks(double ns);

void em_clock_init(struct em_clock *clock, int device);

/* The device's time at a host time: what hardware writes into a record. */
uint64_t em_clock_at(const struct em_clock *clock, uint64_t host_ticks);

/* What ompt_get_device_time returns: the time now, read with all the clumsiness asked for. */
uint64_t em_clock_read(const struct em_clock *clock);

/* What ompt_translate_time returns: omp_get_wtime's seconds, by one straight line for the whole run. */
double em_clock_translate(const struct em_clock *clock, uint64_t device_time);

/* A number below `limit`, the same in each run for the same seed and thread order. */
uint64_t em_random(uint64_t limit);

/* Waits until the host's clock has reached this time. */
void em_wait_until(uint64_t host_ticks);

/* ticks and CLOCK_MONOTONIC_RAW ns of one moment; the kind of clock. */
void em_clock_pair(uint64_t *ticks, uint64_t *raw_ns);
const char *em_clock_name(void);
