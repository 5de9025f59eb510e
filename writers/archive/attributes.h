/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The attributes of the next event, which are written in front of it. Filled by the archive's functions
 * (archive.h) for whoever translates; one thread each.
 */
#ifndef OMPTAPE_WRITERS_ARCHIVE_ATTRIBUTES_H
#define OMPTAPE_WRITERS_ARCHIVE_ATTRIBUTES_H

#include "writers/archive/encode.h"

#include <otf2/otf2.h>
#include <stddef.h>

enum { OMPTAPE_MOST_ATTRIBUTES = 32 };

struct omptape_attribute_value {
    uint64_t value;
    uint8_t attribute;
    OTF2_Type type;
};

/* All zero: none. */
struct omptape_attributes {
    uint32_t count;
    uint32_t known; /* a bit for each that is in the list */
    struct omptape_attribute_value list[OMPTAPE_MOST_ATTRIBUTES];
};

/* An attribute (below OMPTAPE_MOST_ATTRIBUTES) that is in the list already stays as it is. Signed values of
 * 32 bits are given with zeros in front. */
static inline void omptape_attributes_add(struct omptape_attributes *attributes, unsigned attribute,
                                          OTF2_Type type, uint64_t value)
{
    uint32_t bit = UINT32_C(1) << attribute;
    if ((attributes->known & bit) != 0)
        return;
    attributes->known |= bit;
    attributes->list[attributes->count++] =
        (struct omptape_attribute_value){.value = value, .attribute = (uint8_t)attribute, .type = type};
}

static inline void omptape_attributes_clear(struct omptape_attributes *attributes)
{
    attributes->count = 0;
    attributes->known = 0;
}

/* The most that their record takes, as libotf2 counts it: by that it decides where a chunk ends. */
size_t omptape_attributes_most(const struct omptape_attributes *attributes);

/* Puts their record at `at`, which has room for that, and empties the list. Returns what is behind it. */
unsigned char *omptape_attributes_encode(struct omptape_attributes *attributes, unsigned char *at);

#endif
