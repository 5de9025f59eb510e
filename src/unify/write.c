/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the unified archive except its events (reading.h): anchor, local definitions and markers.
 */
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/unify/reading.h"

#include "src/archive/otf2_files.h"
#include "src/archive/otf2_library.h"
#include "src/core/message.h"
#include "src/folder/archive_files.h"

#include <stdlib.h>
#include <string.h>

static void check_written(struct omptape_unify_model *model, OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS)
        omptape_unify_fail(model, "%s", OTF2_Error_GetDescription(code));
}

static const struct omptape_unify_corrections *corrections_of(const struct omptape_unify_model *model,
                                                              uint32_t process)
{
    return model->corrected != NULL
               ? &model->corrected[process]
               : &model->conversion.domains[model->processes[process].clock.domain].corrections;
}

static const char *marker_text(const struct omptape_unify_model *model, uint64_t row)
{
    return omptape_rows_text_at(&model->kinds[OMPTAPE_UNIFY_MARKER_TEXT], row);
}

/* A location's own mapping table of one kind. */
struct own_table {
    const uint64_t *words; /* NULL: it has none */
    uint32_t count;
    bool pairs; /* true: pairs of source and target; false: targets of 0, 1... */
};

static struct own_table own_table_of(const struct omptape_unify_model *model,
                                     const struct omptape_unify_location *location, unsigned kind)
{
    const uint32_t row = location->local[kind];
    if (row == 0)
        return (struct own_table){.words = NULL};
    const uint64_t *words = omptape_unify_words(model, OMPTAPE_UNIFY_TABLE, row - 1);
    return (struct own_table){.words = words + 1,
                              .count = omptape_unify_word_count(model, OMPTAPE_UNIFY_TABLE, row - 1) - 1,
                              .pairs = words[0] != 0};
}

/* Lists the part's references for the events' references 0, 1, 2... The caller frees the list. */
static uint64_t *list_references(const struct own_table *own, const struct omptape_unify_map *map,
                                 uint32_t *count)
{
    *count = own->words != NULL && !own->pairs ? own->count : map->count;
    for (uint32_t i = 0; i + 1 < own->count && own->pairs; i += 2)
        *count = own->words[i] >= *count ? (uint32_t)own->words[i] + 1 : *count;
    uint64_t *list = omptape_calloc((size_t)*count + 1, sizeof(*list));
    for (uint32_t i = 0; list != NULL && i < *count; i++)
        list[i] = own->words != NULL && !own->pairs ? own->words[i] : i;
    for (uint32_t i = 0; list != NULL && i + 1 < own->count && own->pairs; i += 2)
        list[own->words[i]] = own->words[i + 1];
    return list;
}

/* Returns the map from the events' references to the unified archive's, combined with the part's own table.
 * Returns NULL if it would change nothing. */
static OTF2_IdMap *make_full_map(struct omptape_unify_model *model,
                                 const struct omptape_unify_location *location, unsigned kind)
{
    const struct omptape_unify_map *map = &model->parts[location->part].maps[kind];
    const struct own_table own = own_table_of(model, location, kind);
    uint32_t count = 0;
    bool same = true;
    uint64_t *to = list_references(&own, map, &count);
    if (to == NULL)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t unified = omptape_unify_map_get(map, to[i]);
        to[i] = unified != UINT64_MAX ? unified : 0; /* no event uses an undefined reference */
        same = same && to[i] == i;
    }
    OTF2_IdMap *result = same ? NULL : OTF2_IdMap_CreateFromUint64Array(count, to, false);
    if (!same && result == NULL)
        omptape_unify_fail(model, "out of memory");
    free(to);
    return result;
}

/* Pairs of an event's reference and the unified archive's reference. */
struct pairs {
    uint64_t *words; /* source, target; source, target... */
    uint32_t count;
};

