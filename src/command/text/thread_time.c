/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes shares of the threads' lifetime. Used by the command's summary and by info.
 */
#include "src/command/text/thread_time.h"

#include "src/core/whole.h"
#include "src/core/words.h"

#include <omptape/properties.h>
#include <stdio.h>
#include <strings.h>

uint64_t *thread_time_find(struct thread_time *time, const char *key)
{
    if (strcasecmp(key, OMPTAPE_KEY_TIME_LIVED) == 0)
        return &time->lived;
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        if (strcasecmp(key, omptape_buckets[bucket].key) == 0)
            return &time->parts[bucket];
    return NULL;
}

void thread_time_add(struct thread_time *sum, const struct thread_time *time)
{
    omptape_add(&sum->lived, time->lived);
    omptape_parts_add(sum->parts, time->parts);
}

double thread_time_share(const struct thread_time *time, enum omptape_bucket bucket)
{
    return time->lived > 0 ? 100 * (double)time->parts[bucket] / (double)time->lived : 0;
}

/* Returns true unless the rounded share would be printed as 0.0 %. */
static bool is_shown(const struct thread_time *time, enum omptape_bucket bucket)
{
    return thread_time_share(time, bucket) >= 0.05;
}

const char *thread_time_at_work(const struct thread_time *time, uint64_t duration, char *text, size_t bytes)
{
    double work = 0;
    text[0] = '\0';
    if (time->lived == 0 || duration == 0)
        return text;
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        if (omptape_buckets[bucket].work)
            work += (double)time->parts[bucket];
    snprintf(text, bytes, "%.1f threads at work on average", work / (double)duration);
    return text;
}

const char *thread_time_shares(const struct thread_time *time, char *text, size_t bytes)
{
    text[0] = '\0';
    for (enum omptape_bucket bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        if (is_shown(time, bucket))
            omptape_append_item(text, bytes, ", ", "%s %.1f %%", omptape_buckets[bucket].name,
                                thread_time_share(time, bucket));
    return text;
}
