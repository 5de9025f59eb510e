/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks through one event file (sizes_walk.h).
 *
 * OTF2's event files are a row of chunks of equal size, the last one cut after its end. A chunk begins with a
 * header and ends with a zero byte or at its end mark; between are records: a type byte, the length of what
 * follows in one byte (255: in the eight bytes after it), and that. Time stamps and the records of OTF2 1.0
 * that hold a single number have no length. Most numbers are a byte that counts the bytes that follow.
 */
#include "src/command/info/sizes_walk.h"

#include "src/core/array.h"

#include <byteswap.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    END_OF_CHUNK = 0,
    END_OF_FILE = 2,
    CHUNK_HEADER = 3,
    TIME_STAMP = 5,
    ATTRIBUTE_LIST = 6,
    FIRST_EVENT = 10,
};
enum {
    HEADER_BYTES = 18,
    TIME_BYTES = 9,
    LONG_LENGTH = 255,
    LITTLE_ENDIAN_MARK = 0x42,
    BIG_ENDIAN_MARK = 0x23
};
enum { MOST_OPEN_REGIONS = 1 << 20, NUMBER_BYTES = 8 };

struct info_walk {
    struct info_event_sizes *sizes;
    info_sizes_kind_of *kind_of;
    void *data;
    const unsigned char *at; /* in the chunk */
    const unsigned char *end;
    bool swapped; /* the file's byte order is not ours */
    bool timed;   /* there was a time stamp: */
    unsigned char time[NUMBER_BYTES];
    uint64_t pending;    /* bytes of the time stamp and the attributes of the next event */
    unsigned char *open; /* kinds of the open regions */
    uint64_t depth;
    uint32_t room;
    bool no_memory;
};

/* How the compressed numbers and plain bytes of a record follow each other: 'c' and 'b'. NULL: not looked at.
 */
static const char *fields_of(unsigned type)
{
    static const char *const fields[INFO_SIZES_TYPES] = {
        [12] = "c",    [13] = "c",   [32] = "cc",  [33] = "cc",  [34] = "cc", [46] = "cccc",
        [47] = "cccc", [49] = "cc",  [53] = "bc",  [55] = "c",   [56] = "c",  [57] = "bcc",
        [58] = "bcc",  [59] = "ccc", [60] = "ccc", [61] = "ccc", [84] = "c",
    };
    return fields[type];
}

/* OTF2 1.0's records of a single number. */
static bool has_length(unsigned type)
{
    switch (type) {
    case 12:
    case 13:
    case 16:
    case 19:
    case 20:
    case 21:
    case 24:
    case 28:
    case 29:
    case 30:
        return false;
    default:
        return true;
    }
}

static uint64_t number_at(const struct info_walk *walk, const unsigned char *at)
{
    uint64_t number;
    memcpy(&number, at, sizeof(number));
    return walk->swapped ? bswap_64(number) : number;
}

/* Bytes of the compressed number, its size byte included; 0: it does not end before `end`. */
static size_t compressed_bytes(const unsigned char *at, const unsigned char *end)
{
    if (at == end)
        return 0;
    size_t size = at[0] == 0xff ? 0 : at[0];
    return size <= NUMBER_BYTES && (size_t)(end - at) > size ? size + 1 : 0;
}

/* The significant byte `index` of a compressed number, counted from the greatest. */
static unsigned char byte_from_top(const struct info_walk *walk, const unsigned char *at, size_t index)
{
    bool big = walk->swapped ? __BYTE_ORDER == __LITTLE_ENDIAN : __BYTE_ORDER == __BIG_ENDIAN;
    return big ? at[1 + index] : at[at[0] - index];
}

/* Bytes of the number that OTF2 would not have written: leading zeros. */
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

/* Adds the bytes of a record's numbers that were not needed. */
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

/* Bytes of an attribute's value if its type is stored in a fixed number of them, else 0. */
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

/* The same for an attribute list: how many there are; then name, type and value of each. */
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
    if (walk->depth == walk->room && walk->room < MOST_OPEN_REGIONS) {
        unsigned char *open = omptape_array_reserve(walk->open, walk->room + 1, &walk->room, sizeof(*open));
        if (open == NULL) {
            walk->no_memory = true;
            return;
        }
        walk->open = open;
    }
    if (walk->depth < walk->room)
        walk->open[walk->depth] = (unsigned char)kind;
    walk->depth++;
}

static unsigned innermost_kind(const struct info_walk *walk)
{
    if (walk->depth == 0)
        return INFO_SIZES_OUTSIDE;
    return walk->open[(walk->depth < walk->room ? walk->depth : walk->room) - 1];
}

