/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds what the events of each location refer to (reading.h). A process with many threads has a team and
 * names for each of them. Full mapping tables of all locations would grow with the square of the number of
 * threads. If they are larger than the events, the events are read, and each location's tables contain only
 * what its events use.
 */
#include "src/archive/read/reader.h"
#include "src/core/array.h"
#include "src/core/sort.h"
#include "src/unify/reading.h"

#include <stdlib.h>
#include <string.h>

/* FEW_ENTRIES: below this, tables are always full. EMPTY_FILE_BYTES: event file without events.
 * EVENTS_FOR_A_SIGN: events per sign of progress. */
enum { FEW_ENTRIES = 1 << 16, EMPTY_FILE_BYTES = 20, EVENTS_FOR_A_SIGN = 1 << 16 };

struct use {
    uint32_t location; /* row */
    uint64_t what;     /* omptape_unify_use */
};

struct scan {
    struct omptape_unify_model *model;
    const struct omptape_unify_map *rows; /* the part's location -> row */
    struct use *list;
    uint32_t count;
    uint32_t capacity;
    uint64_t events;
    uint32_t location; /* row and reference of the last event's location */
    uint64_t id;
};

static int compare_uses(const void *left, const void *right)
{
    const struct use *one = left;
    const struct use *other = right;
    if (one->location != other->location)
        return one->location < other->location ? -1 : 1;
    return (one->what > other->what) - (one->what < other->what);
}

/* Sorts the list and removes duplicates. */
static void tidy(struct scan *scan)
{
    uint32_t kept = 0;
    if (scan->count == 0)
        return;
    omptape_sort(scan->list, scan->count, sizeof(*scan->list), compare_uses);
    for (uint32_t i = 0; i < scan->count; i++)
        if (kept == 0 || compare_uses(&scan->list[kept - 1], &scan->list[i]) != 0)
            scan->list[kept++] = scan->list[i];
    scan->count = kept;
}

/* Sorts a full list and removes duplicates. Enlarges the list if at least half of it is still used. */
static void reserve_uses(struct scan *scan)
{
    tidy(scan);
    if (scan->count > 0 && scan->count < scan->capacity / 2)
        return;
    (void)OMPTAPE_RESERVE(scan->list, scan->capacity + 1, &scan->capacity);
}

static void use(struct scan *scan, enum omptape_unify_kind kind, uint64_t ref)
{
    const struct use new = {.location = scan->location, .what = omptape_unify_use(kind, ref)};
    if (scan->count > 0 && compare_uses(&scan->list[scan->count - 1], &new) == 0)
        return;
    if (scan->count == scan->capacity)
        reserve_uses(scan);
    if (!omptape_out_of_memory)
        scan->list[scan->count++] = new;
}

/* Returns the model's kind of a reader's definition, or OMPTAPE_UNIFY_MAPPED if it has no mapping table. */
static enum omptape_unify_kind kind_of(enum omptape_definition_kind kind)
{
    static const enum omptape_unify_kind kinds[OMPTAPE_DEF_KINDS] = {
        [OMPTAPE_DEF_STRING] = 1 + OMPTAPE_UNIFY_STRING,
        [OMPTAPE_DEF_ATTRIBUTE] = 1 + OMPTAPE_UNIFY_ATTRIBUTE,
        [OMPTAPE_DEF_REGION] = 1 + OMPTAPE_UNIFY_REGION,
        [OMPTAPE_DEF_GROUP] = 1 + OMPTAPE_UNIFY_GROUP,
        [OMPTAPE_DEF_METRIC] = 1 + OMPTAPE_UNIFY_METRIC,
        [OMPTAPE_DEF_COMM] = 1 + OMPTAPE_UNIFY_COMM,
        [OMPTAPE_DEF_PARAMETER] = 1 + OMPTAPE_UNIFY_PARAMETER,
        [OMPTAPE_DEF_RMA_WIN] = 1 + OMPTAPE_UNIFY_RMA_WIN,
        [OMPTAPE_DEF_CALLING_CONTEXT] = 1 + OMPTAPE_UNIFY_CALLING_CONTEXT,
        [OMPTAPE_DEF_INTERRUPT_GENERATOR] = 1 + OMPTAPE_UNIFY_INTERRUPT_GENERATOR,
        [OMPTAPE_DEF_IO_FILE] = 1 + OMPTAPE_UNIFY_IO_FILE,
        [OMPTAPE_DEF_IO_HANDLE] = 1 + OMPTAPE_UNIFY_IO_HANDLE};
    return kinds[kind] != 0 ? kinds[kind] - 1 : OMPTAPE_UNIFY_MAPPED;
}

static void use_reference(struct scan *scan, const struct omptape_reference *reference)
{
    enum omptape_unify_kind kind = kind_of(reference->kind);
    if (kind != OMPTAPE_UNIFY_MAPPED && reference->id <= UINT32_MAX)
        use(scan, kind, reference->id);
}

