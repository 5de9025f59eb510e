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

/* Lists of attributes that are not in use. All zeros: none. */
struct omptape_feed_lists {
    OTF2_AttributeList **list;
    uint32_t count;
    uint32_t room;
};

/* Those of the attributes that an analysis looks at; NULL: there are none, or there is no memory. */
OTF2_AttributeList *omptape_feed_attributes(struct omptape_feed_lists *lists,
                                            const struct omptape_attributes *attributes);
/* They are no longer needed. */
void omptape_feed_return(struct omptape_feed_lists *lists, OTF2_AttributeList *attributes);
void omptape_feed_lists_free(struct omptape_feed_lists *lists);

/* Makes fed->event of what was tapped, whose definitions are known from now on. False: no memory. */
bool omptape_feed_event(struct omptape_fed *fed, struct omptape_known *known, struct omptape_writer *writer,
                        const struct omptape_ordered *tapped);

#endif
