/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the time of threads went, in words and per cent. Used by the summary of a run and by info, so that
 * both say the same.
 */
#ifndef OMPTAPE_COMMAND_TEXT_THREAD_TIME_H
#define OMPTAPE_COMMAND_TEXT_THREAD_TIME_H

#include "src/core/buckets.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OMPTAPE_THREAD_TIME_BYTES = 256 };

/* Sums over threads, in ns. */
struct omptape_thread_time {
    uint64_t lived; /* 0: not known */
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
};

/* The member that a property of this key belongs to, in upper or lower case; NULL: none. */
uint64_t *omptape_thread_time_find(struct omptape_thread_time *time, const char *key);

void omptape_thread_time_add(struct omptape_thread_time *sum, const struct omptape_thread_time *time);

/* Per cent of the time that threads lived; 0: not known. */
double omptape_thread_time_share(const struct omptape_thread_time *time, enum omptape_bucket bucket);

/* "1.8 threads at work on average", within `duration` ns. Returns `text`, empty where nothing is known. */
const char *omptape_thread_time_at_work(const struct omptape_thread_time *time, uint64_t duration, char *text,
                                        size_t bytes);

/* "computing 91.2%, barrier 8.8%": what is shown. Returns `text`, empty where nothing is known. */
const char *omptape_thread_time_shares(const struct omptape_thread_time *time, char *text, size_t bytes);

#endif
