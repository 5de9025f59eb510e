/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a profile for pprof (formats.h). Functions, places in them and texts are numbered in the order of
 * their first use and written once. A construct is written as a function.
 */
#include "pprof.pb-c.h"
#include "src/archive/read/regions.h"
#include "src/command/export/samples.h"

#include <omptape/properties.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 0, TIME = 1, VALUES = 2 };

struct profile {
    struct export_samples samples;
    struct omptape_export_stream *stream;
    struct omptape_rows texts;     /* a text's number is its row */
    struct omptape_rows modules;   /* path; a module's number is its row + 1; number 1 is the program */
    struct omptape_rows functions; /* (name, file); the number is the row + 1 */
    struct omptape_rows places;    /* (function, line, module); the number is the row + 1 */
    uint64_t *list;                /* numbers of the current sample's places */
    uint32_t capacity;
};

/* Writes fields of the profile message. */
static void send(struct profile *profile, const Pp__Profile *part)
{
    uint8_t *place = omptape_export_stream_reserve(profile->stream, pp__profile__get_packed_size(part));
    if (place != NULL)
        profile->stream->used += pp__profile__pack(part, place);
}

static int64_t text_of(struct profile *profile, const char *text)
{
    return omptape_rows_text(&profile->texts, text);
}

static uint64_t module_of(struct profile *profile, const char *path)
{
    const uint32_t known = profile->modules.count;
    const uint64_t id = 1 + omptape_rows_text(&profile->modules, path);
    if (id <= known)
        return id;
    Pp__Mapping mapping = PP__MAPPING__INIT;
    Pp__Mapping *mappings[] = {&mapping};
    Pp__Profile part = PP__PROFILE__INIT;
    mapping.has_id = mapping.has_filename = mapping.has_has_functions = mapping.has_has_filenames = 1;
    mapping.has_has_line_numbers = mapping.has_has_inline_frames = 1;
    mapping.id = id;
    mapping.filename = text_of(profile, path);
    mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers = mapping.has_inline_frames = 1;
    part.n_mapping = 1;
    part.mapping = mappings;
    send(profile, &part);
    return id;
}

static uint64_t function_of(struct profile *profile, const struct export_call *call)
{
    const int64_t name = text_of(profile, call->name);
    const int64_t file = text_of(profile, call->file);
    const int64_t key[] = {name, file};
    const uint32_t known = profile->functions.count;
    const uint64_t id = 1 + omptape_rows_number(&profile->functions, key, sizeof(key));
    if (id <= known)
        return id;
    Pp__Function function = PP__FUNCTION__INIT;
    Pp__Function *functions[] = {&function};
    Pp__Profile part = PP__PROFILE__INIT;
    function.has_id = function.has_name = function.has_system_name = function.has_filename = 1;
    function.id = id;
    function.name = function.system_name = name;
    function.filename = file;
    function.has_start_line = call->is_construct;
    function.start_line = call->line;
    part.n_function = 1;
    part.function = functions;
    send(profile, &part);
    return id;
}

static uint64_t place_of(struct profile *profile, const struct export_call *call)
{
    const uint64_t module = call->module[0] != '\0' ? module_of(profile, call->module) : 1;
    const uint64_t key[] = {function_of(profile, call), call->line, module};
    const uint32_t known = profile->places.count;
    const uint64_t id = 1 + omptape_rows_number(&profile->places, key, sizeof(key));
    if (id <= known)
        return id;
    Pp__Line line = PP__LINE__INIT;
    Pp__Line *lines[] = {&line};
    Pp__Location location = PP__LOCATION__INIT;
    Pp__Location *locations[] = {&location};
    Pp__Profile part = PP__PROFILE__INIT;
    line.has_function_id = line.has_line = 1;
    line.function_id = key[0];
    line.line = call->line;
    location.has_id = location.has_mapping_id = 1;
    location.id = id;
    location.mapping_id = module;
    location.n_line = 1;
    location.line = lines;
    part.n_location = 1;
    part.location = locations;
    send(profile, &part);
    return id;
}

/* Fills profile->list with the sample's places, innermost first. Returns their number, 0 if memory is
 * exhausted. */
static uint32_t list_places(struct profile *profile, const struct export_sample *sample)
{
    struct export_stacks *stacks = &profile->samples.stacks;
    export_stacks_list(stacks, sample->context, sample->construct_list);
    uint64_t *list =
        omptape_array_reserve(profile->list, stacks->count + 1, &profile->capacity, sizeof(*list));
    if (omptape_out_of_memory)
        return 0;
    profile->list = list;
    for (uint32_t i = 0; i < stacks->count; i++)
        list[i] = place_of(profile, &stacks->calls[stacks->count - 1 - i]);
    return stacks->count;
}

