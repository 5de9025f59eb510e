/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks through an event file of an archive, record by record, and adds up the bytes of each kind. Every
 * byte is counted in exactly one place, so that the sum is the size of the file. Called by sizes.c.
 */
#pragma once

#include "src/archive/read/guard.h"
#include "src/archive/read/reader.h"

#include <stddef.h>
#include <stdint.h>

/* files.c: The files of an archive, by what they hold. For the sections of `omptape info` that tell sizes. */

struct info_amount {
    uint64_t number;
    uint64_t bytes;
};

enum info_file_class {
    INFO_FILE_EVENTS, /* of the archive's locations */
    INFO_FILE_LOCAL_DEFINITIONS,
    INFO_FILE_DEFINITIONS,
    INFO_FILE_MARKERS,
    INFO_FILE_ANCHOR,
    INFO_FILE_OTHER,
    INFO_FILE_CLASSES
};

/* Adds all files of the archive: the anchor file, what lies beside it with its name, and what is in the
 * folder of event files. 0; or negative errno if that folder cannot be read. */
int omptape_info_add_files(const struct omptape_reader *reader, struct info_amount files[INFO_FILE_CLASSES]);

/* All of them together. */
struct info_amount omptape_info_all_files(const struct info_amount files[INFO_FILE_CLASSES]);

enum {
    INFO_SIZES_TYPES = 256, /* of records, by their type byte */
    INFO_SIZES_KINDS = 128, /* of regions; archives with more have the rest in INFO_SIZES_OTHER */

    INFO_SIZES_OUTSIDE = 0, /* of any region */
    INFO_SIZES_PARALLEL = 1,
    INFO_SIZES_TASK = 2,
    INFO_SIZES_OTHER = 3,
    INFO_SIZES_FIRST_FREE = 4,
};

/* What event files hold. The sum of `types`, `lists`, `times` and `rest` is their size; `kinds` divides the
 * first three of them in another way. */
struct info_event_sizes {
    struct info_amount types[INFO_SIZES_TYPES]; /* event records, without what follows: */
    struct info_amount lists;                   /* attribute lists, */
    struct info_amount times;                   /* time stamps, */
    uint64_t rest;                              /* chunk headers, ends of chunks and of files. */
    struct info_amount kinds[INFO_SIZES_KINDS];
    uint64_t needless; /* bytes of the first three that OTF2's own encoding would not have taken */
};

/* The kind of region, below INFO_SIZES_KINDS, to which this event file's reference to a region leads. */
typedef unsigned info_sizes_kind_of(void *data, uint32_t region);

/* Walks through an event file (a whole one, of `bytes` bytes) from the start and adds what it holds.
 * Counts the bytes that it read. 0, or -EINVAL with one line in `error`, which says where the file is
 * damaged; -ENOMEM. */
int omptape_info_walk_events(struct info_event_sizes *sizes, int file, uint64_t bytes,
                             info_sizes_kind_of *kind_of, void *data,
                             struct omptape_reader_progress *progress, char *error, size_t error_bytes);

/* sizes.c: "ThreadTaskCreate"; for types that OTF2 3.0 does not have, "record of type N", valid until the
 * next call. */
const char *omptape_info_record_name(unsigned type);
