/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Observes the events of an archive: in place of the files, in which none are encoded (a profile), or beside
 * them (`omptape top`). They come in the order of the merge, each with the time that its record has or would
 * have. Called by the archive's functions for events (events*.c) on the thread that translates.
 */
#pragma once

#include "src/archive/event_kind.h"
#include "src/archive/write/attributes.h"

#include <stdbool.h>
#include <stdint.h>

enum { ARCHIVE_EVENT_VALUES = 2 };

struct profile_details; /* the observer's: attributes of an Enter or Leave, values of a Metric */

/* What an event is, and what it refers to first. */
struct archive_subject {
    uint32_t ref; /* of Measurement: the thread that the location changes to, or 0 */
    uint8_t kind; /* enum omptape_event_kind */
};

/* `ref` and the first values are those that a reader's event of the kind has (src/archive/event_kind.h), as
 * far as an analysis needs them. */
struct archive_event {
    uint64_t time;
    union {
        uint64_t value[ARCHIVE_EVENT_VALUES];
        struct profile_details *details; /* of Enter, Leave and Metric; or NULL */
    };
    uint32_t ref;
    uint8_t kind;
};

/* Where a location's next event goes; at `end` is no room. All its events have the same until it is closed.
 */
struct archive_lane {
    struct archive_event *next;
    const struct archive_event *end;
};

struct omptape_events;

/* `event` NULL: nobody observes. It gets what does not just go to its lane, and the attributes of this event
 * (NULL where it has none). All three are the callee's until it returns. */
struct archive_observer {
    void *data;
    bool beside; /* the files get the events, too: each looks full (event_file.h), */
    bool apart;  /* ...but not those of now, which repeat what files have or are a copy of the writer's */
    void (*event)(void *data, struct omptape_events *events, const struct archive_event *event,
                  const struct omptape_attributes *attributes);
};