static void write_sample(struct profile *profile, const struct export_sample *sample)
{
    enum { THREAD, REGION, LABELS };
    const struct omptape_definition *region =
        export_stacks_attributed_region(&profile->samples.stacks, sample->construct_list);
    int64_t values[VALUES] = {[SAMPLES] = (int64_t)sample->count, [TIME] = (int64_t)sample->ns};
    Pp__Label labels[LABELS] = {PP__LABEL__INIT, PP__LABEL__INIT};
    Pp__Label *label_list[LABELS] = {&labels[THREAD], &labels[REGION]};
    Pp__Sample message = PP__SAMPLE__INIT;
    Pp__Sample *list[] = {&message};
    Pp__Profile part = PP__PROFILE__INIT;
    labels[THREAD].has_key = labels[THREAD].has_str = labels[REGION].has_key = labels[REGION].has_str = 1;
    labels[THREAD].key = text_of(profile, "thread");
    labels[THREAD].str = text_of(profile, sample->place->name);
    labels[REGION].key = text_of(profile, "region");
    labels[REGION].str = text_of(profile, region != NULL ? region->region->label : "");
    message.n_location_id = list_places(profile, sample);
    message.location_id = profile->list;
    message.n_value = profile->samples.period > 0 ? VALUES : 1;
    message.value = values;
    message.n_label = region != NULL ? LABELS : 1;
    message.label = label_list;
    part.n_sample = 1;
    part.sample = list;
    send(profile, &part);
}

static Pp__ValueType value_type(struct profile *profile, const char *type, const char *unit)
{
    Pp__ValueType value = PP__VALUE_TYPE__INIT;
    value.has_type = value.has_unit = 1;
    value.type = text_of(profile, type);
    value.unit = text_of(profile, unit);
    return value;
}

/* Writes the types of the values, the time of recording, and the program. */
static void write_head(struct profile *profile, const struct export_job *job)
{
    const struct omptape_export_places *places = job->places;
    const struct omptape_export_choice *choice = job->choice;
    struct omptape_reader *reader = places->reader;
    const char *program = omptape_reader_property_of(reader, -1, OMPTAPE_KEY_PROGRAM);
    const char *process = places->group_count > 1 ? places->groups[1].name : "";
    const uint64_t length = omptape_export_ns(reader, reader->clock_offset + reader->clock_length);
    const uint64_t end = choice->to < length ? choice->to : length;
    const bool timed = profile->samples.period > 0;
    Pp__ValueType types[VALUES] = {value_type(profile, "samples", "count"),
                                   value_type(profile, "cpu", "nanoseconds")};
    Pp__ValueType *type_list[VALUES] = {&types[SAMPLES], &types[TIME]};
    Pp__Profile part = PP__PROFILE__INIT;
    part.n_sample_type = timed ? VALUES : 1;
    part.sample_type = type_list;
    part.has_time_nanos = reader->clock_realtime != UINT64_MAX;
    part.time_nanos = (int64_t)(reader->clock_realtime + choice->from);
    part.has_duration_nanos = 1;
    part.duration_nanos = (int64_t)(end > choice->from ? end - choice->from : 0);
    part.period_type = timed ? &types[TIME] : NULL;
    part.has_period = timed;
    part.period = (int64_t)profile->samples.period;
    part.has_default_sample_type = 1;
    part.default_sample_type = timed ? types[TIME].type : types[SAMPLES].type;
    send(profile, &part);
    (void)module_of(profile, program != NULL ? program : process);
}

static void write_texts(struct profile *profile)
{
    for (uint32_t i = 0; i < profile->texts.count; i++) {
        char *texts[] = {profile->texts.list[i].data};
        Pp__Profile part = PP__PROFILE__INIT;
        part.n_string_table = 1;
        part.string_table = texts;
        send(profile, &part);
    }
}

int export_pprof(const struct export_job *job)
{
    struct profile profile = {.stream = job->stream};
    int status = export_samples_read(&profile.samples, job);
    (void)text_of(&profile, "");
    if (status == 0)
        write_head(&profile, job);
    for (uint32_t i = 0; status == 0 && i < profile.samples.list.count && !omptape_out_of_memory; i++)
        write_sample(&profile, profile.samples.list.list[i].value);
    if (status == 0)
        write_texts(&profile);
    omptape_rows_free(&profile.texts);
    omptape_rows_free(&profile.modules);
    omptape_rows_free(&profile.functions);
    omptape_rows_free(&profile.places);
    free(profile.list);
    export_samples_free(&profile.samples);
    return status;
}
