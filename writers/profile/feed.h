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
    OTF2_Type types[OMPTAPE_TAPPED_VALUES];
    OTF2_MetricValue values[OMPTAPE_TAPPED_VALUES];
};

/* The attributes of an Enter or Leave that waits. */
struct omptape_said {
    struct omptape_said *next; /* not in use */
    struct omptape_event_attributes attributes;
};

/* Those of the attributes that an analysis looks at, in one of `free` or a new one that `arena` owns. False:
 * no memory; *said NULL: there are none. */
bool omptape_feed_attributes(struct omptape_said **free, struct omptape_arena *arena,
                             const struct omptape_attributes *attributes, struct omptape_said **said);

/* Makes fed->event of what was tapped, whose definitions are known from now on. False: no memory. */
bool omptape_feed_event(struct omptape_fed *fed, struct omptape_known *known, struct omptape_writer *writer,
                        const struct omptape_tapped *tapped);

#endif
