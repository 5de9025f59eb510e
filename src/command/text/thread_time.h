/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formats how threads spent their time, in words and per cent. Shared by a run's summary and info, so that
 * both print the same.
 */
#pragma once

#include "src/core/buckets.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { THREAD_TIME_BYTES = 256 };

/* Sums over threads, in ns. */
struct thread_time {
    uint64_t lived; /* 0 if unknown */
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
};

/* Returns the field that a property key belongs to (case is ignored), or NULL. */
uint64_t *thread_time_find(struct thread_time *time, const char *key);

void thread_time_add(struct thread_time *sum, const struct thread_time *time);

/* Returns a bucket's share of the threads' lifetime in per cent, 0 if unknown. */
double thread_time_share(const struct thread_time *time, enum omptape_bucket bucket);

/* Formats "1.8 threads at work on average" over `duration` ns. Returns `text`, "" if the times are
 * unknown. */
const char *thread_time_at_work(const struct thread_time *time, uint64_t duration, char *text, size_t bytes);

/* Formats "computing 91.2 %, barrier 8.8 %" without shares that round to zero. Returns `text`, "" if
 * unknown. */
const char *thread_time_shares(const struct thread_time *time, char *text, size_t bytes);
