/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Interns texts, and caches the part of an event that all begins of a region share (names.h).
 */
#include "src/command/export/names.h"

#include "src/command/export/formats.h"

#include <stdlib.h>

enum kind { CATEGORY, EVENT, ANNOTATION, TEXT, FUNCTION, SOURCE };

/* Fields of InternedData by kind, and its field of a region's source location. */
static const unsigned fields[] = {
    [CATEGORY] = 1, [EVENT] = 2, [ANNOTATION] = 3, [TEXT] = 29, [FUNCTION] = 5, [SOURCE] = 18};
enum { SOURCE_LOCATION = 4 };

/* Fields of DebugAnnotation. */
enum {
    ANNOTATION_NAME = 1,
    ANNOTATION_UNSIGNED = 3,
    ANNOTATION_SIGNED = 4,
    ANNOTATION_REAL = 5,
    ANNOTATION_TEXT = 17
};

void names_begin(struct omptape_names *names, struct omptape_reader *reader, struct packets *packets)
{
    *names = (struct omptape_names){.reader = reader, .packets = packets};
}

/* Returns the number of a text and writes the text first if it is new. */
static uint64_t number_of(struct omptape_names *names, enum kind kind, const char *text)
{
    struct omptape_rows *rows = &names->rows[kind];
    uint32_t known = rows->count;
    uint32_t row = omptape_rows_text(rows, text);
    if (rows->count == known)
        return row + 1U;
    packets_add_text(names->packets, fields[kind], row + 1U, text);
    packets_texts(names->packets);
    return row + 1U;
}

uint64_t names_function(struct omptape_names *names, const char *function)
{
    return number_of(names, FUNCTION, function);
}

uint64_t names_source(struct omptape_names *names, const char *path)
{
    return number_of(names, SOURCE, path);
}

/* Begins an annotation of the event in `row`; protobuf_end ends it behind its value. */
static uint32_t begin_annotation(struct omptape_names *names, struct export_bytes *row, const char *name)
{
    const uint64_t number = number_of(names, ANNOTATION, name);
    const uint32_t begin = protobuf_begin(row, EVENT_FIELD_ANNOTATION);
    protobuf_number(row, ANNOTATION_NAME, number);
    return begin;
}

void names_annotate_text(struct omptape_names *names, struct export_bytes *row, const char *name,
                         const char *text)
{
    const uint64_t number = number_of(names, TEXT, text);
    const uint32_t begin = begin_annotation(names, row, name);
    protobuf_number(row, ANNOTATION_TEXT, number);
    protobuf_end(row, begin);
}

static void annotate_number(struct omptape_names *names, struct export_bytes *row, const char *name,
                            struct omptape_number number)
{
    const uint32_t begin = begin_annotation(names, row, name);
    if (number.kind == OMPTAPE_NUMBER_UNSIGNED)
        protobuf_number(row, ANNOTATION_UNSIGNED, number.whole);
    else if (number.kind == OMPTAPE_NUMBER_SIGNED)
        protobuf_number(row, ANNOTATION_SIGNED, (uint64_t)number.integer);
    else
        protobuf_fixed(row, ANNOTATION_REAL, &number.real);
    protobuf_end(row, begin);
}

void names_annotate(struct omptape_names *names, struct export_bytes *row, const char *name, OTF2_Type type,
                    OTF2_AttributeValue value)
{
    const struct omptape_reader *reader = names->reader;
    if (type == OTF2_TYPE_STRING)
        names_annotate_text(names, row, name, omptape_reader_string(reader, value.stringRef));
    else if (type == OTF2_TYPE_REGION)
        names_annotate_text(names, row, name,
                            omptape_reader_name(reader, OMPTAPE_DEF_REGION, value.regionRef));
    else if (type == OTF2_TYPE_LOCATION)
        names_annotate_text(names, row, name,
                            omptape_reader_name(reader, OMPTAPE_DEF_LOCATION, value.locationRef));
    else
        annotate_number(names, row, name, omptape_value_number(type, value));
}

void names_annotate_all(struct omptape_names *names, struct export_bytes *row,
                        const OTF2_AttributeList *attributes)
{
    uint32_t count = OTF2_AttributeList_GetNumberOfElements(attributes);
    for (uint32_t i = 0; i < count; i++) {
        OTF2_AttributeRef attribute = OTF2_UNDEFINED_ATTRIBUTE;
        OTF2_Type type = OTF2_TYPE_NONE;
        OTF2_AttributeValue value = {.uint64 = 0};
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &attribute, &type, &value) == OTF2_SUCCESS)
            names_annotate(names, row, omptape_reader_name(names->reader, OMPTAPE_DEF_ATTRIBUTE, attribute),
                           type, value);
    }
}

