/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Takes definitions of a part into the model: looks up what they refer to, and adds their rows. For the
 * callbacks of definitions.c and definition_groups.c, in the child process of omptape_unify.
 *
 * What goes wrong is noted in the model; callbacks go on with what they have and return omptape_unify_done.
 */
#ifndef OMPTAPE_UNIFY_REFERENCES_H
#define OMPTAPE_UNIFY_REFERENCES_H

#include "src/unify/model.h"

/* What a callback returns: reading ends if something has gone wrong. */
OTF2_CallbackCode omptape_unify_done(const struct omptape_unify_reading *reading);

/* The unified reference of something that must have been defined before, */
uint64_t omptape_unify_must(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind,
                            uint64_t ref);
/* or may be OTF2's "undefined". */
uint64_t omptape_unify_may(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind,
                           uint64_t ref);
uint64_t omptape_unify_string(const struct omptape_unify_reading *reading, OTF2_StringRef ref);
/* An attribute's or a property's value: a number, or a reference. */
uint64_t omptape_unify_value(const struct omptape_unify_reading *reading, OTF2_Type type,
                             OTF2_AttributeValue value);
/* What belongs to one process alone is told apart by this. */
uint64_t omptape_unify_whose(const struct omptape_unify_reading *reading, uint64_t self);

/* How many words an array of this size has. */
static inline size_t omptape_unify_count_of(size_t bytes)
{
    return bytes / sizeof(uint64_t);
}

/* Adds a definition with the part's reference `self`, */
OTF2_CallbackCode omptape_unify_define(const struct omptape_unify_reading *reading,
                                       enum omptape_unify_kind kind, uint64_t self, const uint64_t *words,
                                       size_t count);
/* and one that nothing refers to. */
OTF2_CallbackCode omptape_unify_add_extra(const struct omptape_unify_reading *reading, const uint64_t *words,
                                          size_t count);

#endif
