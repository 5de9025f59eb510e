/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A reader of no archive: its definitions are those that it was told, one by one, in any order, and there may
 * always be more. For an analysis whose events do not come from files (the writer's profile). What asks for
 * definitions (reader.h) works, and properties can be set; there are no markers or events. One thread.
 */
#pragma once

#include "src/archive/read/reader.h"

/* Without definitions, with a clock of so many ticks a second. NULL: no memory. */
struct omptape_reader *omptape_reader_of_memory(uint64_t clock_resolution);
void omptape_reader_free_memory(struct omptape_reader *reader);

/* Adds a definition (reader.h says which fields its kind has): copies of `head`, its text, its members and
 * the references. What it refers to comes before it. One whose id is known already counts for nothing. NULL:
 * no memory. */
struct omptape_definition *omptape_reader_define(struct omptape_reader *reader,
                                                 const struct omptape_definition *head,
                                                 const struct omptape_reference *refs, uint32_t ref_count);

/* A reference for these. */
static inline struct omptape_reference omptape_reader_refer(enum omptape_definition_kind kind, uint64_t id)
{
    return (struct omptape_reference){.kind = kind, .what = "", .id = id};
}

/* A property of the archive (omptape_reader_property), once. False: no memory. */
bool omptape_reader_set_property(struct omptape_reader *reader, const char *name, const char *value);

/* A COMM_LOCATIONS group of the paradigm, into which the members of other groups are indices: set, and set
 * again with more of them. `locations` stay the caller's, and must stay. False: no memory. */
bool omptape_reader_set_comm_locations(struct omptape_reader *reader, uint64_t group, uint64_t paradigm,
                                       const uint64_t *locations, uint32_t count);
