/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the archive reader share: storing definitions and making references. Not for its users.
 */
#pragma once

#include "src/archive/read/reader.h"

/* A reference that must be there, and one that may be OTF2's "undefined". */
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

/* The same in the rows of the tables. */
#define TO(Kind, what, id) omptape_refers(OMPTAPE_DEF_##Kind, what, id)
#define MAY(Kind, what, id) omptape_may_refer(OMPTAPE_DEF_##Kind, what, id)

/* Appends a copy of `head` with the given references to the archive's definitions; the refs of `head` are
 * not used. If the kind has ids and this id is new, the copy goes to its table, too. text and members must
 * live as long as the archive. Returns what an OTF2 callback returns: INTERRUPT, with reader->no_memory set,
 * if there is no memory. */
OTF2_CallbackCode omptape_reader_add(struct omptape_reader *reader, const struct omptape_definition *head,
                                     const struct omptape_reference *refs, uint32_t ref_count);

/* Finds what is asked for again and again: of one definition, once those are there that it refers to. False:
 * no memory. Before the first: */
bool omptape_reader_index(struct omptape_reader *reader, struct omptape_definition *definition);
void omptape_reader_index_begin(struct omptape_reader *reader);
void omptape_reader_index_free(struct omptape_reader *reader);

/* What libotf2 complains of from here on is this archive's: of several that are open, the one that is read.
 */
void omptape_reader_listen(struct omptape_reader *reader);

/* Copies of a text and of lists of ids, for omptape_reader_add. NULL with reader->no_memory set if there is
 * no memory. */
const char *omptape_reader_copy_text(struct omptape_reader *reader, const char *text);
const uint64_t *omptape_reader_copy_ids(struct omptape_reader *reader, const uint64_t *ids, uint32_t count);
const uint64_t *omptape_reader_copy_short_ids(struct omptape_reader *reader, const uint32_t *ids,
                                              uint32_t count);

/* Opens the archive once more: libotf2 goes through lists of all locations that one of its readers has. NULL:
 * it cannot. */
OTF2_Reader *omptape_reader_open_otf2(const struct omptape_reader *reader);

/* portions.c: one of libotf2's readers for so many locations. It belongs to the reader and stays the same
 * until the next call. NULL: there is none. Its lists do not get long. */
OTF2_Reader *omptape_reader_take_otf2(struct omptape_reader *reader, uint32_t locations);

/* Reads the events of these locations, each of which is defined, with their local definitions. */
int omptape_reader_read_portions(struct omptape_reader *reader, uint64_t *locations, uint32_t count,
                                 omptape_reader_visitor *visitor, void *data, char *error,
                                 size_t error_bytes);

/* index.c: omptape_reader_property of a reader of memory. */
const char *omptape_reader_memory_property(const struct omptape_reader *reader, const char *name);

/* local.c: a location's file, by its ending (".evt"). */
enum omptape_location_file {
    OMPTAPE_LOCATION_FILE_MISSING,
    OMPTAPE_LOCATION_FILE_EMPTY, /* it holds no record */
    OMPTAPE_LOCATION_FILE_CUT,   /* it has lost its end */
    OMPTAPE_LOCATION_FILE_THERE  /* libotf2 may try; or it keeps all in one file (SIONlib) */
};
enum omptape_location_file omptape_reader_judge_file(struct omptape_reader *reader, uint64_t location,
                                                     const char *ending);
void omptape_reader_name_file(const struct omptape_reader *reader, uint64_t location, const char *ending,
                              char path[OMPTAPE_READER_FILE_BYTES]);

/* omptape_damage_find of the archive that the user named. */
bool omptape_reader_find_damage(const char *path, char *text, size_t bytes);

/* Where the event callbacks send their events: user data of all of them. */
struct omptape_event_sink {
    omptape_reader_visitor *visitor;
    void *data;
    const struct omptape_reader *reader; /* NULL: contexts that begin and end are left as they are */
    bool stopped;                        /* the visitor wants no more */
};

/* Name the callbacks of all global definitions, and of all events. The caller frees them; NULL if there is no
 * memory. */
OTF2_GlobalDefReaderCallbacks *omptape_reader_definition_callbacks(void);
OTF2_GlobalEvtReaderCallbacks *omptape_reader_event_callbacks(void);
