/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Interned texts of a Perfetto trace: each text is written once, before the first event that refers to it by
 * its number. Used by the rest of the Perfetto format.
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/command/export/packets.h"
#include "src/core/hash.h"
#include "src/core/store.h"

/* What all begins of a region share. */
struct region_name {
    OTF2_RegionRole role;
    struct export_bytes begin; /* encoded type, name, category, file and line */
};

struct omptape_names {
    struct omptape_reader *reader;
    struct packets *packets;
    struct omptape_arena arena;
    struct omptape_pairs regions; /* (0, region) -> struct region_name */
    struct omptape_rows rows[6];  /* one table per kind of text; a text's number is its row + 1 */
};

/* Initialises `names`; the caller calls names_free in any case. */
void names_begin(struct omptape_names *names, struct omptape_reader *reader, struct packets *packets);
void names_free(struct omptape_names *names);

/* Returns the cached entry of a region, or NULL if out of memory. Undefined regions have names, too. */
struct region_name *names_region(struct omptape_names *names, uint64_t region);

/* Return the number of a function's name in callstacks, and of a source file's name. */
uint64_t names_function(struct omptape_names *names, const char *function);
uint64_t names_source(struct omptape_names *names, const char *path);

/* Starts an event of type `type` with a name and a category, which must be constants. */
void names_put(struct omptape_names *names, unsigned type, const char *name, const char *category);

/* Adds an annotation to a byte buffer: an OTF2 value or a text. */
void names_annotate(struct omptape_names *names, struct export_bytes *row, const char *name, OTF2_Type type,
                    OTF2_AttributeValue value);
void names_annotate_text(struct omptape_names *names, struct export_bytes *row, const char *name,
                         const char *text);

/* Adds all attributes of an event as annotations; most events have none. */
void names_annotate_all(struct omptape_names *names, struct export_bytes *row,
                        const OTF2_AttributeList *attributes);
