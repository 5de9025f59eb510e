/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Encodes messages of Protocol Buffers: fields are appended to a buffer of bytes. Between protobuf_begin and
 * protobuf_end the buffer must not be sent. Used by the formats of Perfetto and pprof. If memory is
 * exhausted, omptape_out_of_memory is set.
 */
#pragma once

#include "src/command/export/bytes.h"

static inline void protobuf_varint(struct export_bytes *to, uint64_t value)
{
    enum { MAX_BYTES = 10, MORE = 0x80, BITS = 7 };
    uint8_t bytes[MAX_BYTES];
    size_t count = 0;
    for (; value >= MORE; value >>= BITS)
        bytes[count++] = (uint8_t)(value | MORE);
    bytes[count++] = (uint8_t)value;
    export_bytes_add(to, bytes, count);
}

/* Adds a field of an integer or a truth value; a negative number is given as uint64_t. */
static inline void protobuf_number(struct export_bytes *to, unsigned field, uint64_t value)
{
    protobuf_varint(to, field << 3);
    protobuf_varint(to, value);
}

/* Adds a field of eight bytes, fixed64 or double, in the order of a little-endian processor. */
static inline void protobuf_fixed(struct export_bytes *to, unsigned field, const void *value)
{
    protobuf_varint(to, field << 3 | 1);
    export_bytes_add(to, value, sizeof(uint64_t));
}

/* Adds a field of any bytes: a text or an encoded message. */
static inline void protobuf_bytes(struct export_bytes *to, unsigned field, const void *data, size_t bytes)
{
    protobuf_varint(to, field << 3 | 2);
    protobuf_varint(to, bytes);
    export_bytes_add(to, data, bytes);
}

static inline void protobuf_text(struct export_bytes *to, unsigned field, const char *text)
{
    protobuf_bytes(to, field, text, strlen(text));
}

/* Begins a field that is a message, and returns where its fields begin. */
static inline uint32_t protobuf_begin(struct export_bytes *to, unsigned field)
{
    protobuf_varint(to, field << 3 | 2);
    return to->used;
}

/* Ends the message: inserts its size before its fields. */
static inline void protobuf_end(struct export_bytes *to, uint32_t begin)
{
    const uint32_t end = to->used;
    uint8_t size[sizeof(uint64_t)];
    protobuf_varint(to, end - begin);
    const uint32_t bytes = to->used - end;
    if (bytes == 0 || omptape_out_of_memory)
        return;
    memcpy(size, to->data + end, bytes);
    memmove(to->data + begin + bytes, to->data + begin, end - begin);
    memcpy(to->data + begin, size, bytes);
}
