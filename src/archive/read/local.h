/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the definition file of a location says: how its references map to those of the archive, and how its
 * clock is corrected. For data of a location that libotf2 does not know (the sums of a profile), a file
 * beside the location's files. Called by the analysis; one thread.
 */
#pragma once

#include "src/archive/read/reader.h"

struct omptape_correction {
    uint64_t time;
    int64_t offset; /* to be added */
};

/* All zeros: nothing is another one, and nothing is corrected. */
struct omptape_local {
    struct omptape_local *next;             /* of the reader's, which owns it */
    struct omptape_pairs ids;               /* (OTF2_MappingType, own) -> 1 + the archive's; */
    uint32_t mapped;                        /* a bit for each type that there is a table of */
    struct omptape_correction *corrections; /* by time */
    uint32_t correction_count;
    uint32_t correction_room;
    bool failed; /* while it is read */
};

/* Reads it, the first time: libotf2 takes each table once. 0 and *local, which lives as long as the reader;
 * or a negative errno with one line in `error`. */
int omptape_reader_read_local(struct omptape_reader *reader, uint64_t location,
                              const struct omptape_local **local, char *error, size_t error_bytes);

/* What the tables leave out stays as it is. */
void omptape_local_id(const struct omptape_local *local, OTF2_MappingType type, uint64_t *id);
/* As libotf2 corrects an event's time: between two corrections by both, else by the nearest. */
uint64_t omptape_local_time(const struct omptape_local *local, uint64_t time);
/* Of a span, wherever it was: by the first correction and the last. */
uint64_t omptape_local_ticks(const struct omptape_local *local, uint64_t ticks);

/* Is there a file with this ending (".sums") beside the location's? */
bool omptape_reader_has_beside(const struct omptape_reader *reader, uint64_t location, const char *ending);
/* Reads it all. 0 with *bytes malloc'ed; or a negative errno with one line in `error`. */
int omptape_reader_read_beside(const struct omptape_reader *reader, uint64_t location, const char *ending,
                               unsigned char **bytes, size_t *count, char *error, size_t error_bytes);
