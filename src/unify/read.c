/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a part into the model, except its events (reading.h). A damaged part ends the reading with an error
 * line, or with a crash of libotf2 that the parent detects.
 */
#include "src/archive/otf2_files.h"
#include "src/archive/otf2_library.h"
#include "src/archive/read/damage.h"
#include "src/archive/read/reader.h"
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

/* Keeps the first error of libotf2, which is the most specific one. */
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
        omptape_otf2_files_strip_paths(text);
        const char *refusal = omptape_otf2_files_refusal(model->files);
        if (refusal[0] != '\0')
            snprintf(model->error, sizeof(model->error), "%s", refusal);
        else
            snprintf(model->error, sizeof(model->error), "%.200s%s%s", OTF2_Error_GetDescription(code),
                     text[0] != '\0' ? ": " : "", text);
    }
    return code;
}

/* Records that a file has the wrong type or belongs to another user. */
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

/* Records which locations have an event file. One with events but without a complete file is an error. */
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

static OTF2_Reader *open_again(int files)
{
    char path[OMPTAPE_OTF2_PATH_BYTES];
    char anchor[OMPTAPE_OTF2_PATH_BYTES + 32];
    omptape_otf2_files_path(files, path);
    snprintf(anchor, sizeof(anchor), "%s/" OMPTAPE_ARCHIVE_ANCHOR, path);
    return omptape_open_archive(anchor);
}

/* Reads some locations of the part with a separate OTF2 reader. */
static void read_portion(struct omptape_unify_reading *reading, uint32_t first, uint32_t end)
{
    struct omptape_unify_model *model = reading->model;
    OTF2_Reader *reader = open_again(model->files);
    if (reader == NULL || OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS) {
        omptape_unify_fail(model, "it cannot be read");
    } else {
        for (uint32_t i = first; i < end; i++)
            OTF2_Reader_SelectLocation(reader, model->locations[i].old);
        omptape_unify_read_local(reading, reader, first, end);
    }
    if (reader != NULL)
        OTF2_Reader_Close(reader);
    if (model->beats != NULL)
        ++*model->beats;
}

