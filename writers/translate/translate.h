/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates one record into the archive's events.
 */
#pragma once

#include "writers/state/sched.h"
#include "writers/translate/parallel.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>

/* Creates the state of all translators. Returns 0 or -ENOMEM. */
int omptape_translate_create(struct omptape_writer *writer);
void omptape_translate_free(struct omptape_writer *writer);

/* Switches recording on or off at `time` on all locations. */
void omptape_control_record(struct omptape_writer *writer, uint64_t time, bool on);

/* Translates a record. Records must come in order of time over all threads (writers/merge.h). */
void omptape_translate(struct omptape_writer *writer, struct omptape_location *location,
                       const struct omptape_record *record);

/* Translators of one kind of records. Index 1 of a pair is for the end of a scope. */
struct omptape_translation {
    omptape_translator *translate[2];
    /* Used instead of these if the record concerns other threads, begins a thread, or is no event. */
    omptape_translator *unusual;
    uint8_t min_words[2]; /* Minimum number of words; shorter records are damaged. */
    bool late_end;        /* True if a worker may report it for a region that has ended. */
    bool late_at_end;     /* True if this holds for the end of the scope. */
    uint16_t keeps_open;  /* Bits (below) of regions to which it belongs and which it does not end. */
    uint8_t rank[2];      /* Rank among records of the same time (below). */
};

/* In one tick of a coarse clock a team may be forked and begin. A task may be created, start, complete,
 * and be waited for. A record of greater rank answers records of other threads with a lower rank. */
enum { OMPTAPE_RANK_ANSWERS = 1, OMPTAPE_RANK_WAITED = 2 };

/* Bits of the classes that end when other records come. */
enum { OMPTAPE_KEEPS_CREATE = 1 << OMPTAPE_CLASS_CREATE, OMPTAPE_KEEPS_MUTEX = 1 << OMPTAPE_CLASS_MUTEX };

_Static_assert(OMPTAPE_CLASS_COUNT <= 16, "keeps_open has a bit for each class");

/* Indexed by any value that the kind may have in damaged memory. */
extern const struct omptape_translation omptape_translations[UINT8_MAX + 1];

static inline bool omptape_translate_is_end(const struct omptape_record *record)
{
    return omptape_endpoint(record->a) == ompt_scope_end;
}

/* Returns true if something may have to be done before the record is translated. */
static inline bool omptape_translate_is_preceded(const struct omptape_location *location,
                                                 const struct omptape_translation *translation)
{
    /* The innermost region may belong to a lower frame, in which nothing ends now; this is checked later. */
    const uint8_t innermost = location->stack.top->class;
    return (innermost >= OMPTAPE_CLASS_IMPLICIT_END && (1U << innermost & translation->keeps_open) == 0) ||
           location->pending;
}

/* Writes what waits for the next record of a thread at work, up to `time`: samples and readings. All records
 * before `time` have been translated. */
void omptape_translate_advance(struct omptape_writer *writer, uint64_t time);

void omptape_translate_what_precedes(struct omptape_writer *writer, struct omptape_location *location,
                                     const struct omptape_record *record,
                                     const struct omptape_translation *translation);

static inline void omptape_translate_note_time(struct omptape_writer *writer,
                                               const struct omptape_record *record)
{
    if (record->time > writer->last_time)
        writer->last_time = record->time;
}

/* Calls `translate` for a record of the location's thread. Only while the disk is not full; not counted. */
static inline void omptape_translate_own(struct omptape_writer *writer, struct omptape_location *location,
                                         const struct omptape_record *record,
                                         const struct omptape_translation *translation,
                                         omptape_translator *translate)
{
    omptape_translate_note_time(writer, record);
    if (writer->ended || record->words < translation->min_words[omptape_translate_is_end(record)])
        return;
    if (__builtin_expect(omptape_translate_is_preceded(location, translation), 0))
        omptape_translate_what_precedes(writer, location, record, translation);
    translate(writer, location, record, record->time);
}
