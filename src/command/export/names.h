/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The texts of a Perfetto trace: each is told once, before the first event that has it, and has a number from
 * then on. For the rest of the Perfetto format.
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/command/export/packets.h"
#include "src/core/hash.h"
#include "src/core/store.h"

/* What is the same in all begins of a region. */
struct omptape_region_name {
    uint64_t id;
    OTF2_RegionRole role;
    struct omptape_export_bytes begin; /* type, name, category, file, line */
};

struct omptape_names {
    struct omptape_reader *reader;
    struct omptape_packets *packets;
    struct omptape_arena arena;
    struct omptape_pairs regions; /* (0, region) -> struct omptape_region_name */
    struct omptape_rows rows[6];  /* kinds of texts; the number of one is that of its row and 1 */
};

/* False: no memory. omptape_names_free in any case. */
void omptape_names_begin(struct omptape_names *names, struct omptape_reader *reader,
                         struct omptape_packets *packets);
void omptape_names_free(struct omptape_names *names);

/* NULL: no memory. A region that is not defined has a name all the same. */
struct omptape_region_name *omptape_names_region(struct omptape_names *names, uint64_t region);

/* The number of a function's name in callstacks, and of a source file's. */
uint64_t omptape_names_function(struct omptape_names *names, const char *function);
uint64_t omptape_names_source(struct omptape_names *names, const char *path);

/* A begin or an instant of that name and category, which are constants. */
void omptape_names_put(struct omptape_names *names, unsigned type, const char *name, const char *category);

/* Adds an annotation to a row of bytes: an OTF2 value, or a text. */
void omptape_names_annotate(struct omptape_names *names, struct omptape_export_bytes *row, const char *name,
                            OTF2_Type type, OTF2_AttributeValue value);
void omptape_names_annotate_text(struct omptape_names *names, struct omptape_export_bytes *row,
                                 const char *name, const char *text);

/* Adds all attributes of an event; `events` has none most of the time. */
void omptape_names_annotate_all(struct omptape_names *names, struct omptape_export_bytes *row,
                                const OTF2_AttributeList *attributes);
