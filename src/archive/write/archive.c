/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens and closes the archive with bounded memory, and writes locations, properties and markers.
 */
#include "src/archive/write/archive.h"

#include "src/archive/otf2_files.h"
#include "src/archive/otf2_library.h"
#include "src/core/array.h"
#include "src/core/log.h"
#include "src/core/message.h"
#include "src/folder/archive_files.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libotf2 writes the anchor file with all properties from one chunk, and fails if they are larger. 16 KiB are
 * left free for the anchor's own records. */
enum { MAX_PROPERTY_BYTES = OMPTAPE_OTF2_CHUNK_BYTES - 16 * 1024, PROPERTY_HEAD_BYTES = 32 };

struct omptape_marker_note {
    uint64_t time;
    OTF2_LocationRef location;
    enum omptape_marker_kind marker;
    char *text;
};

static const struct {
    const char *name;
    OTF2_MarkerSeverity severity;
} marker_kinds[OMPTAPE_MARKER_NUM] = {
    [OMPTAPE_MARKER_ERROR] = {"OpenMP error", OTF2_SEVERITY_HIGH},
    [OMPTAPE_MARKER_WARNING] = {"OpenMP warning", OTF2_SEVERITY_MEDIUM},
    [OMPTAPE_MARKER_DROPPED] = {"Events dropped", OTF2_SEVERITY_HIGH},
    [OMPTAPE_MARKER_DEVICE] = {"Device", OTF2_SEVERITY_NONE},
    [OMPTAPE_MARKER_LIMIT] = {"Limit per site", OTF2_SEVERITY_NONE},
};

/* Error callback of libotf2. It keeps the first message, which says more than the return codes. */
static OTF2_ErrorCode keep_error(void *user, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list arguments)
{
    struct omptape_archive *archive = user;
    char text[160];
    (void)file;
    (void)line;
    (void)function;
    if (archive->error[0] == '\0' && code > OTF2_SUCCESS) {
        const char *refusal = omptape_otf2_files_refusal(archive->files);
        vsnprintf(text, sizeof(text), format, arguments);
        omptape_otf2_files_strip_paths(text);
        if (refusal[0] != '\0')
            snprintf(archive->error, sizeof(archive->error), "%.250s", refusal);
        else if (omptape_otf2_cause(code) != OTF2_Error_GetDescription(code))
            snprintf(archive->error, sizeof(archive->error), "%s", omptape_otf2_cause(code));
        else
            snprintf(archive->error, sizeof(archive->error), "%s: %s", omptape_otf2_cause(code), text);
    }
    return code;
}

void omptape_archive_check(struct omptape_archive *archive, OTF2_ErrorCode code, const char *what)
{
    if (code != OTF2_SUCCESS && archive->error[0] == '\0')
        snprintf(archive->error, sizeof(archive->error), "%.100s: %s", what, omptape_otf2_cause(code));
}

void omptape_archive_fail(struct omptape_archive *archive, int error)
{
    const char *refusal = omptape_otf2_files_refusal(archive->files);
    if (archive->error[0] == '\0')
        snprintf(archive->error, sizeof(archive->error), "%.250s",
                 refusal[0] != '\0' ? refusal : omptape_cause(error));
}

void omptape_archive_create(struct omptape_archive *archive)
{
    OTF2_Error_RegisterCallback(keep_error, archive);
    archive->files = -1;
}

int omptape_archive_open(struct omptape_archive *archive, int folder)
{
    char path[OMPTAPE_OTF2_PATH_BYTES];
    archive->files = omptape_otf2_files_register(folder, OMPTAPE_OTF2_WRITE, path);
    if (archive->files < 0 || fchdir(folder) != 0) {
        snprintf(archive->error, sizeof(archive->error), "%s",
                 omptape_cause(archive->files < 0 ? archive->files : errno));
        return -EIO;
    }
    omptape_disk_reserve_start(&archive->disk_reserve);
    archive->otf2 =
        OTF2_Archive_Open(path, OMPTAPE_ARCHIVE_EVENTS, OTF2_FILEMODE_WRITE, OMPTAPE_OTF2_CHUNK_BYTES,
                          OTF2_UNDEFINED_UINT64, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive->otf2 == NULL) {
        omptape_archive_check(archive, OTF2_ERROR_INVALID, "cannot open the archive");
        return -EIO;
    }
    omptape_archive_check(
        archive, OTF2_Archive_SetFlushCallbacks(archive->otf2, &omptape_flush_callbacks, NULL), "flush");
    omptape_archive_check(archive, OTF2_Archive_SetSerialCollectiveCallbacks(archive->otf2), "collectives");
    omptape_archive_check(archive, OTF2_Archive_SetCreator(archive->otf2, "omptape " OMPTAPE_VERSION),
                          "creator");
    return archive->error[0] != '\0' ? -EIO : 0;
}

void omptape_archive_begin_definitions(struct omptape_archive *archive, uint64_t longest)
{
    omptape_archive_check(archive,
                          OTF2_Archive_SetDefChunkSize(archive->otf2, omptape_otf2_definition_chunk(longest)),
                          "definitions");
    archive->defines = true;
}