static void put_pair(struct pairs *pairs, uint64_t from, uint64_t to)
{
    pairs->words[2 * pairs->count] = from;
    pairs->words[2 * pairs->count + 1] = to;
    pairs->count++;
}

/* Creates a sparse map, in which a missing reference is unchanged. NULL if it would change nothing. */
static OTF2_IdMap *make_sparse_map(struct omptape_unify_model *model, struct pairs *pairs)
{
    bool same = true;
    omptape_sort(pairs->words, pairs->count, 2 * sizeof(*pairs->words), omptape_compare_whole);
    for (uint32_t i = 0; i < pairs->count; i++)
        same = same && pairs->words[2 * i] == pairs->words[2 * i + 1];
    OTF2_IdMap *map = same ? NULL : OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, pairs->count);
    if (!same && map == NULL)
        omptape_unify_fail(model, "out of memory");
    for (uint32_t i = 0; map != NULL && i < pairs->count; i++)
        check_written(model, OTF2_IdMap_AddIdPair(map, pairs->words[2 * i], pairs->words[2 * i + 1]));
    return map;
}

static bool is_used(const struct omptape_unify_location *location, unsigned kind, uint64_t ref)
{
    const uint64_t what = omptape_unify_use(kind, ref);
    return location->used_count > 0 &&
           bsearch(&what, location->used, location->used_count, sizeof(what), omptape_compare_whole) != NULL;
}

/* Returns true if the location's own table maps `from`. A table of pairs must be sorted. */
static bool is_renamed(const struct own_table *own, uint64_t from)
{
    return own->pairs
               ? bsearch(&from, own->words, own->count / 2, 2 * sizeof(from), omptape_compare_whole) != NULL
               : from < own->count;
}

/* Adds the pair for `from`, which means `ref` in the part, if the location's events use it. */
static void add_used(const struct omptape_unify_model *model, struct pairs *pairs,
                     const struct omptape_unify_location *location, unsigned kind, uint64_t from,
                     uint64_t ref)
{
    uint64_t unified = omptape_unify_map_get(&model->parts[location->part].maps[kind], ref);
    if (unified != UINT64_MAX && unified != from && is_used(location, kind, ref))
        put_pair(pairs, from, unified);
}

/* Like make_full_map, but only for the references that the location's events use. */
static OTF2_IdMap *make_used_map(struct omptape_unify_model *model,
                                 const struct omptape_unify_location *location, unsigned kind)
{
    const struct own_table own = own_table_of(model, location, kind);
    const uint32_t step = own.pairs ? 2 : 1;
    struct pairs pairs = {
        .words = omptape_calloc(2 * ((size_t)own.count + location->used_count) + 2, sizeof(uint64_t))};
    if (pairs.words == NULL)
        return NULL;
    for (uint32_t i = 0; i + step <= own.count; i += step)
        add_used(model, &pairs, location, kind, own.pairs ? own.words[i] : i, own.words[i + step - 1]);
    for (uint32_t i = 0; i < location->used_count; i++) {
        const uint64_t ref = location->used[i] - omptape_unify_use(kind, 0);
        if (location->used[i] >= omptape_unify_use(kind, 0) && ref <= UINT32_MAX && !is_renamed(&own, ref))
            add_used(model, &pairs, location, kind, ref, ref);
    }
    OTF2_IdMap *map = make_sparse_map(model, &pairs);
    free(pairs.words);
    return map;
}

static OTF2_IdMap *make_map(struct omptape_unify_model *model, const struct omptape_unify_location *location,
                            unsigned kind)
{
    return location->is_scanned ? make_used_map(model, location, kind) : make_full_map(model, location, kind);
}

/* Adds the pair of `from` and the unified number of the part's location `to`. */
static void add_pair(const struct omptape_unify_model *model, struct pairs *pairs, uint32_t part,
                     uint64_t from, uint64_t to)
{
    uint64_t row = omptape_unify_map_get(&model->parts[part].maps[OMPTAPE_UNIFY_LOCATION], to);
    if (row != UINT64_MAX) /* no event uses an undefined location */
        put_pair(pairs, from, omptape_unify_location_id(model, row));
}

