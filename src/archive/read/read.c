/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Selects the locations whose events are read (portions.c), and reads the markers (reader.h).
 */
#include "src/archive/read/internal.h"

#include "src/folder/beneath.h"

#include <stdlib.h>

/* Returns the location's definition, or NULL if it is not a location or a duplicate of its id. */
static const struct omptape_definition *location_at(const struct omptape_reader *reader, size_t index)
{
    const struct omptape_definition *definition = reader->definitions[index];
    if (definition->kind != OMPTAPE_DEF_LOCATION || definition->id == OTF2_UNDEFINED_LOCATION ||
        omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, definition->id) != definition)
        return NULL;
    return definition;
}

uint64_t omptape_reader_announced_events(const struct omptape_reader *reader)
{
    uint64_t count = 0;
    for (size_t i = 0; i < reader->definition_count; i++) {
        const struct omptape_definition *location = location_at(reader, i);
        if (location != NULL && __builtin_add_overflow(count, location->value[1], &count))
            return UINT64_MAX;
    }
    return count;
}

int omptape_reader_read_events(struct omptape_reader *reader, omptape_reader_visitor *visitor, void *data,
                               char *error, size_t error_bytes)
{
    /* Any definition may be a location. */
    return omptape_reader_read_locations(reader, NULL, reader->definition_count, visitor, data, error,
                                         error_bytes);
}

int omptape_reader_read_locations(struct omptape_reader *reader, const uint64_t *locations, uint32_t count,
                                  omptape_reader_visitor *visitor, void *data, char *error,
                                  size_t error_bytes)
{
    uint32_t known = 0;
    uint64_t *some = calloc(count + 1U, sizeof(*some));
    if (some == NULL) {
        reader->no_memory = true;
        return omptape_reader_fail(reader, "", error, error_bytes);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct omptape_definition *location =
            locations == NULL ? location_at(reader, i)
            : locations[i] != OTF2_UNDEFINED_LOCATION
                ? omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, locations[i])
                : NULL;
        if (location != NULL)
            some[known++] = location->id;
    }
    int status = omptape_reader_read_portions(reader, some, known, visitor, data, error, error_bytes);
    free(some);
    return status;
}

struct marker_sink {
    struct omptape_reader *reader;
    omptape_reader_marker_visitor *visitor;
    void *data;
    bool stopped;
};

static OTF2_CallbackCode on_marker_definition(void *data, OTF2_MarkerRef self, const char *group,
                                              const char *category, OTF2_MarkerSeverity severity)
{
    (void)group;
    struct omptape_reader *reader = ((struct marker_sink *)data)->reader;
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_MARKER,
                                            .id = self,
                                            .value = {severity},
                                            .text = omptape_reader_copy_text(reader, category)};
    return omptape_reader_add(reader, &head, NULL, 0);
}

static struct omptape_reference marker_scope(OTF2_MarkerScope scope, uint64_t id, bool *known)
{
    static const enum omptape_definition_kind kinds[] = {
        [OTF2_MARKER_SCOPE_GLOBAL] = OMPTAPE_DEF_NONE,
        [OTF2_MARKER_SCOPE_LOCATION] = OMPTAPE_DEF_LOCATION,
        [OTF2_MARKER_SCOPE_LOCATION_GROUP] = OMPTAPE_DEF_LOCATION_GROUP,
        [OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE] = OMPTAPE_DEF_SYSTEM_TREE_NODE,
        [OTF2_MARKER_SCOPE_GROUP] = OMPTAPE_DEF_GROUP,
        [OTF2_MARKER_SCOPE_COMM] = OMPTAPE_DEF_COMM};
    *known = scope < sizeof(kinds) / sizeof(kinds[0]);
    return omptape_scope(*known ? kinds[scope] : OMPTAPE_DEF_NONE, id);
}

static OTF2_CallbackCode on_marker(void *data, OTF2_TimeStamp time, OTF2_TimeStamp duration,
                                   OTF2_MarkerRef definition, OTF2_MarkerScope scope, uint64_t scope_id,
                                   const char *text)
{
    struct marker_sink *sink = data;
    struct omptape_marker marker = {.time = time,
                                    .duration = duration,
                                    .definition =
                                        omptape_refers(OMPTAPE_DEF_MARKER, "definition", definition)};
    struct omptape_arena arena = {.blocks = NULL};
    marker.text = omptape_reader_text(&arena, text);
    marker.scope = marker_scope(scope, scope_id, &marker.scope_known);
    sink->reader->no_memory = sink->reader->no_memory || marker.text == NULL;
    sink->stopped = sink->reader->no_memory || !sink->visitor(sink->data, &marker);
    omptape_arena_free(&arena);
    return sink->stopped ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

int omptape_reader_read_markers(struct omptape_reader *reader, omptape_reader_marker_visitor *visitor,
                                void *data, char *error, size_t error_bytes)
{
    char *name = omptape_reader_file(reader, ".marker");
    if (name == NULL) {
        reader->no_memory = true;
        return omptape_reader_fail(reader, "", error, error_bytes);
    }
    bool there = omptape_beneath_is_there(reader->folder, name);
    free(name);
    if (!there)
        return 0;
    uint64_t count = 0;
    struct marker_sink sink = {.reader = reader, .visitor = visitor, .data = data};
    OTF2_ErrorCode code = OTF2_ERROR_INVALID;
    omptape_reader_set_error_callback(reader);
    reader->otf2_error[0] = '\0';
    OTF2_MarkerReader *markers = OTF2_Reader_GetMarkerReader(reader->otf2);
    OTF2_MarkerReaderCallbacks *callbacks = OTF2_MarkerReaderCallbacks_New();
    if (markers != NULL && callbacks != NULL) {
        OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(callbacks, on_marker_definition);
        OTF2_MarkerReaderCallbacks_SetMarkerCallback(callbacks, on_marker);
        code = OTF2_Reader_RegisterMarkerCallbacks(reader->otf2, markers, callbacks, &sink);
    }
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllMarkers(reader->otf2, markers, &count);
    OTF2_MarkerReaderCallbacks_Delete(callbacks);
    if (markers != NULL)
        OTF2_Reader_CloseMarkerReader(reader->otf2, markers);
    if ((code != OTF2_SUCCESS && !sink.stopped) || reader->no_memory)
        return omptape_reader_fail(reader, "cannot read the markers", error, error_bytes);
    return 0;
}
