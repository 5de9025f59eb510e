/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of `omptape info --sizes` share: where the bytes of an archive go. Every byte of every file
 * is counted in exactly one place, so that the sum is the size of the files. All of it runs on the one thread
 * of the child process that info.c starts.
 */
#ifndef OMPTAPE_COMMAND_INFO_SIZES_H
#define OMPTAPE_COMMAND_INFO_SIZES_H

#include "src/reader/reader.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    INFO_SIZES_TYPES = 256, /* of records, by their type byte */
    INFO_SIZES_KINDS = 128, /* of regions; archives with more have the rest in INFO_SIZES_OTHER */

    INFO_SIZES_OUTSIDE = 0, /* of any region */
    INFO_SIZES_PARALLEL = 1,
    INFO_SIZES_TASK = 2,
    INFO_SIZES_OTHER = 3,
    INFO_SIZES_FIRST_FREE = 4,
};

struct info_amount {
    uint64_t number;
    uint64_t bytes;
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
 * `chunk_bytes` is from the anchor file. Counts *progress up. 0, or -EINVAL with one line in `error`, which
 * says where the file is damaged; -ENOMEM, or what reading it said. */
int omptape_info_walk_events(struct info_event_sizes *sizes, int file, uint64_t bytes, uint64_t chunk_bytes,
                             info_sizes_kind_of *kind_of, void *data, volatile uint64_t *progress,
                             char *error, size_t error_bytes);

/* "ThreadTaskCreate"; for types that OTF2 3.0 does not have, "record of type N", valid until the next call.
 */
const char *omptape_info_record_name(unsigned type);

/* All of `omptape info --sizes` for an open archive: prints to `out`. 0, or a negative errno with one line in
 * `error`. */
int omptape_info_sizes(struct omptape_reader *reader, FILE *out, volatile uint64_t *progress, char *error,
                       size_t error_bytes);

/* The region's construct: "parallel", "create task", "omp_set_lock"; of other regions the role in
 * parentheses. */
void omptape_info_construct(const struct omptape_reader *reader, const struct omptape_definition *region,
                            char *text, size_t bytes);

/* sizes_print.c. Files, by what they hold. */
enum info_file_class {
    INFO_FILE_EVENTS,
    INFO_FILE_LOCAL_DEFINITIONS,
    INFO_FILE_DEFINITIONS,
    INFO_FILE_MARKERS,
    INFO_FILE_ANCHOR,
    INFO_FILE_OTHER,
    INFO_FILE_CLASSES
};

struct info_sizes {
    struct info_event_sizes events;
    struct info_amount files[INFO_FILE_CLASSES]; /* EVENTS: those of the archive's locations */
    char kind_names[INFO_SIZES_KINDS][40];
    unsigned kind_count;
};

void omptape_info_print_sizes(const struct info_sizes *sizes, const struct omptape_reader *reader, FILE *out);

#endif
