/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a location's event file, byte for byte as libotf2 would. A file has chunks of
 * OMPTAPE_OTF2_CHUNK_BYTES; one is in memory, the others are in the file. events*.c encodes the events. Two
 * threads may write two files at the same time.
 */
#pragma once

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

struct archive_lane;

/* State of an event file. All zero: it was never open. */
struct omptape_events {
    unsigned char *at; /* position of the next record; NULL: closed */
    unsigned char
        *end; /* end of the chunk; NULL: stored in `hidden_end`, so that every event reaches the observer */
    unsigned char *hidden_end;
    uint64_t last;  /* time of the last record */
    uint64_t count; /* number of events; kept after the file is closed */
    unsigned char *chunk;
    uint32_t chunk_written; /* bytes of the chunk that are already in the file; not 0 only after an error */
    int fd;                 /* -1: not created yet */
    uint64_t written;       /* bytes in the file of completed chunks */
    OTF2_LocationRef location;
    struct archive_lane *lane; /* the observer's lane (observer.h), after the observer knows the location */
};

static inline bool omptape_events_are_open(const struct omptape_events *events)
{
    return events->at != NULL;
}

/* Opens an event file, created on the first write. `empty`: its chunk has no space. Returns 0 or -ENOMEM. */
int omptape_event_file_open(struct omptape_events *events, OTF2_LocationRef location, bool empty);

/* Hide and restore the free space, while an observer receives the events as well. They do nothing if that is
 * already so or the file is closed. */
void omptape_event_file_hide_space(struct omptape_events *events);
void omptape_event_file_restore_space(struct omptape_events *events);

/* Writes the chunk and begins a new one, whose first record has the time `time`. `files` is the archive's
 * handle (src/archive/otf2_files.h). Returns 0, or negative errno; the state is then unchanged and the caller
 * may retry. */
int omptape_event_file_next_chunk(struct omptape_events *events, int files, uint64_t time);

/* Writes the rest and closes the file. Returns 0, or negative errno. It is closed in any case. */
int omptape_event_file_close(struct omptape_events *events, int files);

/* Closes the file without writing the rest. */
void omptape_event_file_abandon(struct omptape_events *events);

/* Called in a forked copy of the writer: further events are written to a new file in the folder to which
 * `files` has been directed. */
void omptape_event_file_redirect(struct omptape_events *events);
