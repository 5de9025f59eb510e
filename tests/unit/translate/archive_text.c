/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An archive as text: definitions, markers, the order of reading. libotf2 calls back for each definition; on
 * the test's main thread.
 */
#include "tests/unit/translate/archive_text_internal.h"

#include <omptape/locations.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct archive_text_names archive_text_names;
bool archive_text_shows_program;

void archive_text_must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "archive_text: %s\n", what);
    abort();
}

static void succeed(OTF2_ErrorCode code, const char *what)
{
    if (code != OTF2_SUCCESS)
        fprintf(stderr, "archive_text: %s\n", OTF2_Error_GetDescription(code));
    archive_text_must(code == OTF2_SUCCESS, what);
}

void archive_text_append(char **text, const char *format, ...)
{
    va_list arguments;
    char line[1024];
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    size_t length = *text != NULL ? strlen(*text) : 0;
    *text = realloc(*text, length + strlen(line) + 1);
    archive_text_must(*text != NULL, "memory");
    strcpy(*text + length, line);
}

const char *archive_text_string(uint64_t ref)
{
    archive_text_must(ref < ARCHIVE_TEXT_DEFINITIONS && archive_text_names.strings[ref] != NULL,
                      "a string that is not defined");
    return archive_text_names.strings[ref];
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *text)
{
    (void)user;
    archive_text_must(self < ARCHIVE_TEXT_DEFINITIONS && archive_text_names.strings[self] == NULL, "strings");
    archive_text_names.strings[self] = strdup(text);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description, OTF2_RegionRole role,
                                   OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file,
                                   uint32_t first, uint32_t last)
{
    (void)user;
    (void)canonical;
    (void)description;
    (void)flags;
    (void)file;
    (void)first;
    (void)last;
    archive_text_must(self < ARCHIVE_TEXT_DEFINITIONS, "regions");
    archive_text_names.regions[self] = name;
    archive_text_names.of_program[self] = role == OTF2_REGION_ROLE_FUNCTION && paradigm == OTF2_PARADIGM_USER;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
    (void)user;
    (void)description;
    (void)type;
    archive_text_must(self < ARCHIVE_TEXT_FEW, "attributes");
    archive_text_names.attributes[self] = name;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_parameter(void *user, OTF2_ParameterRef self, OTF2_StringRef name,
                                      OTF2_ParameterType type)
{
    (void)user;
    (void)type;
    archive_text_must(self < ARCHIVE_TEXT_FEW, "parameters");
    archive_text_names.parameters[self] = name;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count,
                                  const uint64_t *members)
{
    (void)user;
    (void)name;
    (void)type;
    (void)paradigm;
    (void)flags;
    archive_text_must(self < ARCHIVE_TEXT_DEFINITIONS, "groups");
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < ARCHIVE_TEXT_NAME_BYTES - 24; i++)
        used += (size_t)snprintf(archive_text_names.groups[self] + used, ARCHIVE_TEXT_NAME_BYTES - used,
                                 "%s%" PRIu64, i > 0 ? "," : "", members[i]);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)user;
    (void)name;
    (void)parent;
    (void)flags;
    archive_text_must(self < ARCHIVE_TEXT_DEFINITIONS, "comms");
    archive_text_names.comms[self] = group;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group)
{
    struct archive_text *text = user;
    (void)type;
    (void)events;
    (void)group;
    archive_text_must(self == omptape_location_id(text->locations, 0),
                      "locations that are not numbered from 0");
    text->events = realloc(text->events, (text->locations + 1) * sizeof(*text->events));
    text->names = realloc(text->names, (text->locations + 1) * sizeof(*text->names));
    archive_text_must(text->events != NULL && text->names != NULL, "memory");
    text->names[text->locations] = strdup(archive_text_string(name));
    text->events[text->locations++] = strdup("");
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_marker_kind(void *user, OTF2_MarkerRef self, const char *group,
                                        const char *category, OTF2_MarkerSeverity severity)
{
    (void)user;
    (void)group;
    (void)severity;
    archive_text_must(self < ARCHIVE_TEXT_FEW && archive_text_names.markers[self] == NULL, "marker kinds");
    archive_text_names.markers[self] = strdup(category);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_marker(void *user, uint64_t time, OTF2_TimeStamp duration, OTF2_MarkerRef kind,
                                   OTF2_MarkerScope scope_kind, uint64_t scope, const char *what)
{
    struct archive_text *text = user;
    (void)duration;
    (void)scope_kind;
    archive_text_must(kind < ARCHIVE_TEXT_FEW && archive_text_names.markers[kind] != NULL,
                      "a marker kind that is not defined");
    archive_text_append(&text->markers, "%" PRIu64 " %" PRIu32 " %s: %s\n", time,
                        omptape_location_index(scope), archive_text_names.markers[kind], what);
    return OTF2_CALLBACK_SUCCESS;
}

static void read_definitions(OTF2_Reader *reader, struct archive_text *text)
{
    uint64_t read;
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    archive_text_must(definitions != NULL && callbacks != NULL, "definitions");
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(callbacks, on_parameter);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    succeed(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, text), "definitions");
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    succeed(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read), "definitions");
}

