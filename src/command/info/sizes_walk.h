/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks through an event file record by record and sums up the bytes of each kind. Every byte is counted
 * exactly once, so the total equals the size of the file. Called by sizes.c.
 */
#pragma once

#include "src/archive/read/guard.h"
#include "src/archive/read/reader.h"

#include <stddef.h>
#include <stdint.h>

/* files.c: Lists the files of an archive by class. Used by info's sections about sizes. */

struct info_amount {
    uint64_t number;
    uint64_t bytes;
};

enum info_file_class {
    INFO_FILE_EVENTS, /* event files of the archive's locations */
    INFO_FILE_LOCAL_DEFINITIONS,
    INFO_FILE_DEFINITIONS,
    INFO_FILE_MARKERS,
    INFO_FILE_ANCHOR,
    INFO_FILE_OTHER,
    INFO_FILE_CLASSES
};

/* Adds all files of the archive: the anchor file, files with the archive's name beside it, and the folder of
 * event files. Returns 0, or negative errno if that folder cannot be read. */
int info_add_files(const struct omptape_reader *reader, struct info_amount files[INFO_FILE_CLASSES]);

/* Returns the sum over all classes. */
struct info_amount info_all_files(const struct info_amount files[INFO_FILE_CLASSES]);

enum {
    INFO_SIZES_TYPES = 256, /* index of a record type: its type byte */
    INFO_SIZES_KINDS = 128, /* kinds of regions; further kinds are counted in INFO_SIZES_OTHER */

    INFO_SIZES_OUTSIDE = 0, /* events outside of all regions */
    INFO_SIZES_PARALLEL = 1,
    INFO_SIZES_TASK = 2,
    INFO_SIZES_OTHER = 3,
};

/* Contents of event files. `types`, `lists`, `times` and `rest` add up to the size of the files. `kinds`
 * divides the first three by kind of region. */
struct info_event_sizes {
    struct info_amount types[INFO_SIZES_TYPES]; /* event records without attributes and timestamps */
    struct info_amount lists;                   /* attribute lists */
    struct info_amount times;                   /* timestamps */
    uint64_t rest;                              /* chunk headers, ends of chunks and of files */
    struct info_amount kinds[INFO_SIZES_KINDS];
    uint64_t needless; /* bytes of the first three that libotf2's own encoding would not need */
};

/* Returns the kind, below INFO_SIZES_KINDS, of the region that the event file calls number `region`. */
typedef unsigned info_sizes_kind_of(void *data, uint32_t region);

/* Walks through a complete event file of `bytes` bytes and adds its contents. Counts the bytes read in
 * `progress`. Returns 0, -ENOMEM, or -EINVAL with a line in `error` that names the damage. */
int info_walk_events(struct info_event_sizes *sizes, int file, uint64_t bytes, info_sizes_kind_of *kind_of,
                     void *data, struct omptape_reader_progress *progress, char *error, size_t error_bytes);

/* sizes.c: Returns a record type's name: "ThreadTaskCreate", or "record of type N" for types that OTF2 3.0
 * does not have. Valid until the next call. */
const char *info_record_name(unsigned type);
