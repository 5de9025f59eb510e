/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers and times as OTF2's event files hold them. Called for each event.
 *
 * A compressed number is a byte that counts the bytes that follow, and these: as few as hold the value, in
 * the host's order. Each function stores at `at` and returns what is behind it. They store whole words, so
 * OMPTAPE_ENCODE_BEYOND bytes behind what they are counted for have to be there and are undefined then.
 */
#pragma once

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* What a record begins with if it is no event. */
enum omptape_encode_mark {
    OMPTAPE_ENCODE_END_OF_CHUNK = 0,
    OMPTAPE_ENCODE_END_OF_BUFFER = 1,
    OMPTAPE_ENCODE_END_OF_FILE = 2,
    OMPTAPE_ENCODE_CHUNK = 3,
    OMPTAPE_ENCODE_TIME = 5,
    OMPTAPE_ENCODE_ATTRIBUTES = 6
};

enum {
    OMPTAPE_ENCODE_BEYOND = 16,
    OMPTAPE_ENCODE_UNDEFINED = 0xff, /* in place of the count: all bits are set, and no bytes follow */
    OMPTAPE_ENCODE_LONG = 0xff,      /* in place of a record's length: that follows in eight bytes */
    OMPTAPE_ENCODE_TIME_BYTES = 9,
    OMPTAPE_ENCODE_U32_BYTES = 5, /* at most */
    OMPTAPE_ENCODE_U64_BYTES = 9
};

static inline unsigned char *omptape_encode_word(unsigned char *at, uint64_t value)
{
    memcpy(at, &value, sizeof(value));
    return at + sizeof(value);
}

static inline unsigned char *omptape_encode_u8(unsigned char *at, uint8_t value)
{
    *at = value;
    return at + 1;
}

/* How many bytes hold the value: 0 to 8. */
static inline unsigned omptape_encode_width(uint64_t value)
{
    return ((63U - (unsigned)__builtin_clzll(value | 1)) / 8) + (value != 0);
}

/* Of no special value but 0: signed numbers. */
static inline unsigned char *omptape_encode_number(unsigned char *at, uint64_t value)
{
    unsigned width = omptape_encode_width(value);
    *at = (unsigned char)width;
    if (__BYTE_ORDER == __BIG_ENDIAN && width > 0)
        value <<= 8 * (8 - width);
    omptape_encode_word(at + 1, value);
    return at + 1 + width;
}

static inline unsigned char *omptape_encode_u64(unsigned char *at, uint64_t value)
{
    return value == UINT64_MAX ? omptape_encode_u8(at, OMPTAPE_ENCODE_UNDEFINED)
                               : omptape_encode_number(at, value);
}

/* In nearly all events: in line, whatever the compiler thinks of the size of what it is in. */
static inline __attribute__((always_inline)) unsigned char *omptape_encode_u32(unsigned char *at,
                                                                               uint32_t value)
{
    /* Most references and ranks are. */
    if (value <= UINT8_MAX) {
        at[0] = value != 0;
        at[1] = (unsigned char)value;
        return at + 1 + (value != 0);
    }
    return value == UINT32_MAX ? omptape_encode_u8(at, OMPTAPE_ENCODE_UNDEFINED)
                               : omptape_encode_number(at, value);
}

/* The same of one that is not 0, which stores nothing behind its OMPTAPE_ENCODE_U32_BYTES. */
static inline unsigned char *omptape_encode_u32_within(unsigned char *at, uint32_t value)
{
    if (value == UINT32_MAX)
        return omptape_encode_u8(at, OMPTAPE_ENCODE_UNDEFINED);
    unsigned width = omptape_encode_width(value);
    *at = (unsigned char)width;
    if (__BYTE_ORDER == __BIG_ENDIAN)
        value <<= 8 * (sizeof(value) - width);
    memcpy(at + 1, &value, sizeof(value));
    return at + 1 + width;
}

/* omptape_encode_u32 of one that is seldom 0. */
static inline unsigned char *omptape_encode_reference(unsigned char *at, uint32_t value)
{
    if (value == 0 || value > UINT8_MAX)
        return omptape_encode_u32(at, value);
    at[0] = 1;
    at[1] = (unsigned char)value;
    return at + 2;
}

static inline unsigned char *omptape_encode_i64(unsigned char *at, int64_t value)
{
    return omptape_encode_number(at, (uint64_t)value);
}

/* The time of the next event, unless it is that of the one before (`last`, never later). Only for what is
 * not yet known at a file's beginning is there none before: 0 is always said. */
static inline unsigned char *omptape_encode_time(unsigned char *at, uint64_t last, uint64_t time)
{
    *at = OMPTAPE_ENCODE_TIME;
    omptape_encode_word(at + 1, time);
    /* Another one than the last, or 0. No processor could foresee which events share a time. */
    return at + (time - 1 >= last ? OMPTAPE_ENCODE_TIME_BYTES : 0);
}

/* The head of a record with a length, of one byte or, where `most` (the most that its data may take) does not
 * fit into one, of nine. Returns where its data go. */
static inline unsigned char *omptape_encode_head(unsigned char *record, uint8_t kind, size_t most)
{
    record[0] = kind;
    if (most < OMPTAPE_ENCODE_LONG)
        return record + 2;
    record[1] = OMPTAPE_ENCODE_LONG;
    return record + 2 + sizeof(uint64_t);
}

/* The record is complete, its data are from `data` to `end`. */
static inline void omptape_encode_length(unsigned char *record, const unsigned char *data,
                                         const unsigned char *end)
{
    if (data == record + 2)
        record[1] = (unsigned char)(end - data);
    else
        omptape_encode_word(record + 2, (uint64_t)(end - data));
}
