/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads what a part defines per location (mapping tables and clock corrections), and its markers (reading.h).
 */
#include "src/core/array.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/unify/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of calling contexts that the writer creates. Several may be merged into one. */
enum { MAX_CONTEXTS = 1 << 20 };

struct local_reading {
    struct omptape_unify_model *model;
    struct omptape_unify_location *location;
    struct omptape_unify_process *process; /* receives the corrections; NULL: it already has them */
    uint64_t *table;
    uint64_t table_count;
    uint64_t greatest;
};

static void count_pair(uint64_t from, uint64_t to, void *data)
{
    struct local_reading *reading = data;
    (void)to;
    reading->table_count++;
    reading->greatest = from > reading->greatest ? from : reading->greatest;
}

static void put_pair(uint64_t from, uint64_t to, void *data)
{
    struct local_reading *reading = data;
    reading->table[reading->table_count++] = from;
    reading->table[reading->table_count++] = to;
}

static void put_entry(uint64_t from, uint64_t to, void *data)
{
    struct local_reading *reading = data;
    if (from < reading->table_count - 1)
        reading->table[from + 1] = to;
}

/* True if a mapping table is damaged. Its file bounds a dense one; a sparse one may contain any number. */
static bool is_damaged(const struct local_reading *reading, enum omptape_unify_kind kind, bool pairs)
{
    uint64_t references = reading->model->parts[reading->location->part].references;
    if (kind == OMPTAPE_UNIFY_CALLING_CONTEXT && references < MAX_CONTEXTS)
        references = MAX_CONTEXTS;
    return reading->table_count > 0 && pairs && reading->greatest >= references;
}

static OTF2_CallbackCode refuse_table(const struct local_reading *reading)
{
    omptape_unify_fail(reading->model, "a mapping table of location %llu is damaged",
                       (unsigned long long)reading->location->old);
    return OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode on_table(void *data, OTF2_MappingType type, const OTF2_IdMap *map)
{
    struct local_reading *reading = data;
    const bool of_locations = type == OTF2_MAPPING_LOCATION;
    const enum omptape_unify_kind kind = omptape_unify_mapped(type);
    OTF2_IdMapMode mode = OTF2_ID_MAP_SPARSE;
    if (kind == OMPTAPE_UNIFY_MAPPED || OTF2_IdMap_GetMode(map, &mode) != OTF2_SUCCESS)
        return refuse_table(reading);
    /* Location numbers are too large for a dense table. */
    const bool pairs = of_locations || mode == OTF2_ID_MAP_SPARSE;
    reading->table_count = reading->greatest = 0;
    OTF2_IdMap_Traverse(map, count_pair, reading);
    if (!of_locations && is_damaged(reading, kind, pairs))
        return refuse_table(reading);
    const uint64_t entries = reading->table_count;
    reading->table = omptape_calloc((pairs ? 2 : 1) * entries + 1, sizeof(*reading->table));
    if (reading->table == NULL)
        return OTF2_CALLBACK_INTERRUPT;
    reading->table[0] = pairs;
    reading->table_count = pairs ? 1 : entries + 1;
    OTF2_IdMap_Traverse(map, pairs ? put_pair : put_entry, reading);
    reading->location->local[kind] =
        1 + omptape_rows_number(&reading->model->kinds[OMPTAPE_UNIFY_TABLE], reading->table,
                                reading->table_count * sizeof(*reading->table));
    free(reading->table);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_offset(void *data, OTF2_TimeStamp time, int64_t offset, double deviation)
{
    struct local_reading *reading = data;
    if (reading->process == NULL)
        return OTF2_CALLBACK_SUCCESS;
    struct omptape_unify_corrections *corrections = &reading->process->before;
    if (!OMPTAPE_APPEND(
            corrections->list, corrections->count, corrections->capacity,
            (struct omptape_unify_correction){.ticks = time, .offset = offset, .deviation = deviation}))
        return OTF2_CALLBACK_INTERRUPT;
    return OTF2_CALLBACK_SUCCESS;
}

bool omptape_unify_has_location_file(const struct omptape_unify_reading *reading, uint64_t location,
                                     const char *ending)
{
    char path[64];
    snprintf(path, sizeof(path), OMPTAPE_ARCHIVE_EVENTS "/%llu%s", (unsigned long long)location, ending);
    return omptape_beneath_is_there(reading->folder, path);
}

static void read_location(struct local_reading *reading, OTF2_Reader *reader,
                          OTF2_DefReaderCallbacks *callbacks)
{
    uint64_t count = 0;
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, reading->location->old);
    if (definitions == NULL ||
        OTF2_Reader_RegisterDefCallbacks(reader, definitions, callbacks, reading) != OTF2_SUCCESS ||
        OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count) != OTF2_SUCCESS)
        omptape_unify_fail(reading->model, "its file " OMPTAPE_ARCHIVE_EVENTS "/%llu.def cannot be read",
                           (unsigned long long)reading->location->old);
    if (definitions != NULL)
        OTF2_Reader_CloseDefReader(reader, definitions);
}

