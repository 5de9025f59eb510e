/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The attributes of the next event, which are written in front of it. Filled by the archive's functions
 * (archive.h) for the translation; one thread each.
 */
#pragma once

#include "src/archive/write/encode.h"

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
    uint8_t count;
    uint32_t known;    /* a bit for each that is in the list, */
    uint32_t unwanted; /* ...and for those that nobody looks at, which never come into it */
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

/* An attribute (below OMPTAPE_MOST_ATTRIBUTES) that is in the list already stays as it is, one that nobody
 * wants is passed over. Signed values of 32 bits are given with zeros in front. Encodes it at once: where
 * this is called its type is a constant. */
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
    attributes->known = attributes->unwanted;
    attributes->bytes = 0;
}

/* Of all events to come: only those of these bits are looked at. Before the first. */
static inline void omptape_attributes_want(struct omptape_attributes *attributes, uint32_t wanted)
{
    attributes->unwanted = ~wanted;
    omptape_attributes_clear(attributes);
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

/* A few are put together without a look at how many there are: nearly all events that have any. */
enum {
    OMPTAPE_FEW_ATTRIBUTES = 2,
    OMPTAPE_FEW_ATTRIBUTES_MOST =
        2 + OMPTAPE_ENCODE_U32_BYTES + OMPTAPE_FEW_ATTRIBUTES * OMPTAPE_ONE_ATTRIBUTE_BYTES
};

static inline bool omptape_attributes_are_few(const struct omptape_attributes *attributes)
{
    return attributes->count - 1U < OMPTAPE_FEW_ATTRIBUTES;
}

/* The function below for a few, for which there is room for as many as these may be. */
static inline unsigned char *omptape_attributes_encode_few(struct omptape_attributes *attributes,
                                                           unsigned char *at)
{
    unsigned char *data = omptape_encode_head(at, OMPTAPE_ENCODE_ATTRIBUTES, OMPTAPE_FEW_ATTRIBUTES_MOST);
    /* Their number, of one byte. */
    data[0] = 1;
    data[1] = attributes->count;
    memcpy(data + 2, attributes->code, (size_t)OMPTAPE_FEW_ATTRIBUTES * OMPTAPE_ONE_ATTRIBUTE_BYTES);
    unsigned char *end = data + 2 + attributes->bytes;
    omptape_encode_length(at, data, end);
    omptape_attributes_clear(attributes);
    return end;
}

/* Puts their record at `at`, which has room for that, and empties the list. There is at least one. Returns
 * what is behind it. */
static inline unsigned char *omptape_attributes_encode(struct omptape_attributes *attributes,
                                                       unsigned char *at)
{
    unsigned char *data =
        omptape_encode_head(at, OMPTAPE_ENCODE_ATTRIBUTES, omptape_attributes_most_data(attributes));
    unsigned char *end = omptape_encode_reference(data, attributes->count);
    memcpy(end, attributes->code, attributes->bytes);
    end += attributes->bytes;
    omptape_encode_length(at, data, end);
    omptape_attributes_clear(attributes);
    return end;
}
