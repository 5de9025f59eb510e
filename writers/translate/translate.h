/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation of one record into the archive's events.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_TRANSLATE_H
#define OMPTAPE_WRITERS_TRANSLATE_TRANSLATE_H

#include "writers/model/model.h"

/* Sets up all that is known of the program, in this room and those below. 0 or -ENOMEM. */
int omptape_translate_create(struct omptape_writer *writer);
void omptape_translate_free(struct omptape_writer *writer);

/* Records must come in the order of their time over all threads (writers/merge.h). */
void omptape_translate(struct omptape_writer *writer, struct omptape_location *location,
                       const struct omptape_record *record);
/* The same for a record of the program's thread (below OMPTAPE_FIRST_OF_DEVICES) which has this location,
 * while there is room in the archive. */
void omptape_translate_own(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record);

#endif
