/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a part into the model: everything but its events (reading.h). Called by staging.c for one part after
 * the other; what is damaged ends it with a line, or with a crash of libotf2 that the parent sees.
 */
#include "src/archive/otf2_files.h"
#include "src/archive/read/damage.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/unify/reading.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* libotf2's first complaint says most. */
static OTF2_ErrorCode keep_error(void *data, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list arguments)
{
    struct omptape_unify_model *model = data;
    (void)file;
    (void)line;
    (void)function;
    if (model->error[0] == '\0' && code > OTF2_SUCCESS) {
        char text[OMPTAPE_UNIFY_ERROR_BYTES / 2];
        vsnprintf(text, sizeof(text), format, arguments);
        omptape_otf2_files_tidy(text);
        const char *refusal = omptape_otf2_files_refusal(model->files);
        if (refusal[0] != '\0')
            snprintf(model->error, sizeof(model->error), "%s", refusal);
        else
            snprintf(model->error, sizeof(model->error), "%.200s%s%s", OTF2_Error_GetDescription(code),
                     text[0] != '\0' ? ": " : "", text);
    }
    return code;
}

/* It is not what it should be, or somebody else's. */
static void refuse_file(struct omptape_unify_model *model, int folder, const char *name, int error)
{
    char text[OMPTAPE_BENEATH_WHY_BYTES];
    omptape_beneath_explain(folder, name, error, text, sizeof(text));
    omptape_unify_fail(model, "%s", text);
}

static void read_definitions(struct omptape_unify_reading *reading, OTF2_Reader *reader)
{
    uint64_t count = 0;
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = omptape_unify_definition_callbacks();
    OTF2_ErrorCode code = OTF2_ERROR_INVALID;
    if (definitions != NULL && callbacks != NULL)
        code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, reading);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (code != OTF2_SUCCESS)
        omptape_unify_fail(reading->model, "its definitions cannot be read");
    else if (reading->part->resolution == 0)
        omptape_unify_fail(reading->model, "its definitions have no clock");
}

/* Every location with events has its file. */
static void find_event_files(struct omptape_unify_reading *reading, int folder)
{
    struct omptape_unify_model *model = reading->model;
    for (uint32_t i = reading->first_location; i < model->location_count; i++) {
        char path[64];
        struct stat status;
        struct omptape_unify_location *location = &model->locations[i];
        snprintf(path, sizeof(path), OMPTAPE_ARCHIVE_EVENTS "/%llu.evt", (unsigned long long)location->old);
        int result = omptape_beneath_check_own(folder, path, S_IFREG);
        location->has_events = result == 0;
        if (location->has_events && omptape_beneath_status(folder, path, &status) == 0)
            location->event_bytes = (uint64_t)status.st_size;
        if (result != 0 && result != -ENOENT)
            refuse_file(model, folder, path, result);
        if (!location->has_events && omptape_unify_words(model, OMPTAPE_UNIFY_LOCATION, i)[2] > 0)
            omptape_unify_fail(model, "its event file %s is missing", path);
        if (location->has_events && omptape_damage_is_cut(folder, path))
            omptape_unify_fail(model, "its event file %s is cut short", path);
    }
}

static void read_all(struct omptape_unify_reading *reading, OTF2_Reader *reader, int folder)
{
    read_definitions(reading, reader);
    if (!omptape_unify_failed(reading->model))
        omptape_unify_read_processes(reading, reader);
    if (!omptape_unify_failed(reading->model))
        find_event_files(reading, folder);
    if (!omptape_unify_failed(reading->model))
        omptape_unify_read_local(reading);
    if (!omptape_unify_failed(reading->model))
        omptape_unify_find_used(reading);
    if (!omptape_unify_failed(reading->model))
        omptape_unify_read_markers(reading, reader, folder);
}

/* Archives of ours number their definitions one by one, and each takes some bytes. A reference that is
 * damaged would make a map of gigabytes. */
static void bound_references(struct omptape_unify_part *part, int folder)
{
    enum { FEW_REFERENCES = 1 << 12, LEAST_BYTES = 3, MOST_REFERENCES = 1 << 24 };
    struct stat status;
    bool there = omptape_beneath_status(folder, OMPTAPE_ARCHIVE_DEFINITIONS, &status) == 0;
    uint64_t count = there ? (uint64_t)status.st_size / LEAST_BYTES : 0;
    part->references = FEW_REFERENCES + (count < MOST_REFERENCES ? count : MOST_REFERENCES);
}

/* Said before libotf2 would say it in its words. */
static void expect_files(struct omptape_unify_model *model, int folder)
{
    static const char *const names[] = {OMPTAPE_ARCHIVE_ANCHOR, OMPTAPE_ARCHIVE_DEFINITIONS,
                                        OMPTAPE_ARCHIVE_MARKERS};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        int result = omptape_beneath_check_own(folder, names[i], S_IFREG);
        if (result != 0 && result != -ENOENT)
            refuse_file(model, folder, names[i], result);
    }
}

static void read_opened(struct omptape_unify_reading *reading, int folder)
{
    struct omptape_unify_model *model = reading->model;
    expect_files(model, folder);
    bound_references(reading->part, folder);
    if (omptape_unify_failed(model))
        return;
    OTF2_Error_RegisterCallback(keep_error, model);
    OTF2_Reader *reader = omptape_unify_open_reader(folder, &model->files);
    if (reader == NULL) {
        omptape_unify_fail(model, "its file " OMPTAPE_ARCHIVE_ANCHOR " cannot be read");
    } else {
        if (OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS)
            omptape_unify_fail(model, "it cannot be read");
        read_all(reading, reader, folder);
        OTF2_Reader_Close(reader);
    }
    omptape_otf2_files_leave(model->files);
    model->files = -1;
}

int omptape_unify_read(struct omptape_unify_model *model, uint32_t part, int base)
{
    struct omptape_unify_reading reading = {.model = model,
                                            .part = &model->parts[part],
                                            .number = part,
                                            .first_location = model->location_count,
                                            .first_process = model->process_count};
    for (uint32_t i = 0; i < OMPTAPE_UNIFY_LISTS; i++)
        reading.part->listed_before[i] = model->kinds[OMPTAPE_UNIFY_LISTED + i].count;
    reading.part->maps[OMPTAPE_UNIFY_LOCATION].sparse = true;
    int folder = omptape_unify_open_part(base, reading.part->folder);
    if (folder < 0) {
        refuse_file(model, base, reading.part->folder, folder);
        return -1;
    }
    reading.folder = folder;
    read_opened(&reading, folder);
    close(folder);
    omptape_hash_free(&reading.processes);
    omptape_rows_free(&reading.own);
    return omptape_unify_failed(model) ? -1 : 0;
}
