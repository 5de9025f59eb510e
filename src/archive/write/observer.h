/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Interface for an observer of the written events. It receives them in place of the files (profile mode), or
 * in addition to them (`omptape top`). Events arrive in merge order with the times of their records. Called
 * by the event functions (events*.c) on the translating thread.
 */
#pragma once

#include "src/archive/event_kind.h"
#include "src/archive/write/attributes.h"

#include <stdbool.h>
#include <stdint.h>

enum { ARCHIVE_EVENT_VALUES = 2 };

struct profile_details; /* defined by the observer: attributes of an Enter or Leave, values of a Metric */

/* Kind of an event and its first reference. */
struct archive_subject {
    uint32_t ref; /* for Measurement: the thread to which the location changes, or 0 */
    uint8_t kind; /* enum omptape_event_kind */
};

/* An event for the observer. `ref` and the first values are as in the reader's events
 * (src/archive/event_kind.h), as far as an analysis needs them. */
struct archive_event {
    uint64_t time;
    union {
        uint64_t value[ARCHIVE_EVENT_VALUES];
        struct profile_details *details; /* for Enter, Leave and Metric; or NULL */
    };
    uint32_t ref;
    uint8_t kind;
};

/* Array for a location's next events, from `next` to `end`. A location keeps its lane until it is closed. */
struct archive_lane {
    struct archive_event *next;
    const struct archive_event *end;
};

struct omptape_events;

/* Callback for events that are not stored in a lane, with their attributes (NULL if there are none). Its
 * arguments are valid until it returns. `event` is NULL if there is no observer. */
struct archive_observer {
    void *data;
    bool beside; /* the files receive the events, too; their chunks look full (event_file.h) */
    bool apart;  /* with `beside`: current events skip the files, as repeats or as a copied writer's */
    void (*event)(void *data, struct omptape_events *events, const struct archive_event *event,
                  const struct omptape_attributes *attributes);
};