/* Returns the process whose corrections are read from this location, or NULL. All locations of a process have
 * the same ones, so only the first is read. */
static struct omptape_unify_process *wants_corrections(struct omptape_unify_model *model, uint32_t location)
{
    uint32_t number = model->locations[location].process;
    if (number >= model->process_count || model->processes[number].first_location != location)
        return NULL;
    return &model->processes[number];
}

void omptape_unify_read_local(struct omptape_unify_reading *reading, OTF2_Reader *reader, uint32_t first,
                              uint32_t end)
{
    struct omptape_unify_model *model = reading->model;
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    if (callbacks == NULL) {
        omptape_unify_fail(model, "out of memory");
        return;
    }
    OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_table);
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_offset);
    OTF2_Reader_OpenDefFiles(reader);
    for (uint32_t i = first; i < end && !omptape_unify_failed(model); i++) {
        struct local_reading local = {
            .model = model, .location = &model->locations[i], .process = wants_corrections(model, i)};
        if (omptape_unify_has_location_file(reading, local.location->old, ".def"))
            read_location(&local, reader, callbacks);
    }
    OTF2_Reader_CloseDefFiles(reader);
    OTF2_DefReaderCallbacks_Delete(callbacks);
    /* libotf2 maps the events' references by the part's own tables, which were just read. */
    if (!omptape_unify_failed(model) && omptape_unify_needs_used(reading))
        omptape_unify_find_used(reading, reader, first, end);
}

/* State for the markers of one part. */
struct marker_reading {
    struct omptape_unify_reading *reading;
    struct omptape_unify_map definitions;
};

