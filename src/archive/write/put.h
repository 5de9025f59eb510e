/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a record comes into its file's chunk, which has room for the most that it may take. That is as
 * libotf2 counts it, since it decides where a chunk ends. For the files that write events, events*.c.
 */
#ifndef OMPTAPE_ARCHIVE_WRITE_PUT_H
#define OMPTAPE_ARCHIVE_WRITE_PUT_H

#include "src/archive/write/archive.h"

/* The most that records and their parts take. */
enum { KIND = 1, HEAD = 2, U8 = 1, U32 = OMPTAPE_ENCODE_U32_BYTES, U64 = OMPTAPE_ENCODE_U64_BYTES, WORD = 8 };

static inline size_t head_most(size_t data)
{
    return data < OMPTAPE_ENCODE_LONG ? HEAD : HEAD + WORD;
}

/* The event has no place in a file: it is not open, or somebody else gets all events (tap.h). Then its file
 * has no room. */
void omptape_archive_give_away(struct omptape_archive *archive, struct omptape_events *events,
                               struct omptape_tapped event);

static inline struct omptape_tapped tapped(uint64_t time, uint8_t number, uint32_t ref, uint64_t first,
                                           uint64_t second)
{
    return (struct omptape_tapped){.time = time, .number = number, .ref = ref, .value = {first, second}};
}

/* Has the file room for a record that takes `most` bytes at most, behind its time? Also no: it is not open,
 * or somebody else gets all events (tap.h). After an error there may be some until its chunk is full: that is
 * written no more. */
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

/* An event for who gets all of them. */
static inline void hand_over(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                             uint8_t number, uint32_t ref, uint64_t first, uint64_t second)
{
    struct omptape_tap_lane *lane = events->lane;
    time = time_of_record(archive, events, time);
    if (__builtin_expect(lane == NULL || lane->next == lane->end || archive->attributes.count > 0, 0)) {
        omptape_archive_give_away(archive, events, tapped(time, number, ref, first, second));
        return;
    }
    struct omptape_tapped *place = lane->next++;
    events->last = time;
    events->count++;
    place->time = time;
    place->value[0] = first;
    place->value[1] = second;
    place->ref = ref;
    place->number = number;
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
static inline unsigned char *begin_event(struct omptape_archive *archive, struct omptape_events *events,
                                         uint64_t time, size_t most)
{
    time = time_of_record(archive, events, time);
    if (!has_room(events, most) &&
        (archive->tap.event != NULL ||
         !omptape_archive_next_chunk(archive, events, time, most + OMPTAPE_ENCODE_TIME_BYTES)))
        return NULL;
    return write_time(events, time);
}

/* The same of one that has attributes. */
static inline unsigned char *begin_described(struct omptape_archive *archive, struct omptape_events *events,
                                             uint64_t time, size_t most)
{
    most += omptape_attributes_most(&archive->attributes);
    unsigned char *at = begin_event(archive, events, time, most);
    return at != NULL ? omptape_attributes_encode(&archive->attributes, at) : NULL;
}

/* The same of one that may have attributes. */
static inline unsigned char *begin_with_attributes(struct omptape_archive *archive,
                                                   struct omptape_events *events, uint64_t time, size_t most)
{
    return __builtin_expect(archive->attributes.count == 0, 1) ? begin_event(archive, events, time, most)
                                                               : begin_described(archive, events, time, most);
}

/* As begin_event, of a record with a length, and with the attributes that wait for it; its data come to
 * *data. `event` is what somebody gets who takes events in place of files. */
static inline unsigned char *begin_record(struct omptape_archive *archive, struct omptape_events *events,
                                          struct omptape_tapped event, size_t most, unsigned char **data)
{
    struct omptape_attributes *attributes = &archive->attributes;
    const bool described = attributes->count > 0;
    unsigned char *record = begin_event(archive, events, event.time,
                                        HEAD + most + (described ? omptape_attributes_most(attributes) : 0));
    if (record == NULL) {
        omptape_archive_give_away(archive, events, event);
        omptape_attributes_clear(attributes);
        return NULL;
    }
    if (described)
        record = omptape_attributes_encode(attributes, record);
    *data = omptape_encode_head(record, event.number, most);
    return record;
}

/* A record with a length, which starts at `record`, is complete. */
static inline void end_event(struct omptape_events *events, unsigned char *record, const unsigned char *data,
                             unsigned char *end)
{
    omptape_encode_length(record, data, end);
    events->at = end;
}

/* A record of one byte. */
static inline void put_u8(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                          uint8_t kind, uint8_t value)
{
    unsigned char *record = begin_event(archive, events, time, HEAD + U8);
    if (record == NULL) {
        omptape_archive_give_away(archive, events, tapped(time, kind, 0, value, 0));
        return;
    }
    unsigned char *data = omptape_encode_head(record, kind, U8);
    end_event(events, record, data, omptape_encode_u8(data, value));
}

#endif
