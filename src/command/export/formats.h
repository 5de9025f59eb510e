/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The formats of `omptape export`. Each reads the archive once and fills a file. For export.c, in the child
 * that reads; one thread.
 */
#pragma once

#include "src/archive/read/guard.h"
#include "src/archive/read/reader.h"
#include "src/archive/read/visits.h"
#include "src/command/text/moment.h"
#include "src/command/text/ranges.h"
#include "src/core/hash.h"
#include "src/core/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* choice.c: What of an archive is exported: a window of time, some locations, and regions that last long
 * enough. For export.c, which reads the words, and for places.c and the formats, which go by it. */

struct omptape_export_choice {
    uint64_t from;                    /* ns since the trace's start */
    uint64_t to;                      /* likewise; UINT64_MAX: its end */
    uint64_t least;                   /* ns that a region has to last */
    struct omptape_time_option begin; /* as they were said */
    struct omptape_time_option end;
    struct omptape_visit first; /* what they name, if they are instances of regions */
    struct omptape_visit last;
    struct omptape_ranges threads;
    const char *threads_said; /* NULL: all */
};

/* The words as they were typed; NULL: there was none. */
struct omptape_export_words {
    const char *from;
    const char *to;
    const char *threads;
    const char *min_duration;
};

/* 0, or a negative errno with a line in `error`. omptape_export_choice_free in any case. */
int omptape_export_choice_read(struct omptape_export_choice *choice, const struct omptape_export_words *words,
                               char *error, size_t bytes);

/* Finds the instances of regions that are from and to, before the archive is opened. 0, or a negative errno
 * with a line in `error`. */
int omptape_export_choice_find(struct omptape_export_choice *choice, const char *path, char *error,
                               size_t bytes);

/* For this archive: from and to, which have to be within it. Likewise. */
int omptape_export_choice_apply(struct omptape_export_choice *choice, const struct omptape_reader *reader,
                                char *error, size_t bytes);

void omptape_export_choice_free(struct omptape_export_choice *choice);

/* places.c: Where events happen, in the order in which they are shown: processes, their threads, their
 * devices and the devices' streams. They have the numbers of the operating system. Also times, in ns since
 * the trace's start. For the formats, in the child that reads. */

/* A location group: a process, or a device of one. */
struct omptape_export_group {
    const struct omptape_definition *definition; /* NULL: of locations whose group is not defined */
    const char *name;
    uint32_t index;
    uint32_t process; /* the index of the group that is its process; its own: it is one */
    bool chosen;      /* one of its locations is, or one of its devices' */
    int32_t pid;      /* unique in the archive, not 0 */
    int64_t real_pid; /* as the archive has it, or -1 */
};

struct omptape_export_place {
    const struct omptape_definition *definition;
    const char *name;
    uint32_t index;
    uint32_t group;
    uint32_t process; /* index of the group that is its process */
    uint32_t number;  /* within the process, as --threads names it */
    int32_t tid;      /* unique in the process */
    bool is_thread;   /* of the process itself, not of a device */
    bool holds_regions;
    bool chosen;
};

struct omptape_export_places {
    struct omptape_reader *reader;
    struct omptape_export_group *groups;
    struct omptape_export_place *list;
    uint32_t group_count;
    uint32_t count;
    struct omptape_pairs by_id;    /* (0, location) -> its place */
    struct omptape_pairs by_group; /* (0, location group) -> its group */
    struct omptape_arena arena;
    struct omptape_export_place *last;
    bool some; /* is chosen */
};

/* `threads`: those that are chosen. 0 or -ENOMEM. omptape_export_places_free in any case. */
int omptape_export_places_find(struct omptape_export_places *places, struct omptape_reader *reader,
                               const struct omptape_ranges *threads);
void omptape_export_places_free(struct omptape_export_places *places);

/* The rare case of the function below. */
struct omptape_export_place *omptape_export_place_look_up(struct omptape_export_places *places, uint64_t id);

/* The place of the location, or NULL. */
static inline struct omptape_export_place *omptape_export_place_of(struct omptape_export_places *places,
                                                                   uint64_t id)
{
    return places->last != NULL && places->last->definition->id == id
               ? places->last
               : omptape_export_place_look_up(places, id);
}

/* A reading of the archive's clock as ns since the trace's start. */
uint64_t omptape_export_ns(const struct omptape_reader *reader, uint64_t ticks);

/* stream.c: Bytes on their way to a file, perhaps packed by gzip: what is put in is collected and written in
 * large pieces. For all that makes a format, in the child that reads. */

struct omptape_export_stream {
    int file;
    int error; /* negative errno: something could not be written */
    uint8_t *buffer;
    size_t used;
    size_t room;
    struct omptape_export_gzip *gzip; /* or NULL */
};

/* 0 or -ENOMEM. */
int omptape_export_stream_begin(struct omptape_export_stream *stream, int file, bool gzip);

/* The rare case of the function below. */
uint8_t *omptape_export_stream_make_room(struct omptape_export_stream *stream, size_t bytes);

/* Where the next `bytes` go; they count when `used` is moved behind them. NULL: no memory (stream->error). */
static inline uint8_t *omptape_export_stream_room(struct omptape_export_stream *stream, size_t bytes)
{
    return stream->room - stream->used >= bytes ? stream->buffer + stream->used
                                                : omptape_export_stream_make_room(stream, bytes);
}

/* Writes the rest. 0, or the first error. */
int omptape_export_stream_end(struct omptape_export_stream *stream);

void omptape_export_stream_free(struct omptape_export_stream *stream);

/* One export: what is read, which part of it, and where it goes. */
struct export_job {
    struct omptape_export_places *places;
    const struct omptape_export_choice *choice;
    struct omptape_export_stream *stream;
    struct omptape_reader_progress *progress;
    char *error; /* gets a line of so many bytes: */
    size_t error_bytes;
};

/* All return 0 or a negative errno. Then there is a line in `error`, but for -ENOMEM and what stream->error
 * says. */

/* Every event a row, for pandas and R. */
int export_csv(const struct export_job *job);
/* A table with a row for each visit of a region. */
int export_instances(const struct export_job *job);
/* A line for each stack, "main;solve;for @x.c:12;dgemv_ 48", and how many samples of all threads have it.
 * Looks at threads that sleep are left out. */
int export_folded(const struct export_job *job);
/* Sums of samples for pprof: their number and processor time, with labels for thread and region. */
int export_pprof(const struct export_job *job);
/* A trace for Perfetto. */
int export_perfetto(const struct export_job *job);
/* A database (docs/sqlite.md). The stream's file is written directly. */
int export_sqlite(const struct export_job *job);
