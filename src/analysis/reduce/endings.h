/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Notes in which region each thread's events end, and what it waits for (src/analysis/opens.h).
 */
#pragma once

#include "src/analysis/location.h"

/* Checks before a Leave of a host thread is handled whether the program reported it. */
void omptape_analysis_note_unreported_leave(struct analysis_state *state, struct analysis_location *location,
                                            const struct omptape_event *event);
static inline void omptape_analysis_note_reported_leave(struct analysis_location *location, uint64_t time)
{
    if (location->top != NULL && location->top->region->kind != OMPTAPE_REGION_PROGRAM) {
        location->latest.left = location->top->region;
        location->latest.left_time = time;
    }
}
static inline void omptape_analysis_note_leave(struct analysis_state *state,
                                               struct analysis_location *location,
                                               const struct omptape_event *event)
{
    if (location->latest.ending.noted || event->attributes != NULL || event->plain != NULL)
        omptape_analysis_note_unreported_leave(state, location, event);
    else
        omptape_analysis_note_reported_leave(location, event->time);
}
/* The same for an event that no file holds; `attributes` may be NULL. */
static inline void omptape_analysis_note_plain_leave(struct analysis_state *state,
                                                     struct analysis_location *location, uint64_t time,
                                                     const struct omptape_event_attributes *attributes)
{
    if (location->latest.ending.noted || attributes != NULL)
        omptape_analysis_note_unreported_leave(state, location,
                                               &(struct omptape_event){.time = time, .plain = attributes});
    else
        omptape_analysis_note_reported_leave(location, time);
}

/* Notes the share of processor time since the last scheduler reading. Before that is replaced. */
void omptape_analysis_note_running(const struct analysis_state *state, struct analysis_location *location,
                                   uint64_t time, uint64_t running_ns);

/* Lists the state of all threads. Called after all events, before the locations are ended. */
void omptape_analysis_opens_end(struct analysis_state *state);