static void read_portions(struct omptape_unify_reading *reading)
{
    const uint32_t end = reading->model->location_count;
    uint32_t next;
    for (uint32_t first = reading->first_location; first < end && !omptape_unify_failed(reading->model);
         first = next) {
        next = end - first < OMPTAPE_OTF2_MAX_LOCATIONS ? end : first + OMPTAPE_OTF2_MAX_LOCATIONS;
        read_portion(reading, first, next);
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
        read_portions(reading);
    if (!omptape_unify_failed(reading->model))
        omptape_unify_read_markers(reading, reader, folder);
}

/* Computes an upper bound of references from the file size: omptape numbers definitions consecutively, and
 * each takes some bytes. A damaged reference would otherwise allocate a map of gigabytes. */
static void bound_references(struct omptape_unify_part *part, int folder)
{
    enum { FEW_REFERENCES = 1 << 12, MIN_BYTES = 3, MAX_REFERENCES = 1 << 24 };
    struct stat status;
    bool there = omptape_beneath_status(folder, OMPTAPE_ARCHIVE_DEFINITIONS, &status) == 0;
    uint64_t count = there ? (uint64_t)status.st_size / MIN_BYTES : 0;
    part->references = FEW_REFERENCES + (count < MAX_REFERENCES ? count : MAX_REFERENCES);
}

/* Checks the files' types and owners first, because libotf2's messages about them are less clear. */
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
    omptape_otf2_files_unregister(model->files);
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

static const struct {
    OTF2_Type type;
    enum omptape_unify_kind kind;
} value_kinds[] = {
    {OTF2_TYPE_STRING, OMPTAPE_UNIFY_STRING},     {OTF2_TYPE_ATTRIBUTE, OMPTAPE_UNIFY_ATTRIBUTE},
    {OTF2_TYPE_LOCATION, OMPTAPE_UNIFY_LOCATION}, {OTF2_TYPE_REGION, OMPTAPE_UNIFY_REGION},
    {OTF2_TYPE_GROUP, OMPTAPE_UNIFY_GROUP},       {OTF2_TYPE_METRIC, OMPTAPE_UNIFY_METRIC},
    {OTF2_TYPE_COMM, OMPTAPE_UNIFY_COMM},         {OTF2_TYPE_PARAMETER, OMPTAPE_UNIFY_PARAMETER},
    {OTF2_TYPE_RMA_WIN, OMPTAPE_UNIFY_RMA_WIN},   {OTF2_TYPE_LOCATION_GROUP, OMPTAPE_UNIFY_LOCATION_GROUP},
    {OTF2_TYPE_IO_FILE, OMPTAPE_UNIFY_IO_FILE},   {OTF2_TYPE_IO_HANDLE, OMPTAPE_UNIFY_IO_HANDLE},
};

OTF2_CallbackCode omptape_unify_done(const struct omptape_unify_reading *reading)
{
    return omptape_unify_failed(reading->model) ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

uint64_t omptape_unify_map_required(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind,
                                    uint64_t ref)
{
    uint64_t to = omptape_unify_map_get(&reading->part->maps[kind], ref);
    if (to == UINT64_MAX)
        omptape_unify_fail(reading->model, "its definitions refer to something that they do not define");
    return to;
}

uint64_t omptape_unify_map_optional(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind,
                                    uint64_t ref)
{
    bool undefined =
        kind == OMPTAPE_UNIFY_LOCATION ? ref == OTF2_UNDEFINED_LOCATION : ref == OTF2_UNDEFINED_UINT32;
    return undefined ? ref : omptape_unify_map_required(reading, kind, ref);
}

uint64_t omptape_unify_string(const struct omptape_unify_reading *reading, OTF2_StringRef ref)
{
    return omptape_unify_map_optional(reading, OMPTAPE_UNIFY_STRING, ref);
}

uint64_t omptape_unify_value(const struct omptape_unify_reading *reading, OTF2_Type type,
                             OTF2_AttributeValue value)
{
    for (size_t i = 0; i < sizeof(value_kinds) / sizeof(value_kinds[0]); i++)
        if (value_kinds[i].type == type)
            return omptape_unify_map_optional(reading, value_kinds[i].kind,
                                              type == OTF2_TYPE_LOCATION ? value.locationRef : value.uint32);
    return omptape_value_bits(type, value);
}

OTF2_CallbackCode omptape_unify_define(const struct omptape_unify_reading *reading,
                                       enum omptape_unify_kind kind, uint64_t self, const uint64_t *words,
                                       size_t bytes)
{
    if (omptape_unify_failed(reading->model))
        return OTF2_CALLBACK_INTERRUPT;
    uint32_t row = omptape_rows_number(&reading->model->kinds[kind], words, bytes);
    if (omptape_unify_map_set(reading->part, &reading->part->maps[kind], self, row) != 0)
        omptape_unify_fail(reading->model, "its definitions have strange numbers");
    return omptape_unify_done(reading);
}

OTF2_CallbackCode omptape_unify_add_extra(const struct omptape_unify_reading *reading, const uint64_t *words,
                                          size_t bytes)
{
    if (!omptape_unify_failed(reading->model))
        omptape_rows_number(&reading->model->kinds[OMPTAPE_UNIFY_EXTRA], words, bytes);
    return omptape_unify_done(reading);
}

uint64_t omptape_unify_owner_key(const struct omptape_unify_reading *reading, uint64_t self)
{
    return ((uint64_t)reading->number + 1) << 32 | self;
}

uint32_t omptape_unify_process_of(const struct omptape_unify_reading *reading, uint64_t group)
{
    const struct omptape_hash_entry *entry = omptape_hash_next(&reading->processes, group + 1, NULL);
    return entry != NULL ? (uint32_t)entry->number : UINT32_MAX;
}

int omptape_unify_open_part(int folder, const char *name)
{
    return name[0] == '\0' ? omptape_beneath_open_folder(folder, ".")
                           : omptape_beneath_open_own_folder(folder, name);
}

OTF2_Reader *omptape_unify_open_reader(int part, int *files)
{
    char path[OMPTAPE_OTF2_PATH_BYTES];
    *files = omptape_otf2_files_register(part, OMPTAPE_OTF2_READ_OWN, path);
    return *files >= 0 ? open_again(*files) : NULL;
}
