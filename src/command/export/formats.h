/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Interface of the formats of `omptape export`. Each format reads the archive once and writes a file. Used by
 * export.c in the reading child process, on one thread.
 */
#pragma once

#include "src/archive/read/guard.h"
#include "src/archive/read/reader.h"
#include "src/archive/read/visits.h"
#include "src/command/export/bytes.h"
#include "src/command/text/moment.h"
#include "src/command/text/ranges.h"
#include "src/core/hash.h"
#include "src/core/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* choice.c: The part of an archive that is exported: a time window, some locations, and regions of a minimum
 * duration. Parsed by export.c and applied by places.c and the formats. */

struct export_choice {
    uint64_t from;            /* ns since the start of the trace */
    uint64_t to;              /* ns since the start of the trace; UINT64_MAX: no limit */
    uint64_t min_duration;    /* minimum duration of a region, ns */
    struct time_option begin; /* --from and --to as parsed */
    struct time_option end;
    struct omptape_visit first; /* the instances that --from and --to name, if they are not times */
    struct omptape_visit last;
    struct ranges threads;
    const char *threads_text; /* argument of --threads; NULL for all */
};

/* Option arguments as typed; NULL if the option was not given. */
struct export_option_texts {
    const char *from;
    const char *to;
    const char *threads;
    const char *min_duration;
};

/* Parses the options. Returns 0, or negative errno with a line in `error`. The caller calls
 * export_choice_free in any case. */
int export_choice_read(struct export_choice *choice, const struct export_option_texts *texts, char *error,
                       size_t bytes);

/* Looks up the instances of regions that --from and --to name, before the archive is opened. Returns 0, or
 * negative errno with a line in `error`. */
int export_choice_find(struct export_choice *choice, const char *path, char *error, size_t bytes);

/* Computes the window in this archive's time and checks that it lies in the trace. Returns 0, or negative
 * errno with a line in `error`. */
int export_choice_apply(struct export_choice *choice, const struct omptape_reader *reader, char *error,
                        size_t bytes);

void export_choice_free(struct export_choice *choice);

/* places.c: Lists the places of events in display order: processes, their threads, their devices and the
 * devices' streams. They are numbered as by the operating system. Also converts times to ns since the start
 * of the trace. Used by the formats in the reading child process. */

/* A location group: a process or one of its devices. */
struct export_group {
    const struct omptape_definition *definition; /* NULL for the group of locations without a defined group */
    const char *name;
    uint32_t index;
    uint32_t process; /* index of the process that owns a device; the group's own index for a process */
    bool chosen;      /* --threads selects one of its locations or of its devices' locations */
    int32_t pid;      /* unique in the archive and not 0; may be invented */
    int64_t real_pid; /* as recorded in the archive, or -1 */
};

struct export_place {
    const struct omptape_definition *definition;
    const char *name;
    uint32_t index;
    uint32_t group;
    uint32_t process; /* index of the owning process' group */
    uint32_t number;  /* number within the process, as in --threads */
    int32_t tid;      /* unique within the process; may be invented */
    bool is_thread;   /* a thread of the process, not a device's stream */
    bool holds_regions;
    bool chosen;
};

struct export_places {
    struct omptape_reader *reader;
    struct export_group *groups;
    struct export_place *list;
    uint32_t group_count;
    uint32_t count;
    struct omptape_pairs by_id;    /* (0, location) -> struct export_place */
    struct omptape_pairs by_group; /* (0, location group) -> struct export_group */
    struct omptape_arena arena;
    struct export_place *last;
    bool any_chosen; /* at least one place is chosen */
};

/* Lists the places of the archive; `threads` selects the chosen ones. Returns 0 or -ENOMEM. The caller calls
 * export_places_free in any case. */
int export_places_find(struct export_places *places, struct omptape_reader *reader,
                       const struct ranges *threads);
void export_places_free(struct export_places *places);

/* Slow path of export_place_of. */
struct export_place *export_place_lookup(struct export_places *places, uint64_t id);

/* Returns the place of the location, or NULL if it is not defined. */
static inline struct export_place *export_place_of(struct export_places *places, uint64_t id)
{
    return places->last != NULL && places->last->definition->id == id ? places->last
                                                                      : export_place_lookup(places, id);
}

/* Converts a timestamp of the archive to ns since the start of the trace. */
uint64_t export_ns(const struct omptape_reader *reader, uint64_t ticks);

/* stream.c: Buffers the output, optionally compresses it with gzip, and writes it in large blocks. Used by
 * all formats in the reading child process. */

struct export_stream {
    int file;
    int error; /* negative errno of the first write error, or 0 */
    uint8_t *buffer;
    size_t used;
    size_t capacity;
    struct export_gzip *gzip; /* compressor, or NULL */
};

/* Initialises the stream. Returns 0 or -ENOMEM. */
int export_stream_begin(struct export_stream *stream, int file, bool gzip);

/* Slow path of export_stream_reserve. */
uint8_t *export_stream_grow(struct export_stream *stream, size_t bytes);

/* Returns space for the next `bytes` bytes; the caller then advances `used`. Returns NULL and sets
 * stream->error if out of memory. */
static inline uint8_t *export_stream_reserve(struct export_stream *stream, size_t bytes)
{
    return stream->capacity - stream->used >= bytes ? stream->buffer + stream->used
                                                    : export_stream_grow(stream, bytes);
}

/* Writes the bytes of a buffer and empties it. */
void export_stream_send(struct export_stream *stream, struct export_bytes *bytes);

/* Writes the remaining bytes. Returns 0 or the first error as negative errno. */
int export_stream_end(struct export_stream *stream);

void export_stream_free(struct export_stream *stream);

/* One export: its source, the selected part, and its destination. */
struct export_job {
    struct export_places *places;
    const struct export_choice *choice;
    struct export_stream *stream;
    struct omptape_reader_progress *progress;
    char *error; /* receives an error line of at most error_bytes bytes */
    size_t error_bytes;
};

/* The formats. Each function returns 0 or negative errno. On an error `error` holds a line, except for
 * -ENOMEM and errors in stream->error. */

/* Writes a CSV table with a row for every event, for pandas and R. */
int export_csv(const struct export_job *job);
/* Writes a CSV table with a row for each visit of a region. */
int export_instances(const struct export_job *job);
/* Writes a line for each stack, "main;solve;for @x.c:12;dgemv_ 48", with its number of samples over all
 * threads. Samples of sleeping threads are omitted. */
int export_folded(const struct export_job *job);
/* Writes a pprof profile: sample counts and processor time, with labels for thread and region. */
int export_pprof(const struct export_job *job);
/* Writes a trace for Perfetto. */
int export_perfetto(const struct export_job *job);
/* Writes an SQLite database (docs/sqlite.md) directly to the stream's file. */
int export_sqlite(const struct export_job *job);
