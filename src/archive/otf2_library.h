/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wraps libotf2: bounds its memory for writing, and protects against damaged or hostile archives for reading.
 * Used by the writer, the reader and the unification; any thread.
 */
#pragma once

#include <otf2/otf2.h>
#include <stdint.h>

/* Size of the chunks that are buffered before they are written. It allows few, large writes, and it is small
 * enough for a thousand threads and for the caches. It is libotf2's minimum. */
enum { OMPTAPE_OTF2_CHUNK_BYTES = 256 * 1024 };

/* Maximum number of locations per OTF2 reader or writer. For each location and each table that libotf2 opens
 * it searches linear lists. Larger archives are processed in portions. */
enum { OMPTAPE_OTF2_MAX_LOCATIONS = 256 };

/* Writes out a full chunk without a BufferFlush event. */
extern const OTF2_FlushCallbacks omptape_flush_callbacks;

/* Returns the chunk size for definitions whose longest record has `words` words, because a record must fit
 * into one chunk. The result is between OMPTAPE_OTF2_CHUNK_BYTES and OTF2_CHUNK_SIZE_MAX. */
uint64_t omptape_otf2_definition_chunk(uint64_t words);

/* Returns the text of libotf2's error; system errors have omptape_cause's text. */
const char *omptape_otf2_cause(OTF2_ErrorCode code);

/* Makes an archive that is open for writing add only the files of its locations to another archive. The other
 * one already has its folder and writes everything else. The two do not communicate. */
OTF2_ErrorCode omptape_otf2_join_archive(OTF2_Archive *archive);

/* Like OTF2_Reader_Open, but limits time and memory for a damaged anchor file. Returns NULL after an error,
 * which OTF2's error callback has received. Changes RLIMIT_AS of the process during the call. */
OTF2_Reader *omptape_open_archive(const char *anchor);
