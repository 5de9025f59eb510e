/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Encodes numbers and times as in OTF2's event files. Called for each event.
 *
 * A compressed number is a byte with the number of following bytes, and the fewest bytes that hold the value,
 * in host byte order. Each function writes at `at` and returns the end. The functions write whole words:
 * OMPTAPE_ENCODE_BEYOND bytes after the end must exist and become undefined.
 */
#pragma once

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* First byte of records that are not events. */
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
    OMPTAPE_ENCODE_UNDEFINED =
        0xff, /* replaces the byte count if all bits of the value are set; no bytes follow */
    OMPTAPE_ENCODE_LONG = 0xff, /* replaces a record's length byte; the length follows in eight bytes */
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

/* Returns the number of bytes that hold the value: 0 to 8. */
static inline unsigned omptape_encode_width(uint64_t value)
{
    return ((63U - (unsigned)__builtin_clzll(value | 1)) / 8) + (value != 0);
}

/* Encodes a number without OMPTAPE_ENCODE_UNDEFINED, for example a signed one. */
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

/* Always inlined, because nearly all events contain it. */
static inline __attribute__((always_inline)) unsigned char *omptape_encode_u32(unsigned char *at,
                                                                               uint32_t value)
{
    /* Fast path for small values: most references and ranks. */
    if (value <= UINT8_MAX) {
        at[0] = value != 0;
        at[1] = (unsigned char)value;
        return at + 1 + (value != 0);
    }
    return value == UINT32_MAX ? omptape_encode_u8(at, OMPTAPE_ENCODE_UNDEFINED)
                               : omptape_encode_number(at, value);
}

/* Encodes a value other than 0 and writes nothing after its OMPTAPE_ENCODE_U32_BYTES. */
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

/* Like omptape_encode_u32, optimised for values that are seldom 0. */
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

/* Encodes the time of the next event, unless it equals the previous one (`last`, never later). Time 0 is
 * always encoded, because `last` is also 0 at the beginning of a file. */
static inline unsigned char *omptape_encode_time(unsigned char *at, uint64_t last, uint64_t time)
{
    *at = OMPTAPE_ENCODE_TIME;
    omptape_encode_word(at + 1, time);
    /* True if the time is 0 or differs from `last`. It avoids a branch, which would be mispredicted often. */
    return at + (time - 1 >= last ? OMPTAPE_ENCODE_TIME_BYTES : 0);
}

/* Begins a record with a length of one byte, or of nine bytes if `max_bytes` (maximum size of its data) does
 * not fit into one. Returns the position of its data. */
static inline unsigned char *omptape_encode_head(unsigned char *record, uint8_t kind, size_t max_bytes)
{
    record[0] = kind;
    if (max_bytes < OMPTAPE_ENCODE_LONG)
        return record + 2;
    record[1] = OMPTAPE_ENCODE_LONG;
    return record + 2 + sizeof(uint64_t);
}

/* Completes a record whose data are from `data` to `end`. */
static inline void omptape_encode_length(unsigned char *record, const unsigned char *data,
                                         const unsigned char *end)
{
    if (data == record + 2)
        record[1] = (unsigned char)(end - data);
    else
        omptape_encode_word(record + 2, (uint64_t)(end - data));
}
