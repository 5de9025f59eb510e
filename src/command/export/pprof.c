/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a profile for pprof (formats.h). Functions, places in them and texts are numbered in the order of
 * their first use and written once. A construct is written as a function. The numbers of fields are those of
 * profile.proto (github.com/google/pprof).
 */
#include "src/archive/read/regions.h"
#include "src/command/export/protobuf.h"
#include "src/command/export/samples.h"

#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>

/* Fields of Profile. */
enum {
    SAMPLE_TYPE = 1,
    SAMPLE = 2,
    MAPPING = 3,
    LOCATION = 4,
    FUNCTION = 5,
    STRING_TABLE = 6,
    TIME_NANOS = 9,
    DURATION_NANOS = 10,
    PERIOD_TYPE = 11,
    PERIOD = 12,
    DEFAULT_SAMPLE_TYPE = 14
};

struct profile {
    struct export_samples samples;
    struct export_stream *stream;
    struct export_bytes part;      /* fields under construction */
    struct omptape_rows texts;     /* a text's number is its row */
    struct omptape_rows modules;   /* path; a module's number is its row + 1; number 1 is the program */
    struct omptape_rows functions; /* (name, file); the number is the row + 1 */
    struct omptape_rows places;    /* (function, line, module); the number is the row + 1 */
    uint64_t *list;                /* numbers of the current sample's places */
    uint32_t capacity;
};

static void send(struct profile *profile)
{
    export_stream_send(profile->stream, &profile->part);
}

static uint64_t text_of(struct profile *profile, const char *text)
{
    return omptape_rows_text(&profile->texts, text);
}

static uint64_t module_of(struct profile *profile, const char *path)
{
    enum { ID = 1, FILENAME = 5, HAS_FUNCTIONS = 7, HAS_INLINE_FRAMES = 10 };
    const uint32_t known = profile->modules.count;
    const uint64_t id = 1 + omptape_rows_text(&profile->modules, path);
    if (id <= known)
        return id;
    const uint32_t mapping = protobuf_begin(&profile->part, MAPPING);
    protobuf_number(&profile->part, ID, id);
    protobuf_number(&profile->part, FILENAME, text_of(profile, path));
    for (unsigned field = HAS_FUNCTIONS; field <= HAS_INLINE_FRAMES; field++)
        protobuf_number(&profile->part, field, 1);
    protobuf_end(&profile->part, mapping);
    send(profile);
    return id;
}

static uint64_t function_of(struct profile *profile, const struct export_call *call)
{
    enum { ID = 1, NAME = 2, SYSTEM_NAME = 3, FILENAME = 4, START_LINE = 5 };
    const uint64_t name = text_of(profile, call->name);
    const uint64_t file = text_of(profile, call->file);
    const uint64_t key[] = {name, file};
    const uint32_t known = profile->functions.count;
    const uint64_t id = 1 + omptape_rows_number(&profile->functions, key, sizeof(key));
    if (id <= known)
        return id;
    const uint32_t function = protobuf_begin(&profile->part, FUNCTION);
    protobuf_number(&profile->part, ID, id);
    protobuf_number(&profile->part, NAME, name);
    protobuf_number(&profile->part, SYSTEM_NAME, name);
    protobuf_number(&profile->part, FILENAME, file);
    if (call->is_construct)
        protobuf_number(&profile->part, START_LINE, call->line);
    protobuf_end(&profile->part, function);
    send(profile);
    return id;
}

static uint64_t place_of(struct profile *profile, const struct export_call *call)
{
    enum { ID = 1, MAPPING_ID = 2, LINE = 4, FUNCTION_ID = 1, LINE_NUMBER = 2 };
    const uint64_t module = call->module[0] != '\0' ? module_of(profile, call->module) : 1;
    const uint64_t key[] = {function_of(profile, call), call->line, module};
    const uint32_t known = profile->places.count;
    const uint64_t id = 1 + omptape_rows_number(&profile->places, key, sizeof(key));
    if (id <= known)
        return id;
    const uint32_t location = protobuf_begin(&profile->part, LOCATION);
    protobuf_number(&profile->part, ID, id);
    protobuf_number(&profile->part, MAPPING_ID, module);
    const uint32_t line = protobuf_begin(&profile->part, LINE);
    protobuf_number(&profile->part, FUNCTION_ID, key[0]);
    protobuf_number(&profile->part, LINE_NUMBER, call->line);
    protobuf_end(&profile->part, line);
    protobuf_end(&profile->part, location);
    send(profile);
    return id;
}