static void read_location(OTF2_Reader *reader, struct archive_text *text, OTF2_LocationRef location,
                          OTF2_EvtReaderCallbacks *callbacks)
{
    uint64_t read;
    OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, location);
    archive_text_must(local != NULL, "a location without local definitions");
    succeed(OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read), "local definitions");
    succeed(OTF2_Reader_CloseDefReader(reader, local), "local definitions");
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location);
    archive_text_must(events != NULL, "a location without events");
    succeed(OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, text), "events");
    succeed(OTF2_Reader_ReadAllLocalEvents(reader, events, &read), "events");
    succeed(OTF2_Reader_CloseEvtReader(reader, events), "events");
}

static void read_markers(OTF2_Reader *reader, struct archive_text *text)
{
    uint64_t read;
    OTF2_MarkerReader *markers = OTF2_Reader_GetMarkerReader(reader);
    if (markers == NULL)
        return;
    OTF2_MarkerReaderCallbacks *callbacks = OTF2_MarkerReaderCallbacks_New();
    OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(callbacks, on_marker_kind);
    OTF2_MarkerReaderCallbacks_SetMarkerCallback(callbacks, on_marker);
    succeed(OTF2_Reader_RegisterMarkerCallbacks(reader, markers, callbacks, text), "markers");
    OTF2_MarkerReaderCallbacks_Delete(callbacks);
    succeed(OTF2_Reader_ReadAllMarkers(reader, markers, &read), "markers");
}

static void forget_names(void)
{
    for (unsigned i = 0; i < ARCHIVE_TEXT_DEFINITIONS; i++)
        free(archive_text_names.strings[i]);
    for (unsigned i = 0; i < ARCHIVE_TEXT_FEW; i++)
        free(archive_text_names.markers[i]);
    memset(&archive_text_names, 0, sizeof(archive_text_names));
}

struct archive_text *archive_text_read(const char *folder)
{
    char path[512];
    struct archive_text *text = calloc(1, sizeof(*text));
    snprintf(path, sizeof(path), "%s/traces.otf2", folder);
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    archive_text_must(text != NULL && reader != NULL, "cannot open the archive");
    succeed(OTF2_Reader_SetSerialCollectiveCallbacks(reader), "collectives");
    archive_text_append(&text->markers, "%s", "");
    read_definitions(reader, text);
    for (uint32_t i = 0; i < text->locations; i++)
        succeed(OTF2_Reader_SelectLocation(reader, omptape_location_id(i, 0)), "locations");
    succeed(OTF2_Reader_OpenDefFiles(reader), "local definitions");
    succeed(OTF2_Reader_OpenEvtFiles(reader), "events");
    OTF2_EvtReaderCallbacks *callbacks = archive_text_callbacks();
    for (uint32_t i = 0; i < text->locations; i++)
        read_location(reader, text, omptape_location_id(i, 0), callbacks);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    succeed(OTF2_Reader_CloseDefFiles(reader), "local definitions");
    succeed(OTF2_Reader_CloseEvtFiles(reader), "events");
    read_markers(reader, text);
    succeed(OTF2_Reader_Close(reader), "the archive");
    forget_names();
    return text;
}

void archive_text_free(struct archive_text *text)
{
    for (uint32_t i = 0; i < text->locations; i++) {
        free(text->events[i]);
        free(text->names[i]);
    }
    free(text->events);
    free(text->names);
    free(text->markers);
    free(text);
}