/* Collects the location references of a process's events: the part's own table, or else all its locations. */
static void collect_pairs(const struct omptape_unify_model *model,
                          const struct omptape_unify_location *location, struct pairs *pairs)
{
    const struct own_table own = own_table_of(model, location, OMPTAPE_UNIFY_LOCATION);
    for (uint32_t i = 0; i + 1 < own.count; i += 2)
        add_pair(model, pairs, location->part, own.words[i], own.words[i + 1]);
    const struct omptape_unify_process *process = &model->processes[location->process];
    uint32_t left = own.words == NULL ? process->location_count : 0;
    for (uint64_t i = process->first_location; left > 0 && i < model->location_count; i++) {
        if (model->locations[i].process != location->process)
            continue;
        add_pair(model, pairs, location->part, model->locations[i].old, model->locations[i].old);
        left--;
    }
}

/* Location numbers are large and not consecutive, so the map is sparse. */
static OTF2_IdMap *make_location_map(struct omptape_unify_model *model,
                                     const struct omptape_unify_location *location)
{
    const struct own_table own = own_table_of(model, location, OMPTAPE_UNIFY_LOCATION);
    uint32_t words = own.words != NULL ? own.count : 2 * model->processes[location->process].location_count;
    struct pairs pairs = {.words = omptape_calloc((size_t)words + 2, sizeof(*pairs.words))};
    if (pairs.words == NULL)
        return NULL;
    collect_pairs(model, location, &pairs);
    OTF2_IdMap *map = make_sparse_map(model, &pairs);
    free(pairs.words);
    return map;
}

/* The maps of the previous location. Most locations of a process have equal maps. */
struct map_cache {
    OTF2_IdMap *maps[OMPTAPE_UNIFY_MAPPED];
    const struct omptape_unify_location *source;
};

static void update_cache(struct omptape_unify_model *model, struct map_cache *cache,
                         const struct omptape_unify_location *location)
{
    for (unsigned kind = 0; kind < OMPTAPE_UNIFY_MAPPED; kind++) {
        bool alike = cache->source != NULL && location != NULL && cache->source->part == location->part &&
                     cache->source->local[kind] == location->local[kind] && !cache->source->is_scanned &&
                     !location->is_scanned;
        if (alike || kind == OMPTAPE_UNIFY_LOCATION)
            continue;
        if (cache->maps[kind] != NULL)
            OTF2_IdMap_Free(cache->maps[kind]);
        cache->maps[kind] = location != NULL ? make_map(model, location, kind) : NULL;
    }
    cache->source = location;
}

/* Only the events of devices refer to locations. A table of all threads for each would be too large. */
static void write_location_map(struct omptape_unify_model *model, OTF2_DefWriter *out, uint32_t row)
{
    if (omptape_unify_words(model, OMPTAPE_UNIFY_LOCATION, row)[1] == OTF2_LOCATION_TYPE_CPU_THREAD)
        return;
    OTF2_IdMap *map = make_location_map(model, &model->locations[row]);
    if (map == NULL)
        return;
    check_written(model, OTF2_DefWriter_WriteMappingTable(out, OTF2_MAPPING_LOCATION, map));
    OTF2_IdMap_Free(map);
}

