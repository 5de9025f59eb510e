/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a location's local definitions: mapping tables and clock corrections. For data of a location that
 * libotf2 does not know: the sums of a profile, in a file next to the location's. One thread.
 */
#pragma once

#include "src/archive/read/reader.h"

struct omptape_correction {
    uint64_t time;
    int64_t offset; /* ticks to add */
};

/* Local definitions of a location. All zeros: no mappings and no corrections. */
struct omptape_local {
    struct omptape_local *next;             /* in the list of the reader, which owns it */
    struct omptape_pairs ids;               /* (OTF2_MappingType, local id) -> 1 + the archive's id */
    uint32_t mapped;                        /* one bit for each type that has a table */
    struct omptape_correction *corrections; /* sorted by time */
    uint32_t correction_count;
    uint32_t correction_capacity;
    bool failed; /* memory was exhausted during reading */
};

/* Reads the local definitions on the first call and caches them, because libotf2 reads a table only once.
 * Returns 0 with *local, which lives as long as the reader; or negative errno with one line in `error`. */
int omptape_reader_read_local(struct omptape_reader *reader, uint64_t location,
                              const struct omptape_local **local, char *error, size_t error_bytes);

/* Converts an id by the mapping table; ids without an entry are unchanged. */
void omptape_local_id(const struct omptape_local *local, OTF2_MappingType type, uint64_t *id);
/* Corrects a time as libotf2 does: interpolated between two corrections, otherwise by the nearest one. */
uint64_t omptape_local_time(const struct omptape_local *local, uint64_t time);
/* Corrects a duration by the slope between the first and the last correction. */
uint64_t omptape_local_ticks(const struct omptape_local *local, uint64_t ticks);

/* Returns true if a file with this ending (".sums") exists next to the location's files. */
bool omptape_reader_has_location_file(const struct omptape_reader *reader, uint64_t location,
                                      const char *ending);
/* Reads such a file. Returns 0 with *bytes malloc'ed; or negative errno with one line in `error`. */
int omptape_reader_read_location_file(const struct omptape_reader *reader, uint64_t location,
                                      const char *ending, unsigned char **bytes, size_t *count, char *error,
                                      size_t error_bytes);
