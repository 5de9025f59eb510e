/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses one event file (sizes_walk.h).
 *
 * Most numbers in a record are compressed: a size byte and then that many bytes.
 */
#include "src/command/info/sizes_walk.h"

#include "src/archive/read/records.h"
#include "src/core/array.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPEN_REGIONS = 1 << 20, NUMBER_BYTES = 8 };

struct info_walk {
    struct info_event_sizes *sizes;
    info_sizes_kind_of *kind_of;
    void *data;
    struct records file;
    bool timed; /* a timestamp has been read; `time` holds it */
    unsigned char time[NUMBER_BYTES];
    uint64_t pending;    /* size of the timestamp and attributes that belong to the next event */
    unsigned char *open; /* stack of the open regions' kinds */
    uint64_t depth;
    uint32_t capacity;
};

/* Returns the layout of a record: 'c' for a compressed number, 'b' for a plain byte. NULL: not examined. */
static const char *fields_of(unsigned type)
{
    static const char *const fields[INFO_SIZES_TYPES] = {
        [12] = "c",    [13] = "c",   [32] = "cc",  [33] = "cc",  [34] = "cc", [46] = "cccc",
        [47] = "cccc", [49] = "cc",  [53] = "bc",  [55] = "c",   [56] = "c",  [57] = "bcc",
        [58] = "bcc",  [59] = "ccc", [60] = "ccc", [61] = "ccc", [84] = "c",
    };
    return fields[type];
}

/* Returns the size of a compressed number with its size byte; 0 if it does not end before `end`. */
static size_t compressed_bytes(const unsigned char *at, const unsigned char *end)
{
    if (at == end)
        return 0;
    size_t size = at[0] == 0xff ? 0 : at[0];
    return size <= NUMBER_BYTES && (size_t)(end - at) > size ? size + 1 : 0;
}

/* Returns the byte `index` of a compressed number, counted from the most significant one. */
static unsigned char byte_from_top(const struct info_walk *walk, const unsigned char *at, size_t index)
{
    bool big = walk->file.swapped ? __BYTE_ORDER == __LITTLE_ENDIAN : __BYTE_ORDER == __BIG_ENDIAN;
    return big ? at[1 + index] : at[at[0] - index];
}

/* Returns the number of leading zero bytes, which OTF2 would not have written. */
static size_t leading_zeros(const struct info_walk *walk, const unsigned char *at)
{
    size_t size = at[0] == 0xff ? 0 : at[0];
    size_t zeros = 0;
    while (zeros < size && byte_from_top(walk, at, zeros) == 0)
        zeros++;
    return zeros;
}

static uint32_t value_of(const struct info_walk *walk, const unsigned char *at)
{
    uint32_t value = 0;
    if (at[0] == 0xff)
        return UINT32_MAX;
    for (size_t i = 0; i < at[0]; i++)
        value = value << 8 | byte_from_top(walk, at, i);
    return value;
}

/* Adds the needless bytes of a record's numbers. */
static void weigh_fields(struct info_walk *walk, const char *fields, const unsigned char *at,
                         const unsigned char *end)
{
    for (; fields != NULL && *fields != '\0' && at < end; fields++) {
        size_t bytes = *fields == 'c' ? compressed_bytes(at, end) : 1;
        if (bytes == 0)
            return;
        if (*fields == 'c')
            walk->sizes->needless += leading_zeros(walk, at);
        at += bytes;
    }
}

/* Returns the size of an attribute's value if its type has a fixed size, else 0. */
static size_t fixed_bytes(unsigned char type)
{
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        return 1;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        return 2;
    case OTF2_TYPE_FLOAT:
        return 4;
    case OTF2_TYPE_DOUBLE:
        return NUMBER_BYTES;
    default:
        return 0;
    }
}

/* Adds the needless bytes of an attribute list: a count, then name, type and value of each attribute. */
static void weigh_list(struct info_walk *walk, const unsigned char *at, const unsigned char *end)
{
    size_t bytes = compressed_bytes(at, end);
    while (bytes > 0 && at + bytes < end) {
        at += bytes;
        bytes = compressed_bytes(at, end);
        if (bytes == 0 || (size_t)(end - at) <= bytes)
            return;
        walk->sizes->needless += leading_zeros(walk, at);
        size_t fixed = fixed_bytes(at[bytes]);
        at += bytes + 1;
        bytes = fixed > 0 ? fixed : compressed_bytes(at, end);
        if (fixed == 0 && bytes > 0)
            walk->sizes->needless += leading_zeros(walk, at);
        if ((size_t)(end - at) < bytes)
            return;
    }
}

