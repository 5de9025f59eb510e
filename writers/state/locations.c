/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Creates, reuses and frees locations.
 */
#include "writers/state/locations.h"

#include "src/core/array.h"
#include "src/core/words.h"
#include "writers/state/sched.h"
#include <omptape/locations.h>
#include <omptape/ompt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS = 64 };

/* Lists the program's arguments as far as they are known and fit. Returns their number. */
static uint32_t list_arguments(struct omptape_writer *writer, OTF2_StringRef *arguments)
{
    uint32_t count = 0;
    const struct omptape_settings *options = writer->settings;
    const char *text = options->arguments;
    const char *end = text + options->arguments_bytes;
    while (text < end && count < MAX_ARGUMENTS) {
        size_t length = strnlen(text, (size_t)(end - text));
        arguments[count++] = omptape_archive_format(&writer->strings, "%.*s", (int)length, text);
        text += length + 1;
    }
    return count;
}

static OTF2_StringRef join_command(struct omptape_writer *writer, const OTF2_StringRef *arguments,
                                   uint32_t count)
{
    char text[2 * OMPTAPE_PATH_BYTES];
    (void)snprintf(text, sizeof(text), "%s", omptape_archive_text(&writer->strings, writer->program));
    for (uint32_t i = 0; i < count; i++)
        omptape_append(text, sizeof(text), " %s", omptape_archive_text(&writer->strings, arguments[i]));
    return omptape_archive_string(&writer->strings, text);
}

/* Writes ProgramBegin and enters the region of the program, which surrounds everything on this location. */
static void begin_program(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    OTF2_StringRef arguments[MAX_ARGUMENTS];
    const struct omptape_settings *settings = writer->settings;
    uint32_t count = list_arguments(writer, arguments);
    uint32_t given = count > 0 ? count - 1 : 0;
    const char *first = count > 0 ? omptape_archive_text(&writer->strings, arguments[0]) : "";
    const char *name = settings->program[0] != '\0' ? settings->program : first;
    writer->program = omptape_archive_string(&writer->strings, name[0] != '\0' ? name : "program");
    writer->command = join_command(writer, arguments + 1, given);
    if (settings->pid > 0)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_PROCESS_ID, (uint64_t)settings->pid);
    if (settings->pid > 0 && location->tid != (uint32_t)settings->pid)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_THREAD_ID, location->tid);
    omptape_archive_program_begin(&writer->archive, location->events, time, writer->program, given,
                                  arguments + 1);
    omptape_archive_enter(&writer->archive, location->events, time, OMPTAPE_PROGRAM_REGION);
    writer->program_open = true;
    location->last = time;
}

void omptape_locations_leave_program(struct omptape_writer *writer, uint64_t time, bool synthesised)
{
    struct omptape_location *first = writer->location_count > 0 ? writer->locations[0] : NULL;
    if (first == NULL || !writer->program_open)
        return;
    first->last = omptape_location_time(first, time);
    omptape_archive_leave(&writer->archive, first->events, first->last, OMPTAPE_PROGRAM_REGION, synthesised);
    writer->synthesised += synthesised;
    writer->program_open = false;
}

/* Returns a new location that is in no list, or NULL if out of memory. */
static struct omptape_location *make_location(uint64_t time)
{
    struct omptape_location *location = calloc(1, sizeof(*location));
    struct omptape_open_region *none = calloc(1, sizeof(*none));
    if (location == NULL || none == NULL) {
        free(location);
        free(none);
        return NULL;
    }
    location->stack.regions = none;
    location->stack.top = none;
    location->stack.floor = none;
    location->stack.end = none + 1;
    location->place = -1;
    location->begin = time;
    location->first_begin = time;
    location->stack.booked = time;
    location->last = time;
    location->stack.announced.comm = OTF2_UNDEFINED_COMM;
    return location;
}