static void use_attributes(struct scan *scan, const OTF2_AttributeList *attributes)
{
    uint32_t count = OTF2_AttributeList_GetNumberOfElements(attributes);
    for (uint32_t i = 0; i < count; i++) {
        OTF2_AttributeRef attribute;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &attribute, &type, &value) != OTF2_SUCCESS)
            continue;
        const struct omptape_reference referred = omptape_value_reference(type, value);
        use(scan, OMPTAPE_UNIFY_ATTRIBUTE, attribute);
        use_reference(scan, &referred);
    }
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct scan *scan = data;
    if (++scan->events % EVENTS_FOR_A_SIGN == 0 && scan->model->beats != NULL)
        ++*scan->model->beats;
    if (event->location != scan->id) {
        uint64_t row = omptape_unify_map_get(scan->rows, event->location);
        if (row == UINT64_MAX)
            return true;
        scan->location = (uint32_t)row;
        scan->id = event->location;
    }
    for (unsigned i = 0; i < event->ref_count; i++)
        use_reference(scan, &event->refs[i]);
    for (uint32_t i = 0; i < event->count && event->strings != NULL; i++)
        use(scan, OMPTAPE_UNIFY_STRING, event->strings[i]);
    use_attributes(scan, event->attributes);
    return !omptape_out_of_memory;
}

/* Stores the sorted references in the locations; references of one location are adjacent. */
static void keep_uses(struct omptape_unify_reading *reading, const struct scan *scan, uint32_t first,
                      uint32_t end)
{
    struct omptape_unify_model *model = reading->model;
    uint64_t *words = omptape_arena_alloc(&model->arena, ((size_t)scan->count + 1) * sizeof(*words));
    if (words == NULL)
        return;
    /* A location's profile sums are read through its tables, too. */
    for (uint32_t i = first; i < end; i++)
        model->locations[i].is_scanned =
            !omptape_unify_has_location_file(reading, model->locations[i].old, ".sums");
    for (uint32_t i = 0; i < scan->count; i++) {
        struct omptape_unify_location *location = &model->locations[scan->list[i].location];
        words[i] = scan->list[i].what;
        if (location->used_count++ == 0)
            location->used = &words[i];
    }
}

static void open_events(struct omptape_unify_reading *reading, OTF2_Reader *reader, uint32_t first,
                        uint32_t end, uint32_t *opened)
{
    struct omptape_unify_model *model = reading->model;
    OTF2_Reader_OpenEvtFiles(reader);
    for (uint32_t i = end; i-- > first && !omptape_unify_failed(model);) {
        const struct omptape_unify_location *location = &model->locations[i];
        if (!location->has_events || location->event_bytes == EMPTY_FILE_BYTES)
            continue;
        if (OTF2_Reader_GetEvtReader(reader, location->old) == NULL)
            omptape_unify_fail(model, "its events cannot be read");
        ++*opened;
    }
}

void omptape_unify_find_used(struct omptape_unify_reading *reading, OTF2_Reader *reader, uint32_t first,
                             uint32_t end)
{
    struct omptape_unify_model *model = reading->model;
    struct scan scan = {
        .model = model, .rows = &reading->part->maps[OMPTAPE_UNIFY_LOCATION], .id = UINT64_MAX};
    uint32_t opened = 0;
    open_events(reading, reader, first, end, &opened);
    if (!omptape_unify_failed(model) && opened > 0 && !omptape_reader_pass_events(reader, on_event, &scan) &&
        !omptape_out_of_memory)
        omptape_unify_fail(model, "its events cannot be read");
    tidy(&scan);
    if (!omptape_unify_failed(model))
        keep_uses(reading, &scan, first, end);
    free(scan.list);
}

/* Returns the number of entries in the full tables of one location. */
static uint64_t count_entries(const struct omptape_unify_part *part)
{
    uint64_t entries = 0;
    for (unsigned kind = 0; kind < OMPTAPE_UNIFY_MAPPED; kind++) {
        const struct omptape_unify_map *map = &part->maps[kind];
        uint32_t same = 0;
        while (same < map->count && map->to[same] == same)
            same++;
        entries += same < map->count && kind != OMPTAPE_UNIFY_LOCATION ? map->count : 0;
    }
    return entries;
}

bool omptape_unify_needs_used(const struct omptape_unify_reading *reading)
{
    const struct omptape_unify_model *model = reading->model;
    uint64_t locations = model->location_count - reading->first_location;
    uint64_t entries = count_entries(reading->part) * locations;
    uint64_t bytes = 0;
    for (uint32_t i = reading->first_location; i < model->location_count; i++)
        bytes += model->locations[i].event_bytes;
    return entries > FEW_ENTRIES && entries > bytes;
}
