/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places a record into its file's chunk, which must have space for the record's maximum size. Sizes are
 * counted as libotf2 counts them, because they decide where a chunk ends. Used by events*.c.
 */
#pragma once

#include "src/archive/write/archive.h"

/* Maximum sizes of records and their parts, in bytes. */
enum { KIND = 1, HEAD = 2, U8 = 1, U32 = OMPTAPE_ENCODE_U32_BYTES, U64 = OMPTAPE_ENCODE_U64_BYTES, WORD = 8 };

static inline size_t head_most(size_t data)
{
    return data < OMPTAPE_ENCODE_LONG ? HEAD : HEAD + WORD;
}

/* Passes an event that has no space in its file to the observer, if there is one. Otherwise the file is
 * closed or there was an error. Returns true if the file must receive the event, too. */
bool omptape_archive_observe(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                             struct archive_subject subject, uint64_t first, uint64_t second);

/* Finds space in the file for a record of at most `bytes` including its time. Returns false if the file is
 * closed or stays empty for an observer, or after an error. */
bool omptape_archive_reserve_space(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, size_t bytes);

static inline struct archive_subject subject_of(enum omptape_event_kind kind, uint32_t ref)
{
    return (struct archive_subject){.ref = ref, .kind = (uint8_t)kind};
}

/* Returns true if the file has space for a record of at most `max_bytes` bytes after its time. Returns false
 * also for a closed file, and if an observer receives all events (observer.h). After an error it may be true
 * until the chunk is full, which is never written. */
static inline bool has_space(const struct omptape_events *events, size_t max_bytes)
{
    return __builtin_expect(
        (uintptr_t)events->at + max_bytes + OMPTAPE_ENCODE_TIME_BYTES < (uintptr_t)events->end, 1);
}

/* Like has_space, for an event without attributes. */
static inline bool has_plain_space(const struct omptape_archive *archive, const struct omptape_events *events,
                                   size_t max_bytes)
{
    return has_space(events, max_bytes) && archive->attributes.count == 0;
}

/* Like has_space, for an event with a few attributes. May return false although an exact count would fit. */
static inline bool has_space_described(const struct omptape_archive *archive,
                                       const struct omptape_events *events, size_t max_bytes)
{
    return omptape_attributes_are_few(&archive->attributes) &&
           has_space(events, max_bytes + OMPTAPE_FEW_ATTRIBUTES_BYTES);
}

/* Returns the time for a record that may be written at `time` at the earliest. */
static inline uint64_t time_of_record(const struct omptape_archive *archive,
                                      const struct omptape_events *events, uint64_t time)
{
    uint64_t earliest = events->last + archive->step;
    return time < earliest ? earliest : time;
}

/* Counts a record that has space, and writes its time if it differs from the last one. Returns the position
 * after the time. The caller sets events->at to the record's end. */
static inline unsigned char *write_time(struct omptape_events *events, uint64_t time)
{
    unsigned char *at = omptape_encode_time(events->at, events->last, time);
    events->last = time;
    events->count++;
    return at;
}

/* Begins a record after has_space. Returns the position after its time. */
static inline unsigned char *place_event(const struct omptape_archive *archive, struct omptape_events *events,
                                         uint64_t time)
{
    return write_time(events, time_of_record(archive, events, time));
}

/* Begins any record, in a new chunk if necessary. Returns NULL if no file can receive it. */
static inline unsigned char *begin_record(struct omptape_archive *archive, struct omptape_events *events,
                                          uint64_t time, size_t max_bytes)
{
    time = time_of_record(archive, events, time);
    if (!has_space(events, max_bytes) &&
        !omptape_archive_reserve_space(archive, events, time, max_bytes + OMPTAPE_ENCODE_TIME_BYTES))
        return NULL;
    return write_time(events, time);
}

/* Like begin_record, for a record with attributes. */
static inline unsigned char *begin_described(struct omptape_archive *archive, struct omptape_events *events,
                                             uint64_t time, size_t max_bytes)
{
    max_bytes += omptape_attributes_most(&archive->attributes);
    unsigned char *at = begin_record(archive, events, time, max_bytes);
    return at != NULL ? omptape_attributes_encode(&archive->attributes, at) : NULL;
}

/* Like begin_record, for a record that may have attributes. */
static inline unsigned char *begin_with_attributes(struct omptape_archive *archive,
                                                   struct omptape_events *events, uint64_t time,
                                                   size_t max_bytes)
{
    return __builtin_expect(archive->attributes.count == 0, 1)
               ? begin_record(archive, events, time, max_bytes)
               : begin_described(archive, events, time, max_bytes);
}

/* Returns true if an observer has received the event in place of the file. */
static inline bool is_observed(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                               struct archive_subject subject, uint64_t first, uint64_t second)
{
    return archive->observer.event != NULL &&
           !omptape_archive_observe(archive, events, time, subject, first, second);
}

/* Like begin_record, for an event without space that an observer may get. NULL if only that does. */
static inline unsigned char *begin_event(struct omptape_archive *archive, struct omptape_events *events,
                                         uint64_t time, size_t max_bytes, struct archive_subject subject,
                                         uint64_t first, uint64_t second)
{
    if (!has_space(events, max_bytes) && is_observed(archive, events, time, subject, first, second))
        return NULL;
    unsigned char *record = begin_record(archive, events, time, max_bytes);
    if (record == NULL)
        omptape_archive_clear_attributes(archive);
    return record;
}

/* Like begin_event, for an event that may have attributes. */
static inline unsigned char *begin_described_event(struct omptape_archive *archive,
                                                   struct omptape_events *events, uint64_t time,
                                                   size_t max_bytes, struct archive_subject subject,
                                                   uint64_t first, uint64_t second)
{
    if (!has_space(events, max_bytes) && is_observed(archive, events, time, subject, first, second))
        return NULL;
    unsigned char *record = begin_with_attributes(archive, events, time, max_bytes);
    if (record == NULL)
        omptape_archive_clear_attributes(archive);
    return record;
}

/* Completes a record with a length that starts at `record`. */
static inline void end_event(struct omptape_events *events, unsigned char *record, const unsigned char *data,
                             unsigned char *end)
{
    omptape_encode_length(record, data, end);
    events->at = end;
}
