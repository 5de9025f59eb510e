/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Callbacks of an observer of the analysis, which sees every interval, visit and event: the timelines. The
 * analysis calls them on its thread while it reads the events.
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/core/buckets.h"
#include "src/replay/arrows.h"

#include <stdbool.h>
#include <stdint.h>

/* A location or a region, as passed to an observer. `own` holds the observer's own data and is NULL at first.
 */
struct omptape_analysis_observed {
    const struct omptape_definition *definition;
    void *own;
    /* For a location: intervals that end by then are reported merged; never NULL. */
    const uint64_t *until;
    uint64_t longer_than; /* for a region: only longer visits are reported */
};

/* Callbacks of an observer of the pass.
 *
 * `booked`: an interval of a host thread's time with its bucket and innermost region (NULL: none). A thread's
 * intervals follow each other, and those before an event are reported before the event. Intervals that end at
 * the location's `until` or earlier may be reported later. Intervals of one region and bucket are then
 * merged: the result has their total length and ends where the last one ended.
 *
 * `moved` (or NULL): `ticks` of the time booked in bucket `from` between `begin` and `end` belong to bucket
 * `to`.
 *
 * `visited` (or NULL): a visit of a region that ends within the analysed range.
 *
 * `linked` (or NULL): an arrow from one location (id) and time to another; reported at `to` or later.
 *
 * `sampled` (or NULL): a sample of a thread, the id of its calling context, and the open regions without
 * duplicates, innermost first.
 *
 * `event`: returns false to stop the reading; the events read until then count as all. If `counted` is set,
 * `event` receives only metric events of host threads, and all events of other locations.
 *
 * `counted`: receives at the end the number of events of a location. */
struct omptape_analysis_observer {
    void *data;
    void (*booked)(void *data, struct omptape_analysis_observed *location, enum omptape_bucket bucket,
                   struct omptape_analysis_observed *region, uint64_t from, uint64_t to);
    void (*moved)(void *data, struct omptape_analysis_observed *location, enum omptape_bucket from,
                  enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t ticks);
    void (*visited)(void *data, const struct omptape_analysis_observed *location,
                    struct omptape_analysis_observed *region, uint64_t begin, uint64_t end);
    void (*linked)(void *data, enum replay_arrow_kind kind, uint64_t from_location, uint64_t from,
                   uint64_t to_location, uint64_t to);
    void (*sampled)(void *data, struct omptape_analysis_observed *location, uint64_t time, uint64_t context,
                    struct omptape_analysis_observed *const *regions, uint32_t count);
    bool (*event)(void *data, const struct omptape_event *event);
    void (*counted)(void *data, const struct omptape_definition *location, uint64_t events);
    /* Events of all processes come in one order of time; else one process after the other. */
    bool together;
};
