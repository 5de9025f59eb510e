/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation of one record into the archive's events.
 */
#pragma once

#include "writers/state/sched.h"
#include "writers/translate/parallel.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>

/* Sets up all that is known of the program, in this room and those below. 0 or -ENOMEM. */
int omptape_translate_create(struct omptape_writer *writer);
void omptape_translate_free(struct omptape_writer *writer);

/* Recording goes on, or stops, at `time` on all locations. */
void omptape_control_record(struct omptape_writer *writer, uint64_t time, bool on);

/* Records must come in the order of their time over all threads (writers/merge.h). */
void omptape_translate(struct omptape_writer *writer, struct omptape_location *location,
                       const struct omptape_record *record);

/* What is known of a kind of records: who translates it, if there is something to translate. Of what there
 * are two the second is for the end of a scope. */
struct omptape_translation {
    omptape_translator *translate[2];
    omptape_translator *unusual; /* in place of these: it concerns others than its thread, or is no event */
    uint8_t least[2];            /* words that it must have; a shorter one is damaged */
    bool late_end;               /* a worker still tells it of a region that has ended, */
    bool late_at_end;            /* if it is the end of a scope */
    uint16_t goes_with;          /* what it belongs to, of the bits below */
    uint8_t rank[2];             /* among those of one time (below) */
};

/* Within one tick of a coarse clock a team may be forked and begin, or a task be created, start, complete and
 * be waited for. A greater rank answers records of other threads with a lower one. */
enum { OMPTAPE_RANK_ANSWERS = 1, OMPTAPE_RANK_WAITED = 2 };

/* The classes of regions that pass. */
enum { OMPTAPE_WITH_CREATE = 1 << OMPTAPE_CLASS_CREATE, OMPTAPE_WITH_MUTEX = 1 << OMPTAPE_CLASS_MUTEX };

_Static_assert(OMPTAPE_CLASS_COUNT <= 16, "goes_with has a bit for each class");

/* By any value that a kind may have in damaged memory. */
extern const struct omptape_translation omptape_translations[UINT8_MAX + 1];

static inline bool omptape_translate_is_end(const struct omptape_record *record)
{
    return omptape_endpoint(record->a) == ompt_scope_end;
}

/* May there be something to be done before the record is translated? */
static inline bool omptape_translate_is_preceded(const struct omptape_location *location,
                                                 const struct omptape_translation *translation)
{
    /* The innermost of all may be of a frame below, in which nothing ends now: that is looked at later. */
    const uint8_t innermost = location->stack.top->class;
    return (innermost >= OMPTAPE_CLASS_PASSING && (1U << innermost & translation->goes_with) == 0) ||
           location->pending;
}

void omptape_translate_what_precedes(struct omptape_writer *writer, struct omptape_location *location,
                                     const struct omptape_record *record,
                                     const struct omptape_translation *translation);

static inline void omptape_translate_note_time(struct omptape_writer *writer,
                                               const struct omptape_record *record)
{
    if (record->time > writer->last_time)
        writer->last_time = record->time;
}

/* Has `translate` translate a record of the program's thread which has this location, while there is room in
 * the archive. It is not counted. */
static inline void omptape_translate_own(struct omptape_writer *writer, struct omptape_location *location,
                                         const struct omptape_record *record,
                                         const struct omptape_translation *translation,
                                         omptape_translator *translate)
{
    omptape_translate_note_time(writer, record);
    if (writer->ended || record->words < translation->least[omptape_translate_is_end(record)])
        return;
    if (__builtin_expect(omptape_translate_is_preceded(location, translation), 0))
        omptape_translate_what_precedes(writer, location, record, translation);
    translate(writer, location, record, record->time);
}
