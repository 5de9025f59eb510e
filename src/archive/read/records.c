/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the records of a file (records.h).
 */
#include "src/archive/read/records.h"

#include <byteswap.h>
#include <endian.h>
#include <string.h>
#include <unistd.h>

enum { TIME_BYTES = 9 };

const unsigned char *records_peek(struct records *records, uint64_t at, size_t wanted)
{
    if (at > records->bytes || records->bytes - at < wanted)
        return NULL;
    if (at < records->window_at || at + wanted > records->window_at + records->window_bytes) {
        ssize_t got = pread(records->file, records->window, sizeof(records->window), (off_t)at);
        records->window_at = at;
        records->window_bytes = got > 0 ? (size_t)got : 0;
        if (records->window_bytes < wanted)
            return NULL;
    }
    return records->window + (at - records->window_at);
}

int records_byte(struct records *records, uint64_t at)
{
    const unsigned char *byte = records_peek(records, at, 1);
    return byte != NULL ? *byte : -1;
}

bool records_are_swapped(int mark)
{
    return (mark == RECORDS_BIG) != (__BYTE_ORDER == __BIG_ENDIAN);
}

/* OTF2 1.0's records of a single number: a byte count and these bytes. */
static bool is_single_number(const struct records *records, int type)
{
    static const unsigned char types[] = {12, 13, 16, 19, 20, 21, 24, 28, 29, 30};
    return records->events && memchr(types, type, sizeof(types)) != NULL;
}

/* Finds the record's body. Its length is in one byte, or in the eight bytes after that. */
static enum records_state find_body(struct records *records, struct record *record)
{
    const int length = records_byte(records, records->at + 1);
    record->body_at = records->at + 2;
    record->body_bytes = (uint64_t)length;
    if (record->type == RECORDS_TIME_STAMP && records->events) {
        record->body_at = records->at + 1;
        record->body_bytes = TIME_BYTES - 1;
    } else if (length < 0) {
        return RECORDS_CUT;
    } else if (is_single_number(records, record->type)) {
        record->body_at = records->at + 1;
        record->body_bytes = 1 + (length == RECORDS_LONG_LENGTH ? 0 : (uint64_t)length);
        if (record->body_bytes > 1 + sizeof(uint64_t))
            return RECORDS_DAMAGED;
    } else if (length == RECORDS_LONG_LENGTH) {
        const unsigned char *number = records_peek(records, record->body_at, sizeof(record->body_bytes));
        if (number == NULL)
            return RECORDS_CUT;
        memcpy(&record->body_bytes, number, sizeof(record->body_bytes));
        record->body_bytes = records->swapped ? bswap_64(record->body_bytes) : record->body_bytes;
        record->body_at += sizeof(record->body_bytes);
    }
    return RECORDS_GO_ON;
}

static enum records_state read_record(struct records *records, struct record *record)
{
    const enum records_state state = find_body(records, record);
    if (state != RECORDS_GO_ON)
        return state;
    if (record->body_at > records->bytes || records->bytes - record->body_at < record->body_bytes)
        return record->body_bytes < UINT32_MAX ? RECORDS_CUT : RECORDS_DAMAGED;
    record->bytes = record->body_at - records->at + record->body_bytes;
    records->at += record->bytes;
    return RECORDS_GO_ON;
}

static enum records_state read_header(struct records *records, struct record *record)
{
    const int mark = records_byte(records, records->at + 1);
    if (record->type != RECORDS_CHUNK_HEADER || (mark >= 0 && mark != RECORDS_LITTLE && mark != RECORDS_BIG))
        return RECORDS_DAMAGED;
    if (records_peek(records, records->at, RECORDS_HEADER_BYTES) == NULL)
        return RECORDS_CUT;
    records->swapped = records_are_swapped(mark);
    records->in_chunk = true;
    record->bytes = RECORDS_HEADER_BYTES;
    records->at += RECORDS_HEADER_BYTES;
    return RECORDS_GO_ON;
}

/* Skips the zeros up to the next chunk, at most the size of the largest chunk. */
static enum records_state read_zeros(struct records *records, struct record *record)
{
    const uint64_t begin = records->at;
    while (records->at < begin + RECORDS_LARGEST_CHUNK && records_byte(records, records->at) == 0)
        records->at++;
    records->in_chunk = false;
    record->bytes = records->at - begin;
    return records->at < records->bytes ? RECORDS_GO_ON : RECORDS_CUT;
}

enum records_state records_next(struct records *records, struct record *record)
{
    *record = (struct record){.type = records_byte(records, records->at)};
    if (!records->in_chunk)
        return read_header(records, record);
    if (record->type == RECORDS_END_OF_FILE)
        return records_byte(records, records->at + 1) < 0 ? RECORDS_CUT : RECORDS_END;
    if (record->type < 0)
        return RECORDS_CUT;
    if (record->type == RECORDS_END_OF_CHUNK)
        return read_zeros(records, record);
    return record->type < RECORDS_TIME_STAMP ? RECORDS_DAMAGED : read_record(records, record);
}
