/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Interns texts, and caches the part of an event that all begins of a region share (names.h).
 */
#include "src/command/export/names.h"

#include "src/command/export/formats.h"

#include <stdlib.h>

enum kind { CATEGORY, EVENT, ANNOTATION, TEXT, FUNCTION, SOURCE };

void omptape_names_begin(struct omptape_names *names, struct omptape_reader *reader,
                         struct omptape_packets *packets)
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
    Pf__InternedData data = PF__INTERNED_DATA__INIT;
    Pf__InternedText entry = PF__INTERNED_TEXT__INIT;
    Pf__InternedText *list = &entry;
    entry.iid = row + 1U;
    entry.name = (char *)text;
    size_t *const counts[] = {
        [CATEGORY] = &data.n_event_categories,         [EVENT] = &data.n_event_names,
        [ANNOTATION] = &data.n_debug_annotation_names, [TEXT] = &data.n_debug_annotation_string_values,
        [FUNCTION] = &data.n_function_names,           [SOURCE] = &data.n_source_paths};
    Pf__InternedText ***const lists[] = {
        [CATEGORY] = &data.event_categories,         [EVENT] = &data.event_names,
        [ANNOTATION] = &data.debug_annotation_names, [TEXT] = &data.debug_annotation_string_values,
        [FUNCTION] = &data.function_names,           [SOURCE] = &data.source_paths};
    *counts[kind] = 1;
    *lists[kind] = &list;
    omptape_packets_texts(names->packets, &data);
    return row + 1U;
}

uint64_t omptape_names_function(struct omptape_names *names, const char *function)
{
    return number_of(names, FUNCTION, function);
}

uint64_t omptape_names_source(struct omptape_names *names, const char *path)
{
    return number_of(names, SOURCE, path);
}

static void annotate(struct omptape_names *names, struct omptape_export_bytes *row, const char *name,
                     Pf__DebugAnnotation *annotation)
{
    Pf__TrackEvent part = PF__TRACK_EVENT__INIT;
    annotation->name_iid = number_of(names, ANNOTATION, name);
    part.n_debug_annotations = 1;
    part.debug_annotations = &annotation;
    omptape_packets_pack(row, &part);
}

void omptape_names_annotate_text(struct omptape_names *names, struct omptape_export_bytes *row,
                                 const char *name, const char *text)
{
    Pf__DebugAnnotation annotation = PF__DEBUG_ANNOTATION__INIT;
    annotation.has_string_value_iid = 1;
    annotation.string_value_iid = number_of(names, TEXT, text);
    annotate(names, row, name, &annotation);
}

static void take_number(Pf__DebugAnnotation *annotation, struct omptape_number number)
{
    annotation->has_uint_value = number.kind == OMPTAPE_NUMBER_UNSIGNED;
    annotation->has_int_value = number.kind == OMPTAPE_NUMBER_SIGNED;
    annotation->has_double_value = number.kind == OMPTAPE_NUMBER_REAL;
    if (number.kind == OMPTAPE_NUMBER_UNSIGNED)
        annotation->uint_value = number.whole;
    else if (number.kind == OMPTAPE_NUMBER_SIGNED)
        annotation->int_value = number.integer;
    else
        annotation->double_value = number.real;
}

void omptape_names_annotate(struct omptape_names *names, struct omptape_export_bytes *row, const char *name,
                            OTF2_Type type, OTF2_AttributeValue value)
{
    Pf__DebugAnnotation annotation = PF__DEBUG_ANNOTATION__INIT;
    switch (type) {
    case OTF2_TYPE_STRING:
        omptape_names_annotate_text(names, row, name, omptape_reader_string(names->reader, value.stringRef));
        return;
    case OTF2_TYPE_REGION:
        omptape_names_annotate_text(names, row, name,
                                    omptape_reader_name(names->reader, OMPTAPE_DEF_REGION, value.regionRef));
        return;
    case OTF2_TYPE_LOCATION:
        omptape_names_annotate_text(
            names, row, name, omptape_reader_name(names->reader, OMPTAPE_DEF_LOCATION, value.locationRef));
        return;
    default:
        take_number(&annotation, omptape_value_number(type, value));
        break;
    }
    annotate(names, row, name, &annotation);
}