/* Returns a region's category, by which users filter in Perfetto. */
static const char *category_of(OTF2_RegionRole role)
{
    static const char *const names[] = {
        [OTF2_REGION_ROLE_FUNCTION] = "function",
        [OTF2_REGION_ROLE_WRAPPER] = "routine",
        [OTF2_REGION_ROLE_LOOP] = "loop",
        [OTF2_REGION_ROLE_CODE] = "code",
        [OTF2_REGION_ROLE_PARALLEL] = "parallel",
        [OTF2_REGION_ROLE_SECTIONS] = "sections",
        [OTF2_REGION_ROLE_SECTION] = "sections",
        [OTF2_REGION_ROLE_WORKSHARE] = "workshare",
        [OTF2_REGION_ROLE_SINGLE] = "single",
        [OTF2_REGION_ROLE_SINGLE_SBLOCK] = "single",
        [OTF2_REGION_ROLE_MASTER] = "masked",
        [OTF2_REGION_ROLE_CRITICAL] = "lock",
        [OTF2_REGION_ROLE_CRITICAL_SBLOCK] = "lock",
        [OTF2_REGION_ROLE_ATOMIC] = "lock",
        [OTF2_REGION_ROLE_BARRIER] = "barrier",
        [OTF2_REGION_ROLE_IMPLICIT_BARRIER] = "barrier",
        [OTF2_REGION_ROLE_FLUSH] = "flush",
        [OTF2_REGION_ROLE_ORDERED] = "lock",
        [OTF2_REGION_ROLE_ORDERED_SBLOCK] = "lock",
        [OTF2_REGION_ROLE_TASK] = "task",
        [OTF2_REGION_ROLE_TASK_CREATE] = "task",
        [OTF2_REGION_ROLE_TASK_WAIT] = "task wait",
        [OTF2_REGION_ROLE_THREAD_WAIT] = "wait",
        [OTF2_REGION_ROLE_TASK_UNTIED] = "task",
        [OTF2_REGION_ROLE_DATA_TRANSFER] = "transfer",
        [OTF2_REGION_ROLE_ALLOCATE] = "memory",
        [OTF2_REGION_ROLE_DEALLOCATE] = "memory",
    };
    return role < sizeof(names) / sizeof(names[0]) && names[role] != NULL ? names[role] : "region";
}

/* Writes the region's source location as interned data with the number `iid`. */
static void write_source(struct omptape_names *names, const struct omptape_definition *region, uint64_t iid)
{
    enum { NUMBER = 1, FILE_NAME = 2, FUNCTION_NAME = 3, LINE = 4 };
    struct export_bytes *texts = &names->packets->body;
    const uint32_t source = protobuf_begin(texts, SOURCE_LOCATION);
    protobuf_number(texts, NUMBER, iid);
    protobuf_text(texts, FILE_NAME, omptape_reader_string(names->reader, region->refs[3].id));
    protobuf_text(texts, FUNCTION_NAME, omptape_reader_string(names->reader, region->refs[2].id));
    if (region->value[2] != 0)
        protobuf_number(texts, LINE, (uint32_t)region->value[2]);
    protobuf_end(texts, source);
    packets_texts(names->packets);
}

static void put_source(struct omptape_names *names, const struct omptape_definition *region,
                       struct export_bytes *row)
{
    const char *file = omptape_reader_string(names->reader, region->refs[3].id);
    if (file[0] == '\0')
        return;
    write_source(names, region, names->regions.count);
    protobuf_number(row, EVENT_FIELD_SOURCE, names->regions.count);
    names_annotate_text(names, row, "file", file);
    if (region->value[2] != 0)
        names_annotate(names, row, "line", OTF2_TYPE_UINT64,
                       (OTF2_AttributeValue){.uint64 = region->value[2]});
}

static void put_name(struct omptape_names *names, struct export_bytes *row, unsigned type, const char *name,
                     const char *category)
{
    protobuf_number(row, EVENT_FIELD_CATEGORY, number_of(names, CATEGORY, category));
    protobuf_number(row, EVENT_FIELD_TYPE, type);
    protobuf_number(row, EVENT_FIELD_NAME, number_of(names, EVENT, name));
}

void names_put(struct omptape_names *names, unsigned type, const char *name, const char *category)
{
    put_name(names, &names->packets->event, type, name, category);
}

struct region_name *names_region(struct omptape_names *names, uint64_t id)
{
    struct region_name *name = omptape_pairs_get(&names->regions, 0, id);
    if (name != NULL)
        return name;
    name = omptape_pairs_obtain(&names->regions, &names->arena, 0, id, sizeof(*name));
    if (name == NULL)
        return NULL;
    const struct omptape_definition *region = omptape_reader_find(names->reader, OMPTAPE_DEF_REGION, id);
    name->role = region != NULL ? (OTF2_RegionRole)region->value[0] : OTF2_REGION_ROLE_UNKNOWN;
    bool mpi = region != NULL && region->value[1] == OTF2_PARADIGM_MPI;
    put_name(names, &name->begin, SLICE_BEGIN,
             region != NULL ? omptape_reader_name(names->reader, OMPTAPE_DEF_REGION, id) : "undefined region",
             mpi ? "MPI" : category_of(name->role));
    if (region != NULL)
        put_source(names, region, &name->begin);
    return name;
}

void names_free(struct omptape_names *names)
{
    for (uint32_t i = 0; i < names->regions.count; i++)
        free(((struct region_name *)names->regions.list[i].value)->begin.data);
    for (size_t i = 0; i < sizeof(names->rows) / sizeof(names->rows[0]); i++)
        omptape_rows_free(&names->rows[i]);
    omptape_pairs_free(&names->regions);
    omptape_arena_free(&names->arena);
}
