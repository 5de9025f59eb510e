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

enum {
    OMPTAPE_MOST_ATTRIBUTES = 32,
    OMPTAPE_ONE_ATTRIBUTE_BYTES =
        OMPTAPE_ENCODE_U32_BYTES + 1 + OMPTAPE_ENCODE_U64_BYTES, /* name, type, value */
    OMPTAPE_MOST_ATTRIBUTE_BYTES = OMPTAPE_MOST_ATTRIBUTES * OMPTAPE_ONE_ATTRIBUTE_BYTES
};

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
    uint32_t bytes; /* of the list as the record has it: */
    unsigned char code[OMPTAPE_MOST_ATTRIBUTE_BYTES + OMPTAPE_ENCODE_BEYOND];
};

static inline unsigned char *omptape_attributes_encode_value(unsigned char *at, OTF2_Type type,
                                                             uint64_t value)
{
    switch (type) {
    case OTF2_TYPE_UINT8:
        return omptape_encode_u8(at, (uint8_t)value);
    case OTF2_TYPE_INT32:
    case OTF2_TYPE_INT64:
        return omptape_encode_number(at, value);
    case OTF2_TYPE_UINT64:
    case OTF2_TYPE_LOCATION:
        return omptape_encode_u64(at, value);
    default: /* uint32, and references */
        return omptape_encode_u32(at, (uint32_t)value);
    }
}

/* An attribute (below OMPTAPE_MOST_ATTRIBUTES) that is in the list already stays as it is. Signed values of
 * 32 bits are given with zeros in front. Encodes it at once: where this is called its type is a constant. */
static inline void omptape_attributes_add(struct omptape_attributes *attributes, unsigned attribute,
                                          OTF2_Type type, uint64_t value)
{
    uint32_t bit = UINT32_C(1) << attribute;
    if ((attributes->known & bit) != 0)
        return;
    attributes->known |= bit;
    attributes->list[attributes->count++] =
        (struct omptape_attribute_value){.value = value, .attribute = (uint8_t)attribute, .type = type};
    unsigned char *at = omptape_encode_reference(attributes->code + attributes->bytes, attribute);
    at = omptape_attributes_encode_value(omptape_encode_u8(at, type), type, value);
    attributes->bytes = (uint32_t)(at - attributes->code);
}

static inline void omptape_attributes_clear(struct omptape_attributes *attributes)
{
    attributes->count = 0;
    attributes->known = 0;
    attributes->bytes = 0;
}

/* The most that the data of their record take, as libotf2 counts it: by that it decides where a chunk ends.
 */
static inline size_t omptape_attributes_most_data(const struct omptape_attributes *attributes)
{
    return OMPTAPE_ENCODE_U32_BYTES + attributes->count * (size_t)OMPTAPE_ONE_ATTRIBUTE_BYTES;
}

/* The same of the record. */
static inline size_t omptape_attributes_most(const struct omptape_attributes *attributes)
{
    enum { SHORT_HEAD = 2, LONG_HEAD = 10 };
    size_t data = omptape_attributes_most_data(attributes);
    return data + (data < OMPTAPE_ENCODE_LONG ? SHORT_HEAD : LONG_HEAD);
}

/* Puts their record at `at`, which has room for that, and empties the list. There is at least one. Returns
 * what is behind it. */
static inline unsigned char *omptape_attributes_encode(struct omptape_attributes *attributes,
                                                       unsigned char *at)
{
    /* Copied whole without a look at how many there are: the most that one takes, and what may lie behind. */
    enum { SHORT = OMPTAPE_ONE_ATTRIBUTE_BYTES + OMPTAPE_ENCODE_BEYOND };
    unsigned char *data =
        omptape_encode_head(at, OMPTAPE_ENCODE_ATTRIBUTES, omptape_attributes_most_data(attributes));
    unsigned char *end = omptape_encode_reference(data, attributes->count);
    memcpy(end, attributes->code, SHORT);
    if (attributes->bytes > SHORT)
        memcpy(end, attributes->code, attributes->bytes);
    end += attributes->bytes;
    omptape_encode_length(at, data, end);
    omptape_attributes_clear(attributes);
    return end;
}

#endif
