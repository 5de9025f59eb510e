/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The event file of a location, with the bytes that libotf2 would write for the same events. It has chunks of
 * OMPTAPE_OTF2_CHUNK_BYTES, of which one is in memory and the others are in the file. What events are is
 * events.c's matter. Two threads may work at two files at the same time.
 */
#pragma once

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

struct archive_lane;

/* All zero: it was never open. */
struct omptape_events {
    unsigned char *at;  /* where the next record goes; NULL: it is not open */
    unsigned char *end; /* of the chunk; NULL: it is in `hidden_end`, so that no event passes the observer */
    unsigned char *hidden_end;
    uint64_t last;  /* the time of its last record */
    uint64_t count; /* events; stays when the file is closed */
    unsigned char *chunk;
    uint32_t chunk_written; /* bytes of the chunk that are in the file: not 0 only after an error */
    int fd;                 /* -1: it was not created yet */
    uint64_t written;       /* bytes of the file that are final: all its chunks but the one in memory */
    OTF2_LocationRef location;
    struct archive_lane *lane; /* the observer's (observer.h), once that knows the location */
};

static inline bool omptape_events_are_open(const struct omptape_events *events)
{
    return events->at != NULL;
}

/* 0 or -ENOMEM. The file is created when there is something to write. */
int omptape_event_file_open(struct omptape_events *events, OTF2_LocationRef location);

/* The same of a file that stays without events: it never has room for one. */
int omptape_event_file_open_empty(struct omptape_events *events, OTF2_LocationRef location);

/* While somebody observes what the file gets. Both do nothing where that is so already, or it is not open. */
void omptape_event_file_hide_room(struct omptape_events *events);
void omptape_event_file_show_room(struct omptape_events *events);

/* Writes the chunk and begins another one, whose first record has this time. `files` is the archive's handle
 * (src/archive/otf2_files.h). 0 or negative errno: then nothing has changed for the caller, who may try
 * again.
 */
int omptape_event_file_next_chunk(struct omptape_events *events, int files, uint64_t time);

/* Writes what there is and closes the file. The same, but once it is closed it is so even if that failed. */
int omptape_event_file_close(struct omptape_events *events, int files);

/* Gives up what was not written. */
void omptape_event_file_abandon(struct omptape_events *events);

/* In a forked copy of the writer: what comes from now on goes to a file where `files` has been turned to. */
void omptape_event_file_turn_away(struct omptape_events *events);
