/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds what each thread is in when its events end (src/analysis/opens.h). For pass.c.
 */
#pragma once

#include "src/analysis/location.h"

/* The event is a Leave of the location's thread that goes by next: looks whether it was reported. */
void omptape_analysis_look_closer_at_leave(struct analysis_state *state, struct analysis_location *location,
                                           const struct omptape_event *event);
static inline void omptape_analysis_look_at_leave(struct analysis_state *state,
                                                  struct analysis_location *location,
                                                  const struct omptape_event *event)
{
    if (location->latest.ending.noted || event->attributes != NULL || event->plain != NULL) {
        omptape_analysis_look_closer_at_leave(state, location, event);
    } else if (location->top != NULL && location->top->region->kind != OMPTAPE_REGION_PROGRAM) {
        location->latest.left = location->top->region;
        location->latest.left_time = event->time;
    }
}

/* The kernel told how long the thread had run until then: called before that is the last word (causes.h). */
void omptape_analysis_note_running(const struct analysis_state *state, struct analysis_location *location,
                                   uint64_t time, uint64_t running_ns);

/* When all events of all locations went by, before the locations are ended. */
void omptape_analysis_opens_end(struct analysis_state *state);
