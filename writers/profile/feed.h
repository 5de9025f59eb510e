/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events as the archive's functions got them become events as a reader of the archive would see them. Used by
 * profile.c; one thread.
 */
#ifndef OMPTAPE_WRITERS_PROFILE_FEED_H
#define OMPTAPE_WRITERS_PROFILE_FEED_H

#include "writers/profile/known.h"
#include "writers/profile/order.h"

/* An event, and what it points to. All zeros at first. */
struct omptape_fed {
    struct omptape_event event;
    OTF2_Type types[OMPTAPE_EVENT_ATTRIBUTES];
    OTF2_MetricValue values[OMPTAPE_EVENT_ATTRIBUTES];
    struct omptape_event_attributes attributes;
};

/* The attributes of an Enter or Leave that waits, or the values of a Metric. */
struct omptape_said {
    struct omptape_said *next; /* not in use */
    struct omptape_event_attributes attributes;
};

/* The attributes that an analysis looks at: a bit for each. The archive is to take no others. */
static inline uint32_t omptape_feed_wanted(void)
{
    return 1U << OMPTAPE_ATTRIBUTE_ITERATIONS | 1U << OMPTAPE_ATTRIBUTE_START |
           1U << OMPTAPE_ATTRIBUTE_COUNT | 1U << OMPTAPE_ATTRIBUTE_BYTES |
           1U << OMPTAPE_ATTRIBUTE_HOST_ADDRESS | 1U << OMPTAPE_ATTRIBUTE_DEVICE |
           1U << OMPTAPE_ATTRIBUTE_CALL;
}

/* An event's, in one of `free` or a new one that `arena` owns. False: no memory. */
bool omptape_feed_attributes(struct omptape_said **free, struct omptape_arena *arena,
                             const struct omptape_attributes *attributes, struct omptape_said **said);

/* Makes fed->event of what was tapped of the location; its definitions are known from now on. False: no
 * memory. */
bool omptape_feed_event(struct omptape_fed *fed, struct omptape_known *known, struct omptape_writer *writer,
                        uint64_t location, const struct omptape_tapped *tapped);

#endif