static bool list_location(struct omptape_writer *writer, struct omptape_location *location)
{
    if (!OMPTAPE_RESERVE(writer->locations, writer->location_count + 1, &writer->location_capacity))
        return false;
    location->index = writer->location_count;
    location->ref = omptape_location_id(location->index, 0);
    writer->locations[writer->location_count++] = location;
    return true;
}

static struct omptape_location *add_location(struct omptape_writer *writer, uint64_t time)
{
    struct omptape_location *location = make_location(time);
    if (location == NULL || list_location(writer, location))
        return location;
    omptape_location_free(location);
    return NULL;
}

bool omptape_locations_is_reusable(const struct omptape_writer *writer,
                                   const struct omptape_location *location)
{
    return location->number >= OMPTAPE_OWN_LOCATIONS && location->thread_type < OMPTAPE_THREAD_TYPES &&
           location->tid != (uint32_t)writer->settings->pid;
}

void omptape_locations_make_reusable(struct omptape_writer *writer, struct omptape_location *location)
{
    location->next_reusable = writer->reusable[location->thread_type];
    writer->reusable[location->thread_type] = location;
}

uint64_t omptape_locations_lived(const struct omptape_writer *writer, const struct omptape_location *location)
{
    uint64_t begin = location->begin > writer->window_begin ? location->begin : writer->window_begin;
    uint64_t last = location->end > begin ? location->end - begin : 0;
    return location->device == NULL ? location->lived + last : 0;
}

/* Marks that the following events belong to another thread. The time until then belongs to no thread. */
static void mark_change(struct omptape_writer *writer, struct omptape_location *location)
{
    if (writer->forgetting || writer->ended)
        return;
    if (!location->off_written || writer->paused)
        omptape_archive_measurement(&writer->archive, location->events, location->last, false, location->tid);
    if (!writer->paused)
        omptape_archive_measurement(&writer->archive, location->events, location->last, true, location->tid);
    location->off_written = writer->paused;
}

static struct omptape_location *reuse_location(struct omptape_writer *writer,
                                               const struct omptape_record *begin)
{
    struct omptape_location *location =
        begin->a < OMPTAPE_THREAD_TYPES && begin->b != (uint32_t)writer->settings->pid
            ? writer->reusable[begin->a]
            : NULL;
    if (location == NULL)
        return NULL;
    writer->reusable[begin->a] = location->next_reusable;
    location->lived = omptape_locations_lived(writer, location);
    location->threads++;
    location->tid = begin->b;
    location->origin = (struct omptape_thread_origin){.creator = 0};
    location->last = omptape_location_time(location, begin->time);
    location->begin = location->last;
    location->end = 0;
    location->closed = false;
    location->pending = false;
    location->allowed_hash = 0;
    location->stack.booked = location->begin;
    location->stack.announced = (struct omptape_task_name){.comm = OTF2_UNDEFINED_COMM};
    location->stack.is_helper = false;
    location->gaps =
        (struct omptape_gaps){.dropped = location->gaps.dropped, .before = location->gaps.dropped};
    omptape_sched_change_thread(writer, location, 0);
    mark_change(writer, location);
    return location;
}

struct omptape_location *omptape_locations_add(struct omptape_writer *writer,
                                               const struct omptape_record *begin)
{
    uint64_t time = writer->location_count == 0 ? writer->begin : begin->time;
    struct omptape_location *location = reuse_location(writer, begin);
    if (location != NULL) {
        writer->thread_count++;
        return location;
    }
    location = add_location(writer, time);
    if (location == NULL)
        return NULL;
    writer->thread_count++;
    location->number = writer->thread_locations++;
    location->threads = 1;
    location->tid = begin->b;
    location->first_tid = begin->b;
    location->thread_type = begin->a;
    bool works_alone = location->ref == 0 || begin->a == ompt_thread_initial;
    struct omptape_open_region *none = location->stack.regions;
    none->bucket = works_alone ? OMPTAPE_BUCKET_SERIAL : OMPTAPE_BUCKET_IDLE;
    none->nested_bucket = none->bucket;
    if (writer->forgetting)
        location->off_written = true;
    else
        omptape_locations_open_events(writer, location, time);
    return location;
}

