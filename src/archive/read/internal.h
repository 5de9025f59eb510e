/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that the files of the archive reader share: storing definitions and making references. Not for
 * the reader's users.
 */
#pragma once

#include "src/archive/read/reader.h"

#include <sys/stat.h>

/* Make a reference that must be defined, and one that may be OTF2's "undefined". */
static inline struct omptape_reference omptape_refers(enum omptape_definition_kind kind, const char *what,
                                                      uint64_t id)
{
    return (struct omptape_reference){.kind = kind, .what = what, .id = id};
}
static inline struct omptape_reference omptape_may_refer(enum omptape_definition_kind kind, const char *what,
                                                         uint64_t id)
{
    return (struct omptape_reference){.kind = kind, .what = what, .id = id, .optional = true};
}

/* A scope may refer to nothing if its kind is OMPTAPE_DEF_NONE. */
static inline struct omptape_reference omptape_scope(enum omptape_definition_kind kind, uint64_t id)
{
    return (struct omptape_reference){
        .kind = kind, .what = "scope", .id = id, .optional = kind == OMPTAPE_DEF_NONE};
}

/* Short forms for the tables. */
#define TO(Kind, what, id) omptape_refers(OMPTAPE_DEF_##Kind, what, id)
#define MAY(Kind, what, id) omptape_may_refer(OMPTAPE_DEF_##Kind, what, id)

/* Appends a copy of `head` with the given references to the archive's definitions; the refs of `head` are
 * ignored. If the kind has ids and the id is new, the copy is entered in its table. `text` and `members` must
 * live as long as the archive. Returns the result of an OTF2 callback: INTERRUPT with reader->no_memory set
 * if out of memory. */
OTF2_CallbackCode omptape_reader_add(struct omptape_reader *reader, const struct omptape_definition *head,
                                     const struct omptape_reference *refs, uint32_t ref_count);

/* Indexes a definition after those to which it refers are stored. Returns false if out of memory.
 * omptape_reader_index_begin must be called first. */
bool omptape_reader_index(struct omptape_reader *reader, struct omptape_definition *definition);
void omptape_reader_index_begin(struct omptape_reader *reader);
void omptape_reader_index_free(struct omptape_reader *reader);

/* Directs libotf2's error messages to this archive from now on. Needed if several archives are open. */
void omptape_reader_set_error_callback(struct omptape_reader *reader);

/* Copy a text and lists of ids for omptape_reader_add. Return NULL with reader->no_memory set if out of
 * memory. */
const char *omptape_reader_copy_text(struct omptape_reader *reader, const char *text);
const uint64_t *omptape_reader_copy_ids(struct omptape_reader *reader, const uint64_t *ids, uint32_t count);
const uint64_t *omptape_reader_copy_short_ids(struct omptape_reader *reader, const uint32_t *ids,
                                              uint32_t count);

/* Opens the archive with another OTF2 reader, because libotf2 searches linear lists of all locations of a
 * reader. Returns NULL on failure. */
OTF2_Reader *omptape_reader_open_otf2(const struct omptape_reader *reader);

/* portions.c: returns an OTF2 reader for this number of locations. It belongs to `reader` and may be replaced
 * by the next call. Returns NULL on failure. Each OTF2 reader has few locations. */
OTF2_Reader *omptape_reader_take_otf2(struct omptape_reader *reader, uint32_t locations);

/* Reads the events of these locations, which must be defined, with their local definitions. */
int omptape_reader_read_portions(struct omptape_reader *reader, uint64_t *locations, uint32_t count,
                                 omptape_reader_visitor *visitor, void *data, char *error,
                                 size_t error_bytes);

/* index.c: omptape_reader_property for a reader of memory.h. */
const char *omptape_reader_memory_property(const struct omptape_reader *reader, const char *name);

/* local.c: state of a location's file with this ending (".evt"). */
enum omptape_location_file {
    OMPTAPE_LOCATION_FILE_MISSING,
    OMPTAPE_LOCATION_FILE_EMPTY, /* it contains no record */
    OMPTAPE_LOCATION_FILE_CUT,   /* it is truncated */
    OMPTAPE_LOCATION_FILE_THERE  /* libotf2 can try to read it; also if all files are in one (SIONlib) */
};
enum omptape_location_file omptape_reader_judge_file(struct omptape_reader *reader, uint64_t location,
                                                     const char *ending);
void omptape_reader_name_file(const struct omptape_reader *reader, uint64_t location, const char *ending,
                              char path[OMPTAPE_READER_FILE_BYTES]);

/* omptape_damage_find for the archive at the user's path. */
bool omptape_reader_find_damage(const char *path, char *text, size_t bytes);

/* Status of the anchor file, which a writer makes last; all zeros if there is none. */
void omptape_reader_anchor_status(const char *path, struct stat *status);

/* User data of the event callbacks: where they pass their events. */
struct omptape_event_sink {
    omptape_reader_visitor *visitor;
    void *data;
    const struct omptape_reader *reader; /* NULL: Enter and Leave of calling contexts are passed unchanged */
    bool stopped;                        /* true after the visitor returned false */
};

/* Return the callbacks of all global definitions, and of all events, to be freed; NULL if out of memory. */
OTF2_GlobalDefReaderCallbacks *omptape_reader_definition_callbacks(void);
OTF2_GlobalEvtReaderCallbacks *omptape_reader_event_callbacks(void);