static void write_location(struct omptape_unify_model *model, OTF2_Archive *archive, struct map_cache *cache,
                           uint32_t number)
{
    const struct omptape_unify_location *location = &model->locations[number];
    const struct omptape_unify_corrections *corrections = corrections_of(model, location->process);
    OTF2_DefWriter *out = OTF2_Archive_GetDefWriter(archive, omptape_unify_location_id(model, number));
    if (out == NULL) {
        omptape_unify_fail(model, "cannot write the local definitions");
        return;
    }
    update_cache(model, cache, location);
    for (unsigned kind = 0; kind < OMPTAPE_UNIFY_MAPPED; kind++)
        if (cache->maps[kind] != NULL)
            check_written(
                model, OTF2_DefWriter_WriteMappingTable(out, omptape_unify_mapping(kind), cache->maps[kind]));
    write_location_map(model, out, number);
    for (uint32_t i = 0; i < corrections->count; i++)
        check_written(model, OTF2_DefWriter_WriteClockOffset(out, corrections->list[i].ticks,
                                                             corrections->list[i].offset,
                                                             corrections->list[i].deviation));
    check_written(model, OTF2_Archive_CloseDefWriter(archive, out));
}

static OTF2_Archive *open_archive(struct omptape_unify_model *model, const char *path, uint64_t chunk_bytes)
{
    OTF2_Archive *archive =
        OTF2_Archive_Open(path, OMPTAPE_ARCHIVE_EVENTS, OTF2_FILEMODE_WRITE, OMPTAPE_OTF2_CHUNK_BYTES,
                          chunk_bytes, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive == NULL)
        omptape_unify_fail(model, "cannot write the unified definitions");
    else
        check_written(model, OTF2_Archive_SetFlushCallbacks(archive, &omptape_flush_callbacks, NULL));
    return archive;
}

/* Writes some locations with a separate OTF2 archive. */
static void write_portion(struct omptape_unify_model *model, const char *path, uint64_t chunk_bytes,
                          struct map_cache *cache, uint32_t first)
{
    OTF2_Archive *archive = open_archive(model, path, chunk_bytes);
    if (archive == NULL)
        return;
    check_written(model, omptape_otf2_join_archive(archive));
    check_written(model, OTF2_Archive_OpenDefFiles(archive));
    for (uint32_t i = first;
         i < model->location_count && i - first < OMPTAPE_OTF2_MAX_LOCATIONS && !omptape_unify_failed(model);
         i++) {
        write_location(model, archive, cache, i);
        *model->written = i + 1;
    }
    check_written(model, OTF2_Archive_CloseDefFiles(archive));
    check_written(model, OTF2_Archive_Close(archive));
}

static void write_local(struct omptape_unify_model *model, const char *path, uint64_t chunk_bytes)
{
    struct map_cache cache = {.source = NULL};
    for (uint32_t i = 0; i < model->location_count && !omptape_unify_failed(model);
         i += OMPTAPE_OTF2_MAX_LOCATIONS)
        write_portion(model, path, chunk_bytes, &cache, i);
    update_cache(model, &cache, NULL);
}

/* Converts a marker's time. A unified archive's times are corrected, so they are first converted back. */
static uint64_t marker_time(const struct omptape_unify_model *model,
                            const struct omptape_unify_marker *marker, uint64_t time)
{
    uint64_t ticks = omptape_unify_uncorrected(&model->processes[marker->process].before, time);
    return omptape_unify_corrected(corrections_of(model, marker->process), ticks);
}

static void write_marker(struct omptape_unify_model *model, OTF2_MarkerWriter *out,
                         const struct omptape_unify_marker *marker)
{
    const struct omptape_unify_conversion *conversion = &model->conversion;
    uint64_t begin = marker_time(model, marker, marker->time);
    uint64_t end = marker_time(model, marker, marker->time + marker->duration);
    /* Rounding must not move a marker out of the archive's time range. */
    begin = begin < conversion->first  ? conversion->first
            : begin > conversion->last ? conversion->last
                                       : begin;
    end = end < begin ? begin : end > conversion->last ? conversion->last : end;
    uint64_t scope = marker->scope == OTF2_MARKER_SCOPE_LOCATION
                         ? omptape_unify_location_id(model, marker->scope_ref)
                         : marker->scope_ref;
    check_written(model,
                  OTF2_MarkerWriter_WriteMarker(out, begin, end - begin, marker->definition, marker->scope,
                                                scope, marker_text(model, marker->text)));
}

