/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stores the archive's definitions while libotf2 delivers them, and looks up definitions, names and
 * properties. index.c looks up properties of processes.
 */
#include "src/archive/read/internal.h"

#include "src/core/array.h"
#include "src/core/sort.h"
#include "src/core/words.h"

#include <omptape/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends a definition to the list of its kind, and makes it known by its id. Skips an id that is known. */
static void enlist(struct omptape_reader *reader, struct omptape_definition *definition)
{
    const enum omptape_definition_kind kind = definition->kind;
    if (kind < OMPTAPE_DEF_PROPERTY) {
        if (omptape_pairs_get(&reader->table, kind, definition->id) != NULL)
            return;
        reader->no_memory = omptape_pairs_put(&reader->table, kind, definition->id, definition) != 0;
    }
    if (reader->last[kind] != NULL)
        reader->last[kind]->next = definition;
    else
        reader->first[kind] = definition;
    reader->last[kind] = definition;
}

OTF2_CallbackCode omptape_reader_add(struct omptape_reader *reader, const struct omptape_definition *head,
                                     const struct omptape_reference *refs, uint32_t ref_count)
{
    const bool reserved =
        OMPTAPE_RESERVE(reader->definitions, reader->definition_count + 1, &reader->definition_capacity);
    struct omptape_definition *definition =
        omptape_arena_alloc(&reader->arena, sizeof(*definition) + ref_count * sizeof(definition->refs[0]));
    if (!reserved || definition == NULL || reader->no_memory) {
        reader->no_memory = true;
        return OTF2_CALLBACK_INTERRUPT;
    }
    memcpy(definition, head, sizeof(*definition));
    definition->ref_count = ref_count;
    definition->next = NULL;
    for (uint32_t i = 0; i < ref_count; i++)
        definition->refs[i] = refs[i];
    reader->definitions[reader->definition_count++] = definition;
    enlist(reader, definition);
    return reader->no_memory ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

const char *omptape_reader_copy_text(struct omptape_reader *reader, const char *text)
{
    const char *copy = omptape_reader_text(&reader->arena, text);
    reader->no_memory = reader->no_memory || copy == NULL;
    return copy;
}

const char *omptape_reader_path(struct omptape_reader *reader)
{
    const char *shown = omptape_reader_text(&reader->arena, reader->anchor);
    return shown != NULL ? shown : "";
}

const uint64_t *omptape_reader_copy_ids(struct omptape_reader *reader, const uint64_t *ids, uint32_t count)
{
    uint64_t *copy = omptape_arena_alloc(&reader->arena, count * sizeof(*copy));
    reader->no_memory = reader->no_memory || copy == NULL;
    return copy != NULL && count > 0 ? memcpy(copy, ids, count * sizeof(*copy)) : copy;
}

const uint64_t *omptape_reader_copy_short_ids(struct omptape_reader *reader, const uint32_t *ids,
                                              uint32_t count)
{
    uint64_t *copy = omptape_arena_alloc(&reader->arena, count * sizeof(*copy));
    reader->no_memory = reader->no_memory || copy == NULL;
    for (uint32_t i = 0; copy != NULL && i < count; i++)
        copy[i] = ids[i];
    return copy;
}

/* Returns the bytes of a character that a terminal would interpret, otherwise 0. These are C0, DEL, C1 in
 * UTF-8, line separators and changes of direction (U+061C, 2028 to 202E, 2066 to 2069). */
static size_t control_bytes(const unsigned char *at, size_t bytes)
{
    bool obeyed = bytes == 1   ? *at < ' ' || *at == 127
                  : bytes == 2 ? (at[0] == 0xC2 && at[1] < 0xA0) || (at[0] == 0xD8 && at[1] == 0x9C)
                  : bytes == 3 ? at[0] == 0xE2 && ((at[1] == 0x80 && at[2] >= 0xA8 && at[2] <= 0xAE) ||
                                                   (at[1] == 0x81 && at[2] >= 0xA6 && at[2] <= 0xA9))
                               : false;
    return obeyed ? bytes : 0;
}

/* Returns the length of the printable ASCII prefix. It covers most texts, and needs no decoding. */
static size_t plain_bytes(const char *text)
{
    size_t bytes = 0;
    while (text[bytes] >= ' ' && text[bytes] < 127)
        bytes++;
    return bytes;
}

char *omptape_reader_text(struct omptape_arena *arena, const char *text)
{
    const size_t plain = plain_bytes(text);
    size_t length = plain;
    size_t bytes = 0;
    for (const char *at = text + plain; *at != '\0'; length += bytes)
        (void)omptape_utf8_replace(&at, &bytes);
    char *copy = omptape_arena_alloc(arena, length + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, plain);
    char *to = copy + plain;
    for (const char *at = text + plain; *at != '\0'; to += bytes) {
        const char *one = omptape_utf8_replace(&at, &bytes);
        memcpy(to, one, bytes);
        memset(to, '?', control_bytes((const unsigned char *)one, bytes));
    }
    *to = '\0';
    return copy;
}

const struct omptape_definition *omptape_reader_find(const struct omptape_reader *reader,
                                                     enum omptape_definition_kind kind, uint64_t id)
{
    return omptape_pairs_get(&reader->table, kind, id);
}

const struct omptape_definition *omptape_reader_metric_class(const struct omptape_reader *reader, uint64_t id)
{
    const struct omptape_definition *metric = omptape_reader_find(reader, OMPTAPE_DEF_METRIC, id);
    return metric != NULL && metric->value[0] == 1
               ? omptape_reader_find(reader, OMPTAPE_DEF_METRIC, metric->refs[0].id)
               : metric;
}

const char *omptape_reader_string(const struct omptape_reader *reader, uint64_t id)
{
    const struct omptape_definition *string = omptape_reader_find(reader, OMPTAPE_DEF_STRING, id);
    return string == NULL ? "" : string->text;
}

const char *omptape_reader_name(const struct omptape_reader *reader, enum omptape_definition_kind kind,
                                uint64_t id)
{
    const struct omptape_definition *definition = omptape_reader_find(reader, kind, id);
    if (definition == NULL || definition->ref_count == 0 || definition->refs[0].kind != OMPTAPE_DEF_STRING)
        return "";
    return omptape_reader_string(reader, definition->refs[0].id);
}

bool omptape_reader_device_number(const struct omptape_reader *reader, uint64_t group, int *number)
{
    const char *name = omptape_reader_name(reader, OMPTAPE_DEF_LOCATION_GROUP, group);
    if (sscanf(name, "OpenMP device %d", number) == 1)
        return true;
    if (sscanf(name, "CUDA device %d", number) != 1 || *number < 0 ||
        *number > INT32_MAX - OMPTAPE_FIRST_CUDA_DEVICE)
        return false;
    *number += OMPTAPE_FIRST_CUDA_DEVICE;
    return true;
}

enum omptape_device_work omptape_reader_device_work(const struct omptape_definition *region)
{
    switch (region->value[0]) {
    case OTF2_REGION_ROLE_FUNCTION:
#ifdef OMPTAPE_OTF2_HAS_TARGET
    case OTF2_REGION_ROLE_KERNEL:
#endif
        return OMPTAPE_DEVICE_KERNEL;
    case OTF2_REGION_ROLE_DATA_TRANSFER:
        return OMPTAPE_DEVICE_TRANSFER;
    default:
        return OMPTAPE_DEVICE_OTHER;
    }
}

const char *omptape_definition_kind_name(enum omptape_definition_kind kind)
{
    static const char *const names[OMPTAPE_DEF_KINDS] = {
        [OMPTAPE_DEF_STRING] = "string",
        [OMPTAPE_DEF_ATTRIBUTE] = "attribute",
        [OMPTAPE_DEF_PARADIGM] = "paradigm",
        [OMPTAPE_DEF_IO_PARADIGM] = "I/O paradigm",
        [OMPTAPE_DEF_SYSTEM_TREE_NODE] = "system tree node",
        [OMPTAPE_DEF_LOCATION_GROUP] = "location group",
        [OMPTAPE_DEF_LOCATION] = "location",
        [OMPTAPE_DEF_REGION] = "region",
        [OMPTAPE_DEF_CALLSITE] = "callsite",
        [OMPTAPE_DEF_CALLPATH] = "callpath",
        [OMPTAPE_DEF_GROUP] = "group",
        [OMPTAPE_DEF_METRIC_MEMBER] = "metric member",
        [OMPTAPE_DEF_METRIC] = "metric",
        [OMPTAPE_DEF_COMM] = "comm",
        [OMPTAPE_DEF_PARAMETER] = "parameter",
        [OMPTAPE_DEF_RMA_WIN] = "RMA window",
        [OMPTAPE_DEF_CART_DIMENSION] = "cart dimension",
        [OMPTAPE_DEF_CART_TOPOLOGY] = "cart topology",
        [OMPTAPE_DEF_SOURCE_CODE_LOCATION] = "source code location",
        [OMPTAPE_DEF_CALLING_CONTEXT] = "calling context",
        [OMPTAPE_DEF_INTERRUPT_GENERATOR] = "interrupt generator",
        [OMPTAPE_DEF_IO_FILE] = "I/O file",
        [OMPTAPE_DEF_IO_HANDLE] = "I/O handle",
        [OMPTAPE_DEF_MARKER] = "marker",
        [OMPTAPE_DEF_PROPERTY] = "property",
        [OMPTAPE_DEF_PARADIGM_PROPERTY] = "paradigm property",
        [OMPTAPE_DEF_CLOCK] = "clock properties",
        [OMPTAPE_DEF_DETAIL] = "supplementary definition",
        [OMPTAPE_DEF_UNKNOWN] = "unknown definition",
    };
    return kind < OMPTAPE_DEF_KINDS && names[kind] != NULL ? names[kind] : "definition";
}

bool omptape_reference_undefined(const struct omptape_reference *reference)
{
    switch (reference->kind) {
    case OMPTAPE_DEF_LOCATION:
        return reference->id == OTF2_UNDEFINED_LOCATION;
    case OMPTAPE_DEF_PARADIGM:
    case OMPTAPE_DEF_IO_PARADIGM:
        return reference->id == OTF2_UNDEFINED_UINT8;
    default:
        return reference->id == OTF2_UNDEFINED_UINT32;
    }
}

struct omptape_reference omptape_value_reference(OTF2_Type type, OTF2_AttributeValue value)
{
    static const enum omptape_definition_kind kinds[] = {
        [OTF2_TYPE_STRING] = OMPTAPE_DEF_STRING,
        [OTF2_TYPE_ATTRIBUTE] = OMPTAPE_DEF_ATTRIBUTE,
        [OTF2_TYPE_LOCATION] = OMPTAPE_DEF_LOCATION,
        [OTF2_TYPE_REGION] = OMPTAPE_DEF_REGION,
        [OTF2_TYPE_GROUP] = OMPTAPE_DEF_GROUP,
        [OTF2_TYPE_METRIC] = OMPTAPE_DEF_METRIC,
        [OTF2_TYPE_COMM] = OMPTAPE_DEF_COMM,
        [OTF2_TYPE_PARAMETER] = OMPTAPE_DEF_PARAMETER,
        [OTF2_TYPE_RMA_WIN] = OMPTAPE_DEF_RMA_WIN,
        [OTF2_TYPE_SOURCE_CODE_LOCATION] = OMPTAPE_DEF_SOURCE_CODE_LOCATION,
        [OTF2_TYPE_CALLING_CONTEXT] = OMPTAPE_DEF_CALLING_CONTEXT,
        [OTF2_TYPE_INTERRUPT_GENERATOR] = OMPTAPE_DEF_INTERRUPT_GENERATOR,
        [OTF2_TYPE_IO_FILE] = OMPTAPE_DEF_IO_FILE,
        [OTF2_TYPE_IO_HANDLE] = OMPTAPE_DEF_IO_HANDLE,
        [OTF2_TYPE_LOCATION_GROUP] = OMPTAPE_DEF_LOCATION_GROUP,
    };
    enum omptape_definition_kind kind =
        type < sizeof(kinds) / sizeof(kinds[0]) ? kinds[type] : OMPTAPE_DEF_NONE;
    uint64_t id = kind == OMPTAPE_DEF_LOCATION ? value.locationRef : value.uint32;
    return omptape_may_refer(kind, "value", kind == OMPTAPE_DEF_NONE ? 0 : id);
}

uint64_t omptape_value_bits(OTF2_Type type, OTF2_AttributeValue value)
{
    switch (type) {
    case OTF2_TYPE_NONE:
        return 0;
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        return value.uint8;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        return value.uint16;
    case OTF2_TYPE_UINT64:
    case OTF2_TYPE_INT64:
    case OTF2_TYPE_DOUBLE:
    case OTF2_TYPE_LOCATION:
        return value.uint64;
    default: /* references other than to locations have 32 bits */
        return value.uint32;
    }
}

static struct omptape_number signed_number(int64_t integer)
{
    return (struct omptape_number){.kind = OMPTAPE_NUMBER_SIGNED, .integer = integer};
}

static struct omptape_number real_number(double real)
{
    return (struct omptape_number){.kind = OMPTAPE_NUMBER_REAL, .real = real};
}

struct omptape_number omptape_value_number(OTF2_Type type, OTF2_AttributeValue value)
{
    switch (type) {
    case OTF2_TYPE_INT8:
        return signed_number(value.int8);
    case OTF2_TYPE_INT16:
        return signed_number(value.int16);
    case OTF2_TYPE_INT32:
        return signed_number(value.int32);
    case OTF2_TYPE_INT64:
        return signed_number(value.int64);
    case OTF2_TYPE_FLOAT:
        return real_number((double)value.float32);
    case OTF2_TYPE_DOUBLE:
        return real_number(value.float64);
    default:
        return (struct omptape_number){.whole = omptape_value_bits(type, value)};
    }
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char *omptape_reader_property(struct omptape_reader *reader, const char *name)
{
    char *value = NULL;
    const char *kept = NULL;
    if (reader->otf2 == NULL)
        return omptape_reader_memory_property(reader, name);
    if (OTF2_Reader_GetProperty(reader->otf2, name, &value) == OTF2_SUCCESS && value != NULL)
        kept = omptape_reader_text(&reader->arena, value);
    free(value);
    reader->otf2_error[0] = '\0'; /* an unknown name is not an error */
    return kept;
}

uint32_t omptape_reader_properties(struct omptape_reader *reader, const char *const **names)
{
    uint32_t count = 0;
    char **found = NULL;
    *names = NULL;
    if (OTF2_Reader_GetPropertyNames(reader->otf2, &count, &found) != OTF2_SUCCESS || found == NULL)
        return 0;
    const char **kept = omptape_arena_alloc(&reader->arena, count * sizeof(*kept));
    uint32_t copied = 0;
    for (uint32_t i = 0; kept != NULL && i < count; i++) {
        kept[copied] = omptape_reader_text(&reader->arena, found[i]);
        copied += kept[copied] != NULL;
    }
    free(found);
    if (copied > 0) {
        omptape_sort(kept, copied, sizeof(*kept), compare_names);
        *names = kept;
    }
    return copied;
}

const char *omptape_cut_text(const char *text, char *buffer, size_t bytes)
{
    size_t length = 0;
    while (length + 1 < bytes && text[length] != '\0') {
        buffer[length] = text[length];
        length++;
    }
    /* Do not cut inside a UTF-8 sequence. */
    while (length > 0 && text[length] != '\0' && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    buffer[length] = '\0';
    return buffer;
}