static OTF2_CallbackCode on_marker_definition(void *data, OTF2_MarkerRef self, const char *group,
                                              const char *category, OTF2_MarkerSeverity severity)
{
    struct marker_reading *markers = data;
    struct omptape_unify_model *model = markers->reading->model;
    const uint64_t words[] = {severity, omptape_rows_text(&model->kinds[OMPTAPE_UNIFY_MARKER_TEXT], group),
                              omptape_rows_text(&model->kinds[OMPTAPE_UNIFY_MARKER_TEXT], category)};
    uint32_t row = omptape_rows_number(&model->kinds[OMPTAPE_UNIFY_MARKER_DEFINITION], words, sizeof(words));
    if (omptape_unify_map_set(markers->reading->part, &markers->definitions, self, row) != 0)
        omptape_unify_fail(model, "its markers are damaged");
    return omptape_unify_failed(model) ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

/* Returns the process whose clock a marker's time refers to: the part's first if it belongs to none. */
static uint32_t clock_process(const struct omptape_unify_reading *reading, OTF2_MarkerScope scope,
                              uint64_t ref)
{
    const struct omptape_unify_model *model = reading->model;
    uint32_t process = UINT32_MAX;
    if (scope == OTF2_MARKER_SCOPE_LOCATION && ref < model->location_count)
        return model->locations[ref].process;
    if (scope == OTF2_MARKER_SCOPE_LOCATION_GROUP)
        process = omptape_unify_process_of(reading, ref);
    return process != UINT32_MAX ? process : reading->first_process;
}

static uint64_t scope_of(const struct omptape_unify_part *part, OTF2_MarkerScope scope, uint64_t ref)
{
    static const struct {
        OTF2_MarkerScope scope;
        enum omptape_unify_kind kind;
    } kinds[] = {{OTF2_MARKER_SCOPE_LOCATION, OMPTAPE_UNIFY_LOCATION},
                 {OTF2_MARKER_SCOPE_LOCATION_GROUP, OMPTAPE_UNIFY_LOCATION_GROUP},
                 {OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE, OMPTAPE_UNIFY_TREE_NODE},
                 {OTF2_MARKER_SCOPE_GROUP, OMPTAPE_UNIFY_GROUP},
                 {OTF2_MARKER_SCOPE_COMM, OMPTAPE_UNIFY_COMM}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].scope == scope)
            return omptape_unify_map_get(&part->maps[kinds[i].kind], ref);
    return ref;
}

static OTF2_CallbackCode on_marker(void *data, OTF2_TimeStamp time, OTF2_TimeStamp duration,
                                   OTF2_MarkerRef marker, OTF2_MarkerScope scope, uint64_t ref,
                                   const char *text)
{
    struct marker_reading *markers = data;
    struct omptape_unify_model *model = markers->reading->model;
    uint64_t definition = omptape_unify_map_get(&markers->definitions, marker);
    uint64_t own_ref = scope_of(markers->reading->part, scope, ref);
    if (definition == UINT64_MAX || (own_ref == UINT64_MAX && scope != OTF2_MARKER_SCOPE_GLOBAL)) {
        omptape_unify_fail(model, "its markers refer to something that it does not define");
        return OTF2_CALLBACK_INTERRUPT;
    }
    if (!OMPTAPE_APPEND(model->markers, model->marker_count, model->marker_capacity,
                        (struct omptape_unify_marker){
                            .time = time,
                            .duration = duration,
                            .definition = (uint32_t)definition,
                            .process = clock_process(markers->reading, scope, own_ref),
                            .scope = scope,
                            .scope_ref = own_ref,
                            .text = omptape_rows_text(&model->kinds[OMPTAPE_UNIFY_MARKER_TEXT], text)}))
        return OTF2_CALLBACK_INTERRUPT;
    return omptape_unify_failed(model) ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

void omptape_unify_read_markers(struct omptape_unify_reading *reading, OTF2_Reader *reader, int folder)
{
    uint64_t count = 0;
    struct marker_reading markers = {.reading = reading};
    if (!omptape_beneath_is_there(folder, OMPTAPE_ARCHIVE_MARKERS))
        return;
    OTF2_MarkerReader *events = OTF2_Reader_GetMarkerReader(reader);
    OTF2_MarkerReaderCallbacks *callbacks = OTF2_MarkerReaderCallbacks_New();
    if (events == NULL || callbacks == NULL) {
        omptape_unify_fail(reading->model, "its markers cannot be read");
    } else {
        OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(callbacks, on_marker_definition);
        OTF2_MarkerReaderCallbacks_SetMarkerCallback(callbacks, on_marker);
        if (OTF2_Reader_RegisterMarkerCallbacks(reader, events, callbacks, &markers) != OTF2_SUCCESS ||
            OTF2_Reader_ReadAllMarkers(reader, events, &count) != OTF2_SUCCESS)
            omptape_unify_fail(reading->model, "its markers cannot be read");
    }
    OTF2_MarkerReaderCallbacks_Delete(callbacks);
    free(markers.definitions.to);
}
