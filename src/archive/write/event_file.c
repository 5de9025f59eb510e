/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the chunks of event files. Called when a chunk is full, and at each location's begin and end.
 */
#include "src/archive/write/event_file.h"

#include "src/archive/otf2_files.h"
#include "src/archive/otf2_library.h"
#include "src/archive/write/encode.h"
#include "src/folder/archive_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LITTLE = 0x42, BIG = 0x23, FIRST_AT = 2, LAST_AT = 10, HEAD_BYTES = 18, NAME_BYTES = 64 };

/* Writes the head of a chunk with the number of its first event. The last one's number follows when it is
 * full. */
static void begin_chunk(struct omptape_events *events)
{
    events->chunk[0] = OMPTAPE_ENCODE_CHUNK;
    events->chunk[1] = __BYTE_ORDER == __LITTLE_ENDIAN ? LITTLE : BIG;
    omptape_encode_word(events->chunk + FIRST_AT, events->count + 1);
    omptape_encode_word(events->chunk + LAST_AT, 0);
    events->at = events->chunk + HEAD_BYTES;
}

int omptape_event_file_open(struct omptape_events *events, OTF2_LocationRef location, bool empty)
{
    const size_t bytes = empty ? HEAD_BYTES : OMPTAPE_OTF2_CHUNK_BYTES;
    *events = (struct omptape_events){.fd = -1, .location = location};
    events->chunk = malloc(bytes + OMPTAPE_ENCODE_BEYOND);
    if (events->chunk == NULL)
        return -ENOMEM;
    events->end = events->chunk + bytes;
    begin_chunk(events);
    return 0;
}

void omptape_event_file_hide_space(struct omptape_events *events)
{
    if (events->end == NULL)
        return;
    events->hidden_end = events->end;
    events->end = NULL;
}

void omptape_event_file_restore_space(struct omptape_events *events)
{
    if (events->hidden_end == NULL)
        return;
    events->end = events->hidden_end;
    events->hidden_end = NULL;
}

static int create_file(struct omptape_events *events, int files)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof(name), OMPTAPE_ARCHIVE_EVENTS "/%llu.evt", (unsigned long long)events->location);
    events->fd = omptape_otf2_files_create(files, name);
    int result = events->fd < 0 ? events->fd : 0;
    events->fd = events->fd < 0 ? -1 : events->fd;
    return result;
}

/* Writes `bytes` of the chunk. After an error the next call continues at the failed byte. */
static int write_chunk(struct omptape_events *events, int files, size_t bytes)
{
    int result = events->fd < 0 ? create_file(events, files) : 0;
    omptape_encode_word(events->chunk + LAST_AT,
                        events->end == events->chunk + HEAD_BYTES ? 0 : events->count);
    while (result == 0 && events->chunk_written < bytes) {
        ssize_t n = write(events->fd, events->chunk + events->chunk_written, bytes - events->chunk_written);
        if (n > 0)
            events->chunk_written += (uint32_t)n;
        else if (n == 0 || errno != EINTR)
            result = n == 0 ? -EIO : -errno;
    }
    if (result == 0) {
        events->written += bytes;
        events->chunk_written = 0;
    }
    return result;
}

int omptape_event_file_next_chunk(struct omptape_events *events, int files, uint64_t time)
{
    memset(events->at, OMPTAPE_ENCODE_END_OF_CHUNK, (size_t)(events->end - events->at));
    int result = write_chunk(events, files, OMPTAPE_OTF2_CHUNK_BYTES);
    if (result != 0)
        return result;
    begin_chunk(events);
    *events->at = OMPTAPE_ENCODE_TIME;
    events->at = omptape_encode_word(events->at + 1, time);
    events->last = time;
    return 0;
}

int omptape_event_file_close(struct omptape_events *events, int files)
{
    /* It may be beyond the end of a full chunk. libotf2 would write it there, too, and crash. */
    unsigned char *end = omptape_encode_u8(events->at, OMPTAPE_ENCODE_END_OF_FILE);
    end = omptape_encode_u8(end, OMPTAPE_ENCODE_END_OF_BUFFER);
    int result = write_chunk(events, files, (size_t)(end - events->chunk));
    if (result != 0)
        return result;
    if (close(events->fd) != 0)
        result = -errno;
    events->fd = -1;
    omptape_event_file_abandon(events);
    return result;
}

void omptape_event_file_abandon(struct omptape_events *events)
{
    if (events->chunk != NULL && events->fd >= 0)
        close(events->fd);
    free(events->chunk);
    events->chunk = NULL;
    events->at = NULL;
    events->end = NULL;
    events->hidden_end = NULL;
    events->lane = NULL;
    events->fd = -1;
}

void omptape_event_file_redirect(struct omptape_events *events)
{
    if (events->chunk != NULL && events->fd >= 0)
        close(events->fd);
    events->fd = -1;
}
