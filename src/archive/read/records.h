/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the records of any OTF2 file except the anchor file, without libotf2. A file is a sequence of
 * chunks. A chunk has a header, records (type, length, body), and zeros up to the next chunk. The last chunk
 * ends with two marks. Data are not trusted. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of records, and constants of the file format. */
enum {
    RECORDS_END_OF_CHUNK = 0,
    RECORDS_END_OF_BUFFER = 1,
    RECORDS_END_OF_FILE = 2,
    RECORDS_CHUNK_HEADER = 3,
    RECORDS_TIME_STAMP = 5,
    RECORDS_ATTRIBUTE_LIST = 6,
    RECORDS_FIRST = 10
};
enum { RECORDS_LITTLE = 0x42, RECORDS_BIG = 0x23, RECORDS_HEADER_BYTES = 18, RECORDS_LONG_LENGTH = 255 };
enum { RECORDS_LARGEST_CHUNK = 16 << 20, RECORDS_WINDOW_BYTES = 65536 };

enum records_state { RECORDS_GO_ON, RECORDS_END, RECORDS_CUT, RECORDS_DAMAGED };

/* A file and the window of it that is in memory. The caller sets file, bytes, events, and zeros the rest. */
struct records {
    int file;
    uint64_t bytes;
    bool events; /* event file: some of its records have no length */
    bool in_chunk;
    bool swapped; /* the byte order differs from the host's */
    uint64_t at;  /* offset of the next record, or of the damage */
    uint64_t window_at;
    size_t window_bytes;
    unsigned char window[RECORDS_WINDOW_BYTES];
};

/* A record. The end of a chunk with its zeros is a record, and the next chunk's header is another one. */
struct record {
    int type;
    uint64_t bytes;   /* including type and length */
    uint64_t body_at; /* offset of the body */
    uint64_t body_bytes;
};

/* Parses the next record, if the result is RECORDS_GO_ON. */
enum records_state records_next(struct records *records, struct record *record);

/* Returns `wanted` bytes from `at` on (up to RECORDS_WINDOW_BYTES) until the next call; NULL: it ends. */
const unsigned char *records_peek(struct records *records, uint64_t at, size_t wanted);
/* Returns one byte; -1 if the file ends before. */
int records_byte(struct records *records, uint64_t at);
/* Returns true if the byte order mark differs from the host's. */
bool records_are_swapped(int mark);