static void open_region(struct info_walk *walk, unsigned kind)
{
    if (walk->depth == walk->capacity && walk->capacity < MAX_OPEN_REGIONS) {
        if (!OMPTAPE_RESERVE(walk->open, walk->capacity + 1, &walk->capacity))
            return;
    }
    if (walk->depth < walk->capacity)
        walk->open[walk->depth] = (unsigned char)kind;
    walk->depth++;
}

static unsigned innermost_kind(const struct info_walk *walk)
{
    if (walk->depth == 0)
        return INFO_SIZES_OUTSIDE;
    return walk->open[(walk->depth < walk->capacity ? walk->depth : walk->capacity) - 1];
}

/* Returns the kind of region that the event belongs to, and maintains the stack of open regions. */
static unsigned kind_of_event(struct info_walk *walk, unsigned type, const unsigned char *body)
{
    unsigned kind;
    switch (type) {
    case 12: /* Enter */
        kind = walk->kind_of(walk->data, value_of(walk, body));
        open_region(walk, kind);
        return kind;
    case 13: /* Leave */
        walk->depth -= walk->depth > 0;
        return walk->kind_of(walk->data, value_of(walk, body));
    case 53: /* ThreadFork, ThreadJoin, ThreadTeamBegin, ThreadTeamEnd */
    case 54:
    case 55:
    case 56:
        return INFO_SIZES_PARALLEL;
    case 60: /* ThreadTaskSwitch, ThreadTaskComplete */
    case 61:
        return INFO_SIZES_TASK;
    default:
        return innermost_kind(walk);
    }
}

static void add_amount(struct info_amount *amount, uint64_t bytes)
{
    amount->number++;
    amount->bytes += bytes;
}

/* Counts a timestamp. It is needless if it repeats the last one, but not at the begin of a chunk. */
static void take_time_stamp(struct info_walk *walk, const unsigned char *time, uint64_t bytes)
{
    if (walk->timed && memcmp(walk->time, time, NUMBER_BYTES) == 0)
        walk->sizes->needless += bytes;
    walk->timed = true;
    memcpy(walk->time, time, NUMBER_BYTES);
    add_amount(&walk->sizes->times, bytes);
    walk->pending += bytes;
}

/* Counts one record. Returns false if its type is unknown or its contents are invalid. */
static bool take_record(struct info_walk *walk, const struct record *record)
{
    const size_t bytes =
        record->body_bytes < RECORDS_WINDOW_BYTES ? (size_t)record->body_bytes : RECORDS_WINDOW_BYTES;
    const unsigned char *body = records_peek(&walk->file, record->body_at, bytes);
    const unsigned type = (unsigned)record->type;
    if (type == RECORDS_CHUNK_HEADER || type == RECORDS_END_OF_CHUNK) {
        walk->sizes->rest += record->bytes;
        walk->timed = false;
    } else if (body == NULL || (type > RECORDS_ATTRIBUTE_LIST && type < RECORDS_FIRST)) {
        return false;
    } else if (type == RECORDS_TIME_STAMP) {
        take_time_stamp(walk, body, record->bytes);
    } else if (type == RECORDS_ATTRIBUTE_LIST) {
        add_amount(&walk->sizes->lists, record->bytes);
        weigh_list(walk, body, body + bytes);
        walk->pending += record->bytes;
    } else {
        add_amount(&walk->sizes->types[type], record->bytes);
        weigh_fields(walk, fields_of(type), body, body + bytes);
        add_amount(&walk->sizes->kinds[kind_of_event(walk, type, body)], record->bytes + walk->pending);
        walk->pending = 0;
    }
    return true;
}

int info_walk_events(struct info_event_sizes *sizes, int file, uint64_t bytes, info_sizes_kind_of *kind_of,
                     void *data, struct omptape_reader_progress *progress, char *error, size_t error_bytes)
{
    int status = -EINVAL;
    struct record record;
    enum records_state state = RECORDS_GO_ON;
    struct info_walk *walk = omptape_calloc(1, sizeof(*walk));
    if (walk == NULL)
        return -ENOMEM;
    walk->sizes = sizes;
    walk->kind_of = kind_of;
    walk->data = data;
    walk->file.file = file;
    walk->file.bytes = bytes;
    walk->file.events = true;
    while (state == RECORDS_GO_ON && (state = records_next(&walk->file, &record)) == RECORDS_GO_ON) {
        state = take_record(walk, &record) ? state : RECORDS_DAMAGED;
        progress->done += record.bytes;
    }
    sizes->rest += bytes - walk->file.at;
    sizes->kinds[INFO_SIZES_OUTSIDE].bytes += walk->pending;
    if (state != RECORDS_END)
        snprintf(error, error_bytes, "%s at byte %" PRIu64, state == RECORDS_CUT ? "cut short" : "damaged",
                 walk->file.at);
    else
        status = omptape_out_of_memory ? -ENOMEM : 0;
    free(walk->open);
    free(walk);
    return status;
}