void omptape_names_annotate_all(struct omptape_names *names, struct omptape_export_bytes *row,
                                const OTF2_AttributeList *attributes)
{
    uint32_t count = OTF2_AttributeList_GetNumberOfElements(attributes);
    for (uint32_t i = 0; i < count; i++) {
        OTF2_AttributeRef attribute = OTF2_UNDEFINED_ATTRIBUTE;
        OTF2_Type type = OTF2_TYPE_NONE;
        OTF2_AttributeValue value = {.uint64 = 0};
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &attribute, &type, &value) == OTF2_SUCCESS)
            omptape_names_annotate(names, row,
                                   omptape_reader_name(names->reader, OMPTAPE_DEF_ATTRIBUTE, attribute), type,
                                   value);
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
    Pf__InternedData data = PF__INTERNED_DATA__INIT;
    Pf__SourceLocation source = PF__SOURCE_LOCATION__INIT;
    Pf__SourceLocation *list = &source;
    source.iid = iid;
    source.file_name = (char *)omptape_reader_string(names->reader, region->refs[3].id);
    source.function_name = (char *)omptape_reader_string(names->reader, region->refs[2].id);
    source.has_line_number = region->value[2] != 0;
    source.line_number = (uint32_t)region->value[2];
    data.n_source_locations = 1;
    data.source_locations = &list;
    omptape_packets_texts(names->packets, &data);
}

static void put_source(struct omptape_names *names, const struct omptape_definition *region,
                       struct omptape_export_bytes *row)
{
    const char *file = omptape_reader_string(names->reader, region->refs[3].id);
    Pf__TrackEvent part = PF__TRACK_EVENT__INIT;
    if (file[0] == '\0')
        return;
    part.has_source_location_iid = 1;
    part.source_location_iid = names->regions.count;
    write_source(names, region, part.source_location_iid);
    omptape_packets_pack(row, &part);
    omptape_names_annotate_text(names, row, "file", file);
    if (region->value[2] != 0)
        omptape_names_annotate(names, row, "line", OTF2_TYPE_UINT64,
                               (OTF2_AttributeValue){.uint64 = region->value[2]});
}

static void put_name(struct omptape_names *names, struct omptape_export_bytes *row, unsigned type,
                     const char *name, const char *category)
{
    Pf__TrackEvent part = PF__TRACK_EVENT__INIT;
    uint64_t category_iid = number_of(names, CATEGORY, category);
    part.n_category_iids = 1;
    part.category_iids = &category_iid;
    part.has_type = part.has_name_iid = 1;
    part.type = type;
    part.name_iid = number_of(names, EVENT, name);
    omptape_packets_pack(row, &part);
}

void omptape_names_put(struct omptape_names *names, unsigned type, const char *name, const char *category)
{
    put_name(names, &names->packets->event, type, name, category);
}

struct omptape_region_name *omptape_names_region(struct omptape_names *names, uint64_t id)
{
    struct omptape_region_name *name = omptape_pairs_get(&names->regions, 0, id);
    if (name != NULL)
        return name;
    name = omptape_pairs_obtain(&names->regions, &names->arena, 0, id, sizeof(*name));
    if (name == NULL)
        return NULL;
    const struct omptape_definition *region = omptape_reader_find(names->reader, OMPTAPE_DEF_REGION, id);
    name->id = id;
    name->role = region != NULL ? (OTF2_RegionRole)region->value[0] : OTF2_REGION_ROLE_UNKNOWN;
    bool mpi = region != NULL && region->value[1] == OTF2_PARADIGM_MPI;
    put_name(names, &name->begin, OMPTAPE_SLICE_BEGIN,
             region != NULL ? omptape_reader_name(names->reader, OMPTAPE_DEF_REGION, id) : "undefined region",
             mpi ? "MPI" : category_of(name->role));
    if (region != NULL)
        put_source(names, region, &name->begin);
    return name;
}

void omptape_names_free(struct omptape_names *names)
{
    for (uint32_t i = 0; i < names->regions.count; i++)
        free(((struct omptape_region_name *)names->regions.list[i].value)->begin.data);
    for (size_t i = 0; i < sizeof(names->rows) / sizeof(names->rows[0]); i++)
        omptape_rows_free(&names->rows[i]);
    omptape_pairs_free(&names->regions);
    omptape_arena_free(&names->arena);
}