static void write_markers(struct omptape_unify_model *model, OTF2_Archive *archive)
{
    if (model->marker_count == 0)
        return;
    OTF2_MarkerWriter *out = OTF2_Archive_GetMarkerWriter(archive);
    if (out == NULL) {
        omptape_unify_fail(model, "cannot write the markers");
        return;
    }
    for (uint32_t i = 0; i < model->kinds[OMPTAPE_UNIFY_MARKER_DEFINITION].count; i++) {
        const uint64_t *words = omptape_unify_words(model, OMPTAPE_UNIFY_MARKER_DEFINITION, i);
        check_written(model, OTF2_MarkerWriter_WriteDefMarker(out, i, marker_text(model, words[1]),
                                                              marker_text(model, words[2]),
                                                              (OTF2_MarkerSeverity)words[0]));
    }
    for (uint32_t i = 0; i < model->marker_count; i++)
        write_marker(model, out, &model->markers[i]);
    check_written(model, OTF2_Archive_CloseMarkerWriter(archive, out));
}

static void write_global(struct omptape_unify_model *model, OTF2_Archive *archive)
{
    OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(archive);
    if (out == NULL) {
        omptape_unify_fail(model, "cannot write the global definitions");
        return;
    }
    omptape_unify_write_global(model, out);
    check_written(model, OTF2_Archive_CloseGlobalDefWriter(archive, out));
}

/* Returns the number of words in the longest definition record: all processes or regions, or a mapping
 * table. */
static uint64_t longest_record(const struct omptape_unify_model *model)
{
    const uint64_t regions = model->kinds[OMPTAPE_UNIFY_REGION].count;
    uint64_t longest = model->rank_count > regions ? model->rank_count : regions;
    for (unsigned kind = 0; kind < OMPTAPE_UNIFY_KINDS; kind++)
        for (uint32_t i = 0; i < model->kinds[kind].count; i++) {
            uint64_t words = omptape_unify_word_count(model, kind, i);
            longest = words > longest ? words : longest;
        }
    for (uint32_t part = 0; part < model->part_count; part++)
        for (unsigned kind = 0; kind < OMPTAPE_UNIFY_MAPPED; kind++) {
            uint64_t words = model->parts[part].maps[kind].count;
            longest = words > longest && kind != OMPTAPE_UNIFY_LOCATION ? words : longest;
        }
    for (uint32_t process = 0; process < model->process_count; process++) {
        uint64_t words = 2 * (uint64_t)model->processes[process].location_count;
        longest = words > longest ? words : longest;
    }
    return longest;
}

static int write_archive(struct omptape_unify_model *model, const char *path)
{
    const uint64_t chunk_bytes = omptape_otf2_definition_chunk(longest_record(model));
    OTF2_Archive *archive = open_archive(model, path, chunk_bytes);
    if (archive == NULL)
        return -1;
    check_written(model, OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    check_written(model, OTF2_Archive_SetCreator(archive, "omptape " OMPTAPE_VERSION));
    if (!omptape_unify_failed(model))
        write_local(model, path, chunk_bytes);
    if (!omptape_unify_failed(model))
        write_global(model, archive);
    if (!omptape_unify_failed(model))
        omptape_unify_write_properties(model, archive);
    if (!omptape_unify_failed(model))
        write_markers(model, archive);
    check_written(model, OTF2_Archive_Close(archive));
    return omptape_unify_failed(model) ? -1 : 0;
}

int omptape_unify_write(struct omptape_unify_model *model, int folder)
{
    char path[OMPTAPE_OTF2_PATH_BYTES];
    int files = omptape_otf2_files_register(folder, OMPTAPE_OTF2_WRITE, path);
    if (files < 0) {
        omptape_unify_fail(model, "cannot write the unified definitions: %s", omptape_cause(files));
        return -1;
    }
    int result = write_archive(model, path);
    omptape_otf2_files_unregister(files);
    return result;
}
