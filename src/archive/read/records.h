/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks through the records of any file of OTF2 but the anchor file, without libotf2. Such a file is a row of
 * chunks. A chunk is a header, records (a type, a length and so many bytes), and zeros up to the next chunk.
 * The last chunk ends with two marks. Nothing that is read is trusted. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of records; and bytes of files. */
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

/* A file through a window. All zeros but the first three at first. */
struct records {
    int file;
    uint64_t bytes;
    bool events; /* some records have no length then */
    bool in_chunk;
    bool swapped; /* the byte order is not ours */
    uint64_t at;  /* of the next record, or of the damage */
    uint64_t window_at;
    size_t window_bytes;
    unsigned char window[RECORDS_WINDOW_BYTES];
};

/* The end of a chunk is one with all its zeros, and its next chunk's header is another one. */
struct record {
    int type;
    uint64_t bytes;   /* with all that is before the body */
    uint64_t body_at; /* where its numbers begin */
    uint64_t body_bytes;
};

/* The next record, if it goes on. */
enum records_state records_next(struct records *records, struct record *record);

/* `wanted` bytes from `at` on, at most a window's; NULL: the file has no more. Hold until the next call. */
const unsigned char *records_peek(struct records *records, uint64_t at, size_t wanted);
/* One byte; -1: the file has no more. */
int records_byte(struct records *records, uint64_t at);
/* Is this the mark of files in the byte order that is not ours? */
bool records_are_swapped(int mark);