struct omptape_location *omptape_locations_add_device(struct omptape_writer *writer,
                                                      struct omptape_device *device, uint64_t time)
{
    struct omptape_location *location = writer->location_count > 0 ? add_location(writer, time) : NULL;
    if (location == NULL)
        return NULL;
    location->device = device;
    omptape_archive_open_location(&writer->archive, location->events, location->ref);
    return location;
}

struct omptape_location *omptape_locations_add_node(struct omptape_writer *writer, OTF2_StringRef name,
                                                    uint64_t time)
{
    struct omptape_location *location =
        add_location(writer, time > writer->window_begin ? time : writer->window_begin);
    if (location == NULL)
        return NULL;
    location->on_device.metric = true;
    location->on_device.name = name;
    omptape_archive_open_location(&writer->archive, location->events, location->ref);
    return location;
}

struct omptape_location *omptape_location_of_other(uint32_t tid, uint64_t time)
{
    struct omptape_location *location = make_location(time);
    if (location == NULL)
        return NULL;
    location->tid = tid;
    location->first_tid = tid;
    location->other = calloc(1, 1);
    if (location->other != NULL)
        return location;
    omptape_location_free(location);
    return NULL;
}

bool omptape_locations_adopt(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    if (!list_location(writer, location))
        return false;
    omptape_archive_open_location(&writer->archive, location->events, location->ref);
    location->last = location->begin > writer->window_begin ? location->begin : writer->window_begin;
    location->last = location->last < time ? location->last : time;
    return true;
}

void omptape_locations_open_events(struct omptape_writer *writer, struct omptape_location *location,
                                   uint64_t time)
{
    omptape_archive_open_location(&writer->archive, location->events, location->ref);
    if (location->index == 0)
        begin_program(writer, location, time);
    if (writer->paused || location->closed) {
        omptape_archive_measurement(&writer->archive, location->events, time, false, 0);
        location->off_written = true;
    }
    location->last = time;
    /* One that ended before the flight recorder's window has only this event. Readers expect its file. */
    if (location->closed)
        (void)omptape_archive_close_location(&writer->archive, location->events);
}

void omptape_location_free(struct omptape_location *location)
{
    if (location == NULL)
        return;
    free(location->stack.regions);
    free(location->stack.frames);
    free(location->binding);
    free(location->allowed);
    free(location->other);
    free(location->samples.list);
    free(location->samples.used);
    free(location->samples.own);
    free(location->names);
    free(location->title);
    if (location->samples.counters != NULL)
        free(location->samples.counters->list);
    free(location->samples.counters);
    omptape_sched_free(location);
    free(location);
}

void omptape_locations_free(struct omptape_writer *writer)
{
    for (uint32_t i = 0; i < writer->location_count; i++)
        omptape_location_free(writer->locations[i]);
    free(writer->locations);
}

char *omptape_processor_list(const uint64_t *mask, size_t words)
{
    enum { BYTES_A_BIT = 5 }; /* "16000-16001," needs three. */
    size_t bits = words * 64;
    size_t bytes = bits * BYTES_A_BIT + 1;
    size_t used = 0;
    char *text = malloc(bytes);
    for (size_t i = 0; i < bits && text != NULL; i++) {
        size_t first = i;
        while (i < bits && (mask[i / 64] >> (i % 64) & 1) != 0)
            i++;
        if (i == first)
            continue;
        used += (size_t)snprintf(text + used, bytes - used, i - first > 1 ? "%s%zu-%zu" : "%s%zu",
                                 used > 0 ? "," : "", first, i - 1);
    }
    if (used > 0)
        return text;
    free(text);
    return NULL;
}
