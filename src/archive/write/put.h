/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a record comes into its file's chunk, which has room for the most that it may take. That is as
 * libotf2 counts it, since it decides where a chunk ends. For the files that write events, events*.c.
 */
#pragma once

#include "src/archive/write/archive.h"

/* The most that records and their parts take. */
enum { KIND = 1, HEAD = 2, U8 = 1, U32 = OMPTAPE_ENCODE_U32_BYTES, U64 = OMPTAPE_ENCODE_U64_BYTES, WORD = 8 };

static inline size_t head_most(size_t data)
{
    return data < OMPTAPE_ENCODE_LONG ? HEAD : HEAD + WORD;
}

/* Hands an event to the observer, if there is one. Else it has no place: its file is not open, or there was
 * an error. True: the file is to get it as well. */
bool omptape_archive_observe(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                             struct archive_subject subject, uint64_t first, uint64_t second);

/* Finds room in the file for a record of so many bytes at most, its time included. False: there is none,
 * since it is not open, it stays empty for an observer, or there was an error. */
bool omptape_archive_make_room(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                               size_t bytes);

static inline struct archive_subject subject_of(enum omptape_event_kind kind, uint32_t ref)
{
    return (struct archive_subject){.ref = ref, .kind = (uint8_t)kind};
}

/* Has the file room for a record that takes `most` bytes at most, behind its time? Also no: it is not open,
 * or an observer gets all events (observer.h). After an error there may be some until its chunk is full: that
 * is written no more. */
static inline bool has_room(const struct omptape_events *events, size_t most)
{
    return __builtin_expect((uintptr_t)events->at + most + OMPTAPE_ENCODE_TIME_BYTES < (uintptr_t)events->end,
                            1);
}

/* The same for one of the usual kind: no attributes wait for it. */
static inline bool has_plain_room(const struct omptape_archive *archive, const struct omptape_events *events,
                                  size_t most)
{
    return has_room(events, most) && archive->attributes.count == 0;
}

/* The same for one with a few attributes. No: perhaps there is, if it is counted exactly. */
static inline bool has_room_described(const struct omptape_archive *archive,
                                      const struct omptape_events *events, size_t most)
{
    return omptape_attributes_are_few(&archive->attributes) &&
           has_room(events, most + OMPTAPE_FEW_ATTRIBUTES_MOST);
}

/* The time at which a record is written that may have this one. */
static inline uint64_t time_of_record(const struct omptape_archive *archive,
                                      const struct omptape_events *events, uint64_t time)
{
    uint64_t earliest = events->last + archive->step;
    return time < earliest ? earliest : time;
}

/* Counts a record, for which there is room, and writes its time, unless that is the last one's. Returns where
 * it goes. What follows stores the end of it in events->at. */
static inline unsigned char *write_time(struct omptape_events *events, uint64_t time)
{
    unsigned char *at = omptape_encode_time(events->at, events->last, time);
    events->last = time;
    events->count++;
    return at;
}

/* A record that has_room: returns where it goes, behind its time. */
static inline unsigned char *place_event(const struct omptape_archive *archive, struct omptape_events *events,
                                         uint64_t time)
{
    return write_time(events, time_of_record(archive, events, time));
}

/* The same of any, in another chunk if need be. NULL: there is no file for it. */
static inline unsigned char *begin_record(struct omptape_archive *archive, struct omptape_events *events,
                                          uint64_t time, size_t most)
{
    time = time_of_record(archive, events, time);
    if (!has_room(events, most) &&
        !omptape_archive_make_room(archive, events, time, most + OMPTAPE_ENCODE_TIME_BYTES))
        return NULL;
    return write_time(events, time);
}

/* The same of one that has attributes. */
static inline unsigned char *begin_described(struct omptape_archive *archive, struct omptape_events *events,
                                             uint64_t time, size_t most)
{
    most += omptape_attributes_most(&archive->attributes);
    unsigned char *at = begin_record(archive, events, time, most);
    return at != NULL ? omptape_attributes_encode(&archive->attributes, at) : NULL;
}

/* The same of one that may have attributes. */
static inline unsigned char *begin_with_attributes(struct omptape_archive *archive,
                                                   struct omptape_events *events, uint64_t time, size_t most)
{
    return __builtin_expect(archive->attributes.count == 0, 1) ? begin_record(archive, events, time, most)
                                                               : begin_described(archive, events, time, most);
}

/* Of an event without room: has an observer got it, and nobody else shall? */
static inline bool is_observed(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                               struct archive_subject subject, uint64_t first, uint64_t second)
{
    return archive->observer.event != NULL &&
           !omptape_archive_observe(archive, events, time, subject, first, second);
}

/* As begin_record. NULL also: only the observer, who has got the event, shall. */
static inline unsigned char *begin_event(struct omptape_archive *archive, struct omptape_events *events,
                                         uint64_t time, size_t most, struct archive_subject subject,
                                         uint64_t first, uint64_t second)
{
    if (!has_room(events, most) && is_observed(archive, events, time, subject, first, second))
        return NULL;
    unsigned char *record = begin_record(archive, events, time, most);
    if (record == NULL)
        omptape_archive_clear_attributes(archive);
    return record;
}

/* The same of one that may have attributes. */
static inline unsigned char *begin_described_event(struct omptape_archive *archive,
                                                   struct omptape_events *events, uint64_t time, size_t most,
                                                   struct archive_subject subject, uint64_t first,
                                                   uint64_t second)
{
    if (!has_room(events, most) && is_observed(archive, events, time, subject, first, second))
        return NULL;
    unsigned char *record = begin_with_attributes(archive, events, time, most);
    if (record == NULL)
        omptape_archive_clear_attributes(archive);
    return record;
}

/* A record with a length, which starts at `record`, is complete. */
static inline void end_event(struct omptape_events *events, unsigned char *record, const unsigned char *data,
                             unsigned char *end)
{
    omptape_encode_length(record, data, end);
    events->at = end;
}

/* A record of one byte, which is the event's first value. */
static inline void put_u8(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                          uint8_t number, enum omptape_event_kind kind, uint8_t value)
{
    unsigned char *record = begin_event(archive, events, time, HEAD + U8, subject_of(kind, 0), value, 0);
    if (record == NULL)
        return;
    unsigned char *data = omptape_encode_head(record, number, U8);
    end_event(events, record, data, omptape_encode_u8(data, value));
}