void omptape_archive_open_location(struct omptape_archive *archive, struct omptape_events *events,
                                   OTF2_LocationRef location)
{
    int result = omptape_event_file_open(events, location, omptape_archive_is_observed_alone(archive));
    if (result != 0)
        omptape_archive_fail(archive, result);
    else
        omptape_disk_reserve_add_file(&archive->disk_reserve);
    if (archive->observer.beside)
        omptape_event_file_hide_space(events);
}

bool omptape_archive_reserve_space(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, size_t bytes)
{
    if (events->hidden_end == NULL)
        return archive->observer.event == NULL && omptape_archive_next_chunk(archive, events, time, bytes);
    if ((uintptr_t)events->at + bytes < (uintptr_t)events->hidden_end)
        return true;
    omptape_event_file_restore_space(events);
    bool good = omptape_archive_next_chunk(archive, events, time, bytes);
    omptape_event_file_hide_space(events);
    return good;
}

bool omptape_archive_next_chunk(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                                size_t bytes)
{
    if (!omptape_archive_can_write(archive, events))
        return false;
    omptape_disk_reserve_check(&archive->disk_reserve);
    int result = omptape_event_file_next_chunk(events, archive->files, time);
    while (result != 0 && omptape_disk_reserve_spend(&archive->disk_reserve, result))
        result = omptape_event_file_next_chunk(events, archive->files, time);
    if (result == 0 && bytes >= (size_t)(events->end - events->at))
        result = -E2BIG;
    if (result != 0)
        omptape_archive_fail(archive, result);
    return result == 0;
}

uint64_t omptape_archive_close_location(struct omptape_archive *archive, struct omptape_events *events)
{
    if (omptape_archive_can_write(archive, events)) {
        int result = omptape_event_file_close(events, archive->files);
        while (result != 0 && omptape_events_are_open(events) &&
               omptape_disk_reserve_spend(&archive->disk_reserve, result))
            result = omptape_event_file_close(events, archive->files);
        if (result != 0)
            omptape_archive_fail(archive, result);
        omptape_disk_reserve_remove_file(&archive->disk_reserve);
    }
    omptape_event_file_abandon(events);
    return events->count;
}

/* Returns the letter of a property's name: letters become capitals, and what is no letter or digit '_'. */
static char property_letter(char letter)
{
    return (char)(isalnum((unsigned char)letter) ? toupper((unsigned char)letter) : '_');
}

void omptape_archive_property(struct omptape_archive *archive, const char *prefix, const char *name,
                              const char *value)
{
    char full[256];
    size_t n = 0;
    for (const char *part = prefix; *part != '\0' && n < sizeof(full) - 3; part++)
        full[n++] = *part;
    for (const char *part = name; *part != '\0' && n < sizeof(full) - 3; part++) {
        full[n++] = *part == '.' ? ':' : property_letter(*part);
        if (*part == '.')
            full[n++] = ':';
    }
    full[n] = '\0';
    archive->property_bytes += n + strlen(value) + PROPERTY_HEAD_BYTES;
    if (archive->property_bytes > MAX_PROPERTY_BYTES)
        return;
    /* An empty value would remove the property. */
    omptape_archive_check(
        archive, OTF2_Archive_SetProperty(archive->otf2, full, value[0] != '\0' ? value : "-", true), full);
}

void omptape_archive_mark(struct omptape_archive *archive, uint64_t time, OTF2_LocationRef location,
                          enum omptape_marker_kind marker, const char *text)
{
    /* The archive is not open yet before the flight recorder's window. */
    if (archive->otf2 == NULL)
        return;
    (void)OMPTAPE_APPEND(archive->markers, archive->marker_count, archive->marker_capacity,
                         (struct omptape_marker_note){
                             .time = time, .location = location, .marker = marker, .text = strdup(text)});
}

static void write_markers(struct omptape_archive *archive)
{
    if (archive->marker_count == 0)
        return;
    OTF2_MarkerWriter *writer = OTF2_Archive_GetMarkerWriter(archive->otf2);
    if (writer == NULL)
        return;
    for (unsigned i = 0; i < OMPTAPE_MARKER_NUM; i++)
        OTF2_MarkerWriter_WriteDefMarker(writer, i, "omptape", marker_kinds[i].name,
                                         marker_kinds[i].severity);
    for (uint32_t i = 0; i < archive->marker_count; i++) {
        struct omptape_marker_note *note = &archive->markers[i];
        OTF2_MarkerWriter_WriteMarker(writer, note->time, 0, (OTF2_MarkerRef)note->marker,
                                      OTF2_MARKER_SCOPE_LOCATION, note->location,
                                      note->text != NULL ? note->text : "");
        free(note->text);
    }
    omptape_archive_check(archive, OTF2_Archive_CloseMarkerWriter(archive->otf2, writer),
                          "closing the markers");
}

int omptape_archive_close(struct omptape_archive *archive)
{
    if (archive->error[0] == '\0' && !archive->defines)
        omptape_archive_begin_definitions(archive, 0);
    if (archive->error[0] == '\0')
        write_markers(archive);
    free(archive->markers);
    free(archive->levels);
    free(archive->level_places);
    if (archive->error[0] == '\0')
        omptape_archive_check(archive, OTF2_Archive_Close(archive->otf2), "closing the archive");
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_ARCHIVE, "closed the archive: %s",
                archive->error[0] != '\0' ? archive->error : "complete");
    omptape_otf2_files_unregister(archive->files);
    archive->files = -1;
    return archive->error[0] != '\0' ? -EIO : 0;
}