/* The kind of region to which an event belongs. */
static unsigned kind_of_event(struct info_walk *walk, unsigned type, const unsigned char *payload)
{
    unsigned kind;
    switch (type) {
    case 12: /* Enter */
        kind = walk->kind_of(walk->data, value_of(walk, payload));
        open_region(walk, kind);
        return kind;
    case 13: /* Leave */
        walk->depth -= walk->depth > 0;
        return walk->kind_of(walk->data, value_of(walk, payload));
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

static bool take_time_stamp(struct info_walk *walk)
{
    if (walk->end - walk->at < TIME_BYTES)
        return false;
    if (walk->timed && memcmp(walk->time, walk->at + 1, NUMBER_BYTES) == 0)
        walk->sizes->needless += TIME_BYTES;
    walk->timed = true;
    memcpy(walk->time, walk->at + 1, NUMBER_BYTES);
    add_amount(&walk->sizes->times, TIME_BYTES);
    walk->pending += TIME_BYTES;
    walk->at += TIME_BYTES;
    return true;
}

/* Finds where the record ends and where the data after its length begin. */
static bool measure_record(const struct info_walk *walk, const unsigned char **payload,
                           const unsigned char **end)
{
    size_t left = (size_t)(walk->end - walk->at);
    if (!has_length(walk->at[0])) {
        size_t bytes = compressed_bytes(walk->at + 1, walk->end);
        *payload = walk->at + 1;
        *end = *payload + bytes;
        return bytes > 0;
    }
    size_t head = left > 1 && walk->at[1] == LONG_LENGTH ? 2 + NUMBER_BYTES : 2;
    if (left < head)
        return false;
    uint64_t length = head == 2 ? walk->at[1] : number_at(walk, walk->at + 2);
    *payload = walk->at + head;
    *end = *payload + (length <= left - head ? length : 0);
    return length <= left - head;
}

static bool take_record(struct info_walk *walk)
{
    const unsigned char *payload;
    const unsigned char *end;
    unsigned type = walk->at[0];
    if (type == TIME_STAMP)
        return take_time_stamp(walk);
    if ((type < FIRST_EVENT && type != ATTRIBUTE_LIST) || !measure_record(walk, &payload, &end))
        return false;
    uint64_t bytes = (uint64_t)(end - walk->at);
    if (type == ATTRIBUTE_LIST) {
        add_amount(&walk->sizes->lists, bytes);
        weigh_list(walk, payload, end);
        walk->pending += bytes;
    } else {
        add_amount(&walk->sizes->types[type], bytes);
        weigh_fields(walk, fields_of(type), payload, end);
        add_amount(&walk->sizes->kinds[kind_of_event(walk, type, payload)], bytes + walk->pending);
        walk->pending = 0;
    }
    walk->at = end;
    return true;
}

static bool take_header(struct info_walk *walk)
{
    const unsigned char *at = walk->at;
    if (walk->end - at < HEADER_BYTES || at[0] != CHUNK_HEADER ||
        (at[1] != LITTLE_ENDIAN_MARK && at[1] != BIG_ENDIAN_MARK))
        return false;
    walk->swapped = (at[1] == BIG_ENDIAN_MARK) != (__BYTE_ORDER == __BIG_ENDIAN);
    walk->sizes->rest += HEADER_BYTES;
    walk->at += HEADER_BYTES;
    /* Each chunk can be read by itself: its first event has its time, even if that is the last one's. */
    walk->timed = false;
    return true;
}

/* Walks through one chunk, up to its end mark. Returns the mark, or -1: damaged at walk->at. */
static int take_chunk(struct info_walk *walk)
{
    if (!take_header(walk))
        return -1;
    while (walk->at < walk->end && walk->at[0] != END_OF_CHUNK && walk->at[0] != END_OF_FILE)
        if (!take_record(walk))
            return -1;
    if (walk->at == walk->end)
        return -1;
    walk->sizes->rest += (uint64_t)(walk->end - walk->at);
    return walk->at[0];
}

/* Reads as much as there is, up to `bytes`. Negative errno on failure. */
static ssize_t read_fully(int file, unsigned char *buffer, size_t bytes, uint64_t offset)
{
    size_t got = 0;
    while (got < bytes) {
        ssize_t n = pread(file, buffer + got, bytes - got, (off_t)(offset + got));
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n == 0)
            break;
        got += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)got;
}

int omptape_info_walk_events(struct info_event_sizes *sizes, int file, uint64_t bytes, uint64_t chunk_bytes,
                             info_sizes_kind_of *kind_of, void *data,
                             struct omptape_reader_progress *progress, char *error, size_t error_bytes)
{
    int status = -EINVAL;
    struct info_walk walk = {.sizes = sizes, .kind_of = kind_of, .data = data};
    unsigned char *buffer = malloc(chunk_bytes);
    int mark = END_OF_CHUNK;
    uint64_t offset = 0;
    if (buffer == NULL) {
        snprintf(error, error_bytes, "out of memory");
        return -ENOMEM;
    }
    while (mark == END_OF_CHUNK && offset < bytes) {
        size_t wanted = (size_t)(bytes - offset < chunk_bytes ? bytes - offset : chunk_bytes);
        ssize_t got = read_fully(file, buffer, wanted, offset);
        if (got < 0) {
            status = (int)got;
            snprintf(error, error_bytes, "%s", strerror(-status));
            goto out;
        }
        walk.at = buffer;
        walk.end = buffer + got;
        mark = take_chunk(&walk);
        if (mark < 0) {
            snprintf(error, error_bytes, "damaged at byte %" PRIu64, offset + (uint64_t)(walk.at - buffer));
            goto out;
        }
        offset += wanted;
        progress->done += wanted;
    }
    if (mark != END_OF_FILE) {
        snprintf(error, error_bytes, "cut short at byte %" PRIu64, offset);
        goto out;
    }
    sizes->rest += bytes - offset;
    sizes->kinds[INFO_SIZES_OUTSIDE].bytes += walk.pending;
    if (walk.no_memory) {
        snprintf(error, error_bytes, "out of memory");
        status = -ENOMEM;
        goto out;
    }
    status = 0;
out:
    free(walk.open);
    free(buffer);
    return status;
}