/* Fills profile->list with the sample's places, innermost first. Returns how many, 0 without memory. */
static uint32_t list_places(struct profile *profile, const struct export_sample *sample)
{
    struct export_stacks *stacks = &profile->samples.stacks;
    export_stacks_list(stacks, sample->context, sample->construct_list);
    if (omptape_out_of_memory || !OMPTAPE_RESERVE(profile->list, stacks->count + 1, &profile->capacity))
        return 0;
    for (uint32_t i = 0; i < stacks->count; i++)
        profile->list[i] = place_of(profile, &stacks->calls[stacks->count - 1 - i]);
    return stacks->count;
}

/* Adds two texts or numbers as a message: a label's key and text, or a value's type and unit. */
static void add_two(struct profile *profile, unsigned field, uint64_t first, uint64_t second)
{
    enum { FIRST = 1, SECOND = 2 };
    const uint32_t begin = protobuf_begin(&profile->part, field);
    protobuf_number(&profile->part, FIRST, first);
    protobuf_number(&profile->part, SECOND, second);
    protobuf_end(&profile->part, begin);
}

/* Writes a sample, after the texts and places that it refers to. */
static void write_sample(struct profile *profile, const struct export_sample *sample)
{
    enum { LOCATION_ID = 1, VALUE = 2, LABEL = 3 };
    const struct omptape_definition *region =
        export_stacks_attributed_region(&profile->samples.stacks, sample->construct_list);
    const uint64_t thread_key = text_of(profile, "thread");
    const uint64_t thread = text_of(profile, sample->place->name);
    const uint64_t region_key = text_of(profile, "region");
    const uint64_t label = text_of(profile, region != NULL ? region->region->label : "");
    const uint32_t places = list_places(profile, sample);
    const uint32_t message = protobuf_begin(&profile->part, SAMPLE);
    if (places > 0) {
        const uint32_t ids = protobuf_begin(&profile->part, LOCATION_ID);
        for (uint32_t i = 0; i < places; i++)
            protobuf_varint(&profile->part, profile->list[i]);
        protobuf_end(&profile->part, ids);
    }
    const uint32_t values = protobuf_begin(&profile->part, VALUE);
    protobuf_varint(&profile->part, sample->count);
    if (profile->samples.period > 0)
        protobuf_varint(&profile->part, sample->ns);
    protobuf_end(&profile->part, values);
    add_two(profile, LABEL, thread_key, thread);
    if (region != NULL)
        add_two(profile, LABEL, region_key, label);
    protobuf_end(&profile->part, message);
    send(profile);
}

/* Writes the types of the values, the time of recording, and the program. */
static void write_head(struct profile *profile, const struct export_job *job)
{
    const struct export_places *places = job->places;
    const struct export_choice *choice = job->choice;
    struct omptape_reader *reader = places->reader;
    const char *program = omptape_reader_property_of(reader, -1, OMPTAPE_KEY_PROGRAM);
    const char *process = places->group_count > 1 ? places->groups[1].name : "";
    const uint64_t length = export_ns(reader, reader->clock_offset + reader->clock_length);
    const uint64_t end = choice->to < length ? choice->to : length;
    const uint64_t samples = text_of(profile, "samples");
    const uint64_t count = text_of(profile, "count");
    const uint64_t cpu = text_of(profile, "cpu");
    const uint64_t ns = text_of(profile, "nanoseconds");
    const bool timed = profile->samples.period > 0;
    add_two(profile, SAMPLE_TYPE, samples, count);
    if (timed)
        add_two(profile, SAMPLE_TYPE, cpu, ns);
    if (reader->clock_realtime != UINT64_MAX)
        protobuf_number(&profile->part, TIME_NANOS, reader->clock_realtime + choice->from);
    protobuf_number(&profile->part, DURATION_NANOS, end > choice->from ? end - choice->from : 0);
    if (timed) {
        add_two(profile, PERIOD_TYPE, cpu, ns);
        protobuf_number(&profile->part, PERIOD, profile->samples.period);
    }
    protobuf_number(&profile->part, DEFAULT_SAMPLE_TYPE, timed ? cpu : samples);
    send(profile);
    (void)module_of(profile, program != NULL ? program : process);
}

static void write_texts(struct profile *profile)
{
    for (uint32_t i = 0; i < profile->texts.count; i++) {
        protobuf_text(&profile->part, STRING_TABLE, profile->texts.list[i].data);
        send(profile);
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
    free(profile.part.data);
    export_samples_free(&profile.samples);
    return status;
}
