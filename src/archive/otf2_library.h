/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How libotf2 is used: with little memory where an archive is written, and with care where one is read that
 * anybody may have made. For the writer, the reader and unification; any thread.
 */
#pragma once

#include <otf2/otf2.h>
#include <stdint.h>

/* A file is written by chunks, which are in memory until they are full. Chunks of this size are large enough
 * for few, large writes; small enough for a thousand threads, and for the caches (it is the least that
 * libotf2 takes). */
enum { OMPTAPE_OTF2_CHUNK_BYTES = 256 * 1024 };

/* libotf2 goes through lists of all locations of a reader for each one that it selects or opens, and for each
 * of its tables. So several readers read an archive of more locations than these. */
enum { OMPTAPE_OTF2_PORTION = 256 };

/* Writes out a chunk that is full, without an event that says so. */
extern const OTF2_FlushCallbacks omptape_flush_callbacks;

/* The size of a chunk of definitions that has room for a record of so many words: a record lies in one chunk.
 * It is OMPTAPE_OTF2_CHUNK_BYTES unless that is too little, and OTF2_CHUNK_SIZE_MAX at most. */
uint64_t omptape_otf2_definition_chunk(uint64_t words);

/* Why libotf2 could not do something, in words: omptape_cause's where it is the system's error. */
const char *omptape_otf2_cause(OTF2_ErrorCode code);

/* Makes an archive that is open for writing one that adds files to another one, which has its folder already
 * and writes all that is not a location's. Nothing is exchanged between the two. */
OTF2_ErrorCode omptape_otf2_join_archive(OTF2_Archive *archive);

/* As OTF2_Reader_Open, but for the time and memory that it takes with a damaged anchor file. NULL after an
 * error, which OTF2's error callback got. The limit of the address space is another one meanwhile. */
OTF2_Reader *omptape_open_archive(const char *anchor);
