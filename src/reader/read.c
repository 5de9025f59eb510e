/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads an opened archive's local definitions, events and markers (reader.h).
 */
#include "src/reader/internal.h"

#include "src/folder/beneath.h"
#include "src/reader/damage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NO_FILE = -1, UNKNOWN_SIZE = -2, EMPTY_FILE_BYTES = 20 };

/* Bytes of the location's file with that ending (".evt", ".def"); SIONlib keeps all in one: then
 * UNKNOWN_SIZE. */
static int64_t file_size(const struct omptape_reader *reader, uint64_t location, const char *ending)
{
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
    OTF2_Reader_GetFileSubstrate(reader->otf2, &substrate);
    if (substrate != OTF2_SUBSTRATE_POSIX)
        return UNKNOWN_SIZE;
    struct stat about;
    char *path = NULL;
    if (asprintf(&path, "%s/%" PRIu64 "%s", reader->name, location, ending) < 0)
        return NO_FILE;
    int64_t size =
        omptape_beneath_status(reader->folder, path, &about) == 0 ? (int64_t)about.st_size : NO_FILE;
    free(path);
    return size;
}

/* libotf2 may go round and round in a file that has lost its end. */
static int expect_end(const struct omptape_reader *reader, uint64_t location, const char *ending, char *error,
                      size_t error_bytes)
{
    OTF2_Compression compression = OTF2_COMPRESSION_NONE;
    char *path = NULL;
    OTF2_Reader_GetCompression(reader->otf2, &compression);
    if (compression != OTF2_COMPRESSION_NONE ||
        asprintf(&path, "%s/%" PRIu64 "%s", reader->name, location, ending) < 0)
        return 0;
    bool cut = omptape_damage_is_cut(reader->folder, path);
    if (cut)
        snprintf(error, error_bytes, "%s is cut short", path);
    free(path);
    return cut ? -EINVAL : 0;
}

/* The location's definition if this is the one that counts (not a second one with its id), else NULL. */
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

static void give_sign(const struct omptape_reader *reader)
{
    if (reader->beats != NULL)
        ++*reader->beats;
    if (reader->beside != NULL)
        reader->beside[0] = '\0';
}

/* What is read: these locations, or those of them that hold events. */
struct selection {
    uint64_t *locations; /* ids, each once */
    uint32_t count;
};

static int read_local_definitions_of(struct omptape_reader *reader, const struct omptape_definition *location,
                                     char *error, size_t error_bytes)
{
    if (file_size(reader, location->id, ".def") == NO_FILE) {
        if (location->value[1] > 0 && reader->local_missing++ == 0)
            reader->local_missing_first = location->id;
        return 0;
    }
    if (expect_end(reader, location->id, ".def", error, error_bytes) != 0)
        return -EINVAL;
    uint64_t count = 0;
    OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader->otf2, location->id);
    if (local == NULL || OTF2_Reader_ReadAllLocalDefinitions(reader->otf2, local, &count) != OTF2_SUCCESS) {
        char what[80];
        snprintf(what, sizeof(what), "cannot read the local definitions of location %" PRIu64, location->id);
        return omptape_reader_fail(reader, what, error, error_bytes);
    }
    OTF2_Reader_CloseDefReader(reader->otf2, local);
    return 0;
}

/* Mapping tables and clock offsets, which libotf2 applies by itself. */
static int read_local_definitions(struct omptape_reader *reader, const struct selection *selection,
                                  char *error, size_t error_bytes)
{
    int status = 0;
    if (OTF2_Reader_OpenDefFiles(reader->otf2) != OTF2_SUCCESS)
        return omptape_reader_fail(reader, "cannot open the local definitions", error, error_bytes);
    for (uint32_t i = 0; i < selection->count && status == 0; i++) {
        give_sign(reader);
        status = read_local_definitions_of(
            reader, omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, selection->locations[i]), error,
            error_bytes);
    }
    if (status == 0)
        OTF2_Reader_CloseDefFiles(reader->otf2);
    return status;
}

/* Can the location's event file be read? *holds: it holds events. libotf2 3.0 touches freed memory when a
 * global reader meets a file without any, so those are left out: a header and two end marks. */
static int try_event_file(struct omptape_reader *reader, const struct omptape_definition *location,
                          bool *holds, char *error, size_t error_bytes)
{
    char what[80];
    int64_t size = file_size(reader, location->id, ".evt");
    *holds = size != EMPTY_FILE_BYTES && (size != NO_FILE || location->value[1] > 0);
    if (*holds && size == NO_FILE) {
        snprintf(what, sizeof(what), "the event file of location %" PRIu64 " is missing", location->id);
        return omptape_reader_fail(reader, what, error, error_bytes);
    }
    return *holds && size != UNKNOWN_SIZE ? expect_end(reader, location->id, ".evt", error, error_bytes) : 0;
}

/* Opens the event files of these locations, the last first: libotf2 looks for a file that it closes from the
 * one that it opened last, and threads mostly end in the order in which they began. */
