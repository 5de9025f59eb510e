/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The record of an event's attributes. Called for each event that has some.
 */
#include "writers/archive/attributes.h"

enum {
    LIST_BYTES = OMPTAPE_ENCODE_U32_BYTES,                                 /* their number; */
    ENTRY_BYTES = OMPTAPE_ENCODE_U32_BYTES + 1 + OMPTAPE_ENCODE_U64_BYTES, /* attribute, type, value */
    SHORT_HEAD = 2,
    LONG_HEAD = 10
};

static size_t most_data(const struct omptape_attributes *attributes)
{
    return LIST_BYTES + attributes->count * (size_t)ENTRY_BYTES;
}

size_t omptape_attributes_most(const struct omptape_attributes *attributes)
{
    size_t data = most_data(attributes);
    return data + (data < OMPTAPE_ENCODE_LONG ? SHORT_HEAD : LONG_HEAD);
}

static unsigned char *encode_value(unsigned char *at, OTF2_Type type, uint64_t value)
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

unsigned char *omptape_attributes_encode(struct omptape_attributes *attributes, unsigned char *at)
{
    unsigned char *data = omptape_encode_head(at, OMPTAPE_ENCODE_ATTRIBUTES, most_data(attributes));
    const uint32_t count = attributes->count;
    unsigned char *end = omptape_encode_reference(data, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct omptape_attribute_value *entry = &attributes->list[i];
        end = omptape_encode_reference(end, entry->attribute);
        end = omptape_encode_u8(end, entry->type);
        end = encode_value(end, entry->type, entry->value);
    }
    omptape_encode_length(at, data, end);
    omptape_attributes_clear(attributes);
    return end;
}
