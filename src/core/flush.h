/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How libotf2 uses memory while it writes an archive: little, and what is full goes to the disk. For the
 * writer and unification; any thread.
 */
#ifndef OMPTAPE_CORE_FLUSH_H
#define OMPTAPE_CORE_FLUSH_H

#include <otf2/otf2.h>

/* libotf2 keeps what it writes until its memory is used up. Chunks of this size are
 * large enough for few, large writes; small enough for a thousand threads, and for the caches (it is the
 * least that libotf2 takes). */
enum { OMPTAPE_OTF2_CHUNK_BYTES = 256 * 1024 };

/* Writes out a chunk that is full, without an event that says so. */
extern const OTF2_FlushCallbacks omptape_flush_callbacks;

#endif
