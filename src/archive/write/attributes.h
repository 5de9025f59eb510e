/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects the attributes of the next event and encodes them in front of it. Filled by the functions of
 * archive.h; each archive is used by one thread.
 */
#pragma once

#include "src/archive/write/encode.h"

#include <otf2/otf2.h>
#include <stddef.h>

enum {
    OMPTAPE_MAX_ATTRIBUTES = 32,
    OMPTAPE_ONE_ATTRIBUTE_BYTES =
        OMPTAPE_ENCODE_U32_BYTES + 1 + OMPTAPE_ENCODE_U64_BYTES, /* name, type, value */
    OMPTAPE_MAX_ATTRIBUTE_BYTES = OMPTAPE_MAX_ATTRIBUTES * OMPTAPE_ONE_ATTRIBUTE_BYTES
};

struct omptape_attribute_value {
    uint64_t value;
    uint8_t attribute;
    OTF2_Type type;
};

/* Attribute list of the next event. All zero: empty. */
struct omptape_attributes {
    uint8_t count;
    uint32_t present; /* one bit for each attribute in the list, and those of `ignored` */
    uint32_t ignored; /* one bit for each attribute that no observer uses; they are never added */
    struct omptape_attribute_value list[OMPTAPE_MAX_ATTRIBUTES];
    uint32_t bytes; /* size of the encoded list in `code` */
    unsigned char code[OMPTAPE_MAX_ATTRIBUTE_BYTES + OMPTAPE_ENCODE_BEYOND];
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
    default: /* uint32 and references */
        return omptape_encode_u32(at, (uint32_t)value);
    }
}

/* Adds an attribute (below OMPTAPE_MAX_ATTRIBUTES), unless it is already in the list or ignored. */
static inline void omptape_attributes_add(struct omptape_attributes *attributes, unsigned attribute,
                                          OTF2_Type type, uint64_t value)
{
    uint32_t bit = UINT32_C(1) << attribute;
    if ((attributes->present & bit) != 0)
        return;
    attributes->present |= bit;
    attributes->list[attributes->count++] =
        (struct omptape_attribute_value){.value = value, .attribute = (uint8_t)attribute, .type = type};
    unsigned char *at = omptape_encode_reference(attributes->code + attributes->bytes, attribute);
    at = omptape_attributes_encode_value(omptape_encode_u8(at, type), type, value);
    attributes->bytes = (uint32_t)(at - attributes->code);
}

static inline void omptape_attributes_clear(struct omptape_attributes *attributes)
{
    attributes->count = 0;
    attributes->present = attributes->ignored;
    attributes->bytes = 0;
}

/* Restricts all future events to the attributes of these bits. Called before the first event. */
static inline void omptape_attributes_want(struct omptape_attributes *attributes, uint32_t wanted)
{
    attributes->ignored = ~wanted;
    omptape_attributes_clear(attributes);
}

/* Returns the maximum size of the record's data as libotf2 computes it, which decides where a chunk ends. */
static inline size_t omptape_attributes_most_data(const struct omptape_attributes *attributes)
{
    return OMPTAPE_ENCODE_U32_BYTES + attributes->count * (size_t)OMPTAPE_ONE_ATTRIBUTE_BYTES;
}

/* Returns the maximum size of the whole record. */
static inline size_t omptape_attributes_most(const struct omptape_attributes *attributes)
{
    enum { SHORT_HEAD = 2, LONG_HEAD = 10 };
    size_t data = omptape_attributes_most_data(attributes);
    return data + (data < OMPTAPE_ENCODE_LONG ? SHORT_HEAD : LONG_HEAD);
}

/* Up to two attributes are encoded without a check of their number; nearly all events have no more. */
enum {
    OMPTAPE_FEW_ATTRIBUTES = 2,
    OMPTAPE_FEW_ATTRIBUTES_BYTES =
        2 + OMPTAPE_ENCODE_U32_BYTES + OMPTAPE_FEW_ATTRIBUTES * OMPTAPE_ONE_ATTRIBUTE_BYTES
};

static inline bool omptape_attributes_are_few(const struct omptape_attributes *attributes)
{
    return attributes->count - 1U < OMPTAPE_FEW_ATTRIBUTES;
}

/* Like omptape_attributes_encode, for a few attributes; requires space for OMPTAPE_FEW_ATTRIBUTES_BYTES.
 */
static inline unsigned char *omptape_attributes_encode_few(struct omptape_attributes *attributes,
                                                           unsigned char *at)
{
    unsigned char *data = omptape_encode_head(at, OMPTAPE_ENCODE_ATTRIBUTES, OMPTAPE_FEW_ATTRIBUTES_BYTES);
    /* Their number, encoded in one byte. */
    data[0] = 1;
    data[1] = attributes->count;
    memcpy(data + 2, attributes->code, (size_t)OMPTAPE_FEW_ATTRIBUTES * OMPTAPE_ONE_ATTRIBUTE_BYTES);
    unsigned char *end = data + 2 + attributes->bytes;
    omptape_encode_length(at, data, end);
    omptape_attributes_clear(attributes);
    return end;
}

/* Encodes the record of at least one attribute at `at`, which must have enough space, and clears the list.
 * Returns the end of the record. */
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
