/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A reader without an archive: its definitions are added one by one, in any order and at any time. For an
 * analysis whose events do not come from files (the writer's profile). Lookups of definitions (reader.h)
 * work, and properties can be set; there are no markers or events. One thread.
 */
#pragma once

#include "src/archive/read/reader.h"

/* Creates a reader without definitions, with `clock_resolution` ticks per second; NULL if out of memory. */
struct omptape_reader *omptape_reader_of_memory(uint64_t clock_resolution);
void omptape_reader_free_memory(struct omptape_reader *reader);

/* Adds a definition (reader.h lists the fields of its kind). Copies `head`, its text, its members and the
 * references. Referenced definitions must exist. A definition whose id is already known is ignored in
 * lookups. Returns NULL if out of memory. */
struct omptape_definition *omptape_reader_define(struct omptape_reader *reader,
                                                 const struct omptape_definition *head,
                                                 const struct omptape_reference *refs, uint32_t ref_count);

/* Makes a reference for omptape_reader_define. */
static inline struct omptape_reference omptape_reader_refer(enum omptape_definition_kind kind, uint64_t id)
{
    return (struct omptape_reference){.kind = kind, .what = "", .id = id};
}

/* Sets a property of the archive (omptape_reader_property) once. Returns false if out of memory. */
bool omptape_reader_set_property(struct omptape_reader *reader, const char *name, const char *value);

/* Sets the paradigm's COMM_LOCATIONS group, into which members of other groups are indices. It may be set
 * again with more locations. `locations` belongs to the caller and must stay valid. Returns false if out of
 * memory. */
bool omptape_reader_set_comm_locations(struct omptape_reader *reader, uint64_t group, uint64_t paradigm,
                                       const uint64_t *locations, uint32_t count);