static int open_event_files(struct omptape_reader *reader, const uint64_t *locations, uint32_t count,
                            char *error, size_t error_bytes)
{
    if (OTF2_Reader_OpenEvtFiles(reader->otf2) != OTF2_SUCCESS)
        return omptape_reader_fail(reader, "cannot open the event files", error, error_bytes);
    while (count-- > 0) {
        char what[80];
        give_sign(reader);
        if (OTF2_Reader_GetEvtReader(reader->otf2, locations[count]) != NULL)
            continue;
        snprintf(what, sizeof(what), "cannot read the event file of location %" PRIu64, locations[count]);
        return omptape_reader_fail(reader, what, error, error_bytes);
    }
    return 0;
}

/* Leaves those that hold events, and opens their files. */
static int open_events(struct omptape_reader *reader, struct selection *selection, char *error,
                       size_t error_bytes)
{
    uint32_t count = selection->count;
    selection->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool holds = false;
        uint64_t id = selection->locations[i];
        give_sign(reader);
        int status = try_event_file(reader, omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, id), &holds,
                                    error, error_bytes);
        if (status != 0)
            return status;
        if (holds)
            selection->locations[selection->count++] = id;
    }
    return open_event_files(reader, selection->locations, selection->count, error, error_bytes);
}

static int read_opened(struct omptape_reader *reader, struct omptape_event_sink *sink, char *error,
                       size_t error_bytes)
{
    uint64_t count = 0;
    OTF2_ErrorCode code = OTF2_ERROR_INVALID;
    OTF2_GlobalEvtReader *events = OTF2_Reader_GetGlobalEvtReader(reader->otf2);
    OTF2_GlobalEvtReaderCallbacks *callbacks = omptape_reader_event_callbacks();
    if (events != NULL && callbacks != NULL)
        code = OTF2_Reader_RegisterGlobalEvtCallbacks(reader->otf2, events, callbacks, sink);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllGlobalEvents(reader->otf2, events, &count);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    if (events != NULL)
        OTF2_Reader_CloseGlobalEvtReader(reader->otf2, events);
    OTF2_Reader_CloseEvtFiles(reader->otf2);
    if (code != OTF2_SUCCESS && !sink->stopped)
        return omptape_reader_fail(reader, "cannot read the events", error, error_bytes);
    return 0;
}

/* Reads what is selected, of which only what holds events is left. */
static int read_selection(struct omptape_reader *reader, struct selection *selection,
                          omptape_reader_visitor *visitor, void *data, char *error, size_t error_bytes)
{
    struct omptape_event_sink sink = {.visitor = visitor, .data = data};
    omptape_reader_listen(reader);
    reader->otf2_error[0] = '\0';
    for (uint32_t i = 0; i < selection->count; i++)
        OTF2_Reader_SelectLocation(reader->otf2, selection->locations[i]);
    int status = read_local_definitions(reader, selection, error, error_bytes);
    if (status == 0)
        status = open_events(reader, selection, error, error_bytes);
    return status == 0 && selection->count > 0 ? read_opened(reader, &sink, error, error_bytes) : status;
}

int omptape_reader_read_events(struct omptape_reader *reader, omptape_reader_visitor *visitor, void *data,
                               char *error, size_t error_bytes)
{
    struct selection all = {.locations = calloc(reader->definition_count + 1U, sizeof(uint64_t))};
    if (all.locations == NULL) {
        reader->no_memory = true;
        return omptape_reader_fail(reader, "", error, error_bytes);
    }
    for (size_t i = 0; i < reader->definition_count; i++) {
        const struct omptape_definition *location = location_at(reader, i);
        if (location != NULL)
            all.locations[all.count++] = location->id;
    }
    int status = read_selection(reader, &all, visitor, data, error, error_bytes);
    free(all.locations);
    return status;
}

int omptape_reader_read_locations(struct omptape_reader *reader, const uint64_t *locations, uint32_t count,
                                  omptape_reader_visitor *visitor, void *data, char *error,
                                  size_t error_bytes)
{
    struct selection some = {.locations = calloc(count + 1U, sizeof(uint64_t))};
    if (some.locations == NULL) {
        reader->no_memory = true;
        return omptape_reader_fail(reader, "", error, error_bytes);
    }
    for (uint32_t i = 0; i < count; i++)
        if (locations[i] != OTF2_UNDEFINED_LOCATION &&
            omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, locations[i]) != NULL)
            some.locations[some.count++] = locations[i];
    int status = read_selection(reader, &some, visitor, data, error, error_bytes);
    free(some.locations);
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
    *known = true;
    switch (scope) {
    case OTF2_MARKER_SCOPE_GLOBAL:
        return omptape_may_refer(OMPTAPE_DEF_NONE, "scope", id);
    case OTF2_MARKER_SCOPE_LOCATION:
        return omptape_refers(OMPTAPE_DEF_LOCATION, "scope", id);
    case OTF2_MARKER_SCOPE_LOCATION_GROUP:
        return omptape_refers(OMPTAPE_DEF_LOCATION_GROUP, "scope", id);
    case OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE:
        return omptape_refers(OMPTAPE_DEF_SYSTEM_TREE_NODE, "scope", id);
    case OTF2_MARKER_SCOPE_GROUP:
        return omptape_refers(OMPTAPE_DEF_GROUP, "scope", id);
    case OTF2_MARKER_SCOPE_COMM:
        return omptape_refers(OMPTAPE_DEF_COMM, "scope", id);
    default:
        *known = false;
        return omptape_may_refer(OMPTAPE_DEF_NONE, "scope", id);
    }
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
    omptape_reader_listen(reader);
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
