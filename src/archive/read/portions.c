/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the events of an archive's locations in global time order (reader.h), in portions. The library
 * libotf2 searches linear lists of all locations of an OTF2 reader whenever it opens or closes a file. Each
 * OTF2 reader therefore gets few locations. A portion passes its events until the next event belongs to
 * another portion. That event is copied, because libotf2 does not keep it.
 */
#include "src/archive/read/internal.h"

#include "src/archive/otf2_library.h"
#include "src/core/array.h"
#include "src/core/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copied event that waits for its turn, with everything to which it points. */
struct kept {
    struct omptape_event event;
    OTF2_AttributeList *attributes;
    void *arrays[3]; /* strings; types and values */
    uint32_t capacities[3];
};

struct portion {
    OTF2_Reader *otf2;
    OTF2_GlobalEvtReader *events; /* NULL: no events */
    uint64_t *locations;          /* part of the caller's list: locations with events */
    uint32_t count;
    bool opened; /* OTF2_Reader_OpenEvtFiles was called */
    struct merge *merge;
    struct omptape_event_sink sink;
    struct kept kept;
};

/* Several portions in a heap, ordered by their next events. */
struct merge {
    struct portion **heap;
    uint32_t count;
    const struct omptape_event *limit; /* earliest next event of the other portions; NULL: none */
    omptape_reader_visitor *visitor;
    void *data;
    bool stopped; /* the visitor returned false */
    bool no_memory;
};

static void count_progress(const struct omptape_reader *reader)
{
    if (reader->beats != NULL)
        ++*reader->beats;
    if (reader->current_file != NULL)
        reader->current_file[0] = '\0';
}

OTF2_Reader *omptape_reader_take_otf2(struct omptape_reader *reader, uint32_t locations)
{
    if (reader->selected > 0 && reader->selected + locations > OMPTAPE_OTF2_MAX_LOCATIONS) {
        if (reader->recent != reader->otf2)
            OTF2_Reader_Close(reader->recent);
        reader->recent = omptape_reader_open_otf2(reader);
        reader->selected = 0;
    }
    reader->selected += locations;
    return reader->recent;
}

static int read_local_definitions_of(struct omptape_reader *reader, const struct portion *portion,
                                     const struct omptape_definition *location, char *error,
                                     size_t error_bytes)
{
    char what[OMPTAPE_READER_FILE_BYTES];
    uint64_t count = 0;
    switch (omptape_reader_judge_file(reader, location->id, ".def")) {
    case OMPTAPE_LOCATION_FILE_MISSING:
        if (location->value[1] > 0 && reader->local_missing++ == 0)
            reader->local_missing_first = location->id;
        return 0;
    case OMPTAPE_LOCATION_FILE_EMPTY:
        return 0;
    case OMPTAPE_LOCATION_FILE_CUT:
        omptape_reader_name_file(reader, location->id, ".def", what);
        return omptape_fail(error, error_bytes, -EINVAL, "%s is cut short", what);
    default:
        break;
    }
    OTF2_DefReader *local = OTF2_Reader_GetDefReader(portion->otf2, location->id);
    if (local == NULL || OTF2_Reader_ReadAllLocalDefinitions(portion->otf2, local, &count) != OTF2_SUCCESS) {
        snprintf(what, sizeof(what), "cannot read the local definitions of location %" PRIu64, location->id);
        return omptape_reader_fail(reader, what, error, error_bytes);
    }
    OTF2_Reader_CloseDefReader(portion->otf2, local);
    return 0;
}

/* Reads mapping tables and clock offsets, which libotf2 then applies itself. */
static int read_local_definitions(struct omptape_reader *reader, const struct portion *portion, char *error,
                                  size_t error_bytes)
{
    int status = 0;
    if (OTF2_Reader_OpenDefFiles(portion->otf2) != OTF2_SUCCESS)
        return omptape_reader_fail(reader, "cannot open the local definitions", error, error_bytes);
    for (uint32_t i = 0; i < portion->count && status == 0; i++) {
        count_progress(reader);
        status = read_local_definitions_of(
            reader, portion, omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, portion->locations[i]), error,
            error_bytes);
    }
    if (status == 0)
        OTF2_Reader_CloseDefFiles(portion->otf2);
    return status;
}

/* Checks that the location's event file can be read. Sets *holds if it contains events. */
static int try_event_file(struct omptape_reader *reader, const struct omptape_definition *location,
                          bool *holds, char *error, size_t error_bytes)
{
    char what[OMPTAPE_READER_FILE_BYTES];
    enum omptape_location_file found = omptape_reader_judge_file(reader, location->id, ".evt");
    *holds = found != OMPTAPE_LOCATION_FILE_EMPTY &&
             (found != OMPTAPE_LOCATION_FILE_MISSING || location->value[1] > 0);
    if (found == OMPTAPE_LOCATION_FILE_CUT) {
        omptape_reader_name_file(reader, location->id, ".evt", what);
        return omptape_fail(error, error_bytes, -EINVAL, "%s is cut short", what);
    }
    if (!*holds || found != OMPTAPE_LOCATION_FILE_MISSING)
        return 0;
    snprintf(what, sizeof(what), "the event file of location %" PRIu64 " is missing", location->id);
    return omptape_reader_fail(reader, what, error, error_bytes);
}

/* Opens the event files of the portion in reverse order. To close a file, libotf2 searches from the most
 * recently opened one, and threads mostly end in the order of their start. */
static int open_event_files(struct omptape_reader *reader, struct portion *portion, char *error,
                            size_t error_bytes)
{
    if (OTF2_Reader_OpenEvtFiles(portion->otf2) != OTF2_SUCCESS)
        return omptape_reader_fail(reader, "cannot open the event files", error, error_bytes);
    portion->opened = true;
    for (uint32_t i = portion->count; i-- > 0;) {
        char what[80];
        count_progress(reader);
        if (OTF2_Reader_GetEvtReader(portion->otf2, portion->locations[i]) != NULL)
            continue;
        snprintf(what, sizeof(what), "cannot read the event file of location %" PRIu64,
                 portion->locations[i]);
        return omptape_reader_fail(reader, what, error, error_bytes);
    }
    return 0;
}

/* Removes locations without events from the portion, and opens the event files of the others. */
static int open_events(struct omptape_reader *reader, struct portion *portion, char *error,
                       size_t error_bytes)
{
    uint32_t count = portion->count;
    portion->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool holds = false;
        uint64_t id = portion->locations[i];
        count_progress(reader);
        int status = try_event_file(reader, omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, id), &holds,
                                    error, error_bytes);
        if (status != 0)
            return status;
        if (holds)
            portion->locations[portion->count++] = id;
    }
    return open_event_files(reader, portion, error, error_bytes);
}

static bool begin_events(struct portion *portion)
{
    OTF2_GlobalEvtReaderCallbacks *callbacks = omptape_reader_event_callbacks();
    OTF2_ErrorCode code = OTF2_ERROR_INVALID;
    portion->events = OTF2_Reader_GetGlobalEvtReader(portion->otf2);
    if (portion->events != NULL && callbacks != NULL)
        code =
            OTF2_Reader_RegisterGlobalEvtCallbacks(portion->otf2, portion->events, callbacks, &portion->sink);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    return code == OTF2_SUCCESS;
}

static int open_portion(struct omptape_reader *reader, struct portion *portion, char *error,
                        size_t error_bytes)
{
    if (portion->otf2 == NULL)
        return omptape_reader_fail(reader, "cannot open the archive again", error, error_bytes);
    for (uint32_t i = 0; i < portion->count; i++)
        OTF2_Reader_SelectLocation(portion->otf2, portion->locations[i]);
    int status = read_local_definitions(reader, portion, error, error_bytes);
    if (status == 0)
        status = open_events(reader, portion, error, error_bytes);
    if (status == 0 && portion->count > 0 && !begin_events(portion))
        status = omptape_reader_fail(reader, "cannot read the events", error, error_bytes);
    return status;
}

static void end_events(struct portion *portion)
{
    if (portion->events != NULL)
        OTF2_Reader_CloseGlobalEvtReader(portion->otf2, portion->events);
    if (portion->opened)
        OTF2_Reader_CloseEvtFiles(portion->otf2);
    portion->events = NULL;
    portion->opened = false;
}

/* Passes events until the sink returns false. Sets *more if events may be left. */
static bool go_on(struct portion *portion, bool *more)
{
    uint64_t count = 0;
    portion->sink.stopped = false;
    OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalEvents(portion->otf2, portion->events, &count);
    *more = portion->sink.stopped;
    return code == OTF2_SUCCESS || (portion->sink.stopped && code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK);
}

static int go_on_or_fail(const struct omptape_reader *reader, struct portion *portion, bool *more,
                         char *error, size_t error_bytes)
{
    return go_on(portion, more) ? 0
                                : omptape_reader_fail(reader, "cannot read the events", error, error_bytes);
}

bool omptape_reader_pass_events(OTF2_Reader *otf2, omptape_reader_visitor *visitor, void *data)
{
    struct portion portion = {.otf2 = otf2, .opened = true, .sink = {.visitor = visitor, .data = data}};
    bool more = false;
    bool good = begin_events(&portion) && go_on(&portion, &more);
    end_events(&portion);
    return good;
}

/* Reads all locations in one portion, with the reader's own OTF2 reader as long as that has few locations. */
static int read_one(struct omptape_reader *reader, struct portion *portion, char *error, size_t error_bytes)
{
    bool more = false;
    portion->otf2 = omptape_reader_take_otf2(reader, portion->count);
    int status = open_portion(reader, portion, error, error_bytes);
    if (status == 0 && portion->events != NULL)
        status = go_on_or_fail(reader, portion, &more, error, error_bytes);
    end_events(portion);
    return status;
}

static bool copy_array(struct kept *kept, unsigned which, const void **array, uint32_t count, size_t bytes)
{
    if (*array == NULL || count == 0)
        return true;
    if (!omptape_array_reserve_in_place(&kept->arrays[which], count, &kept->capacities[which], bytes))
        return false;
    memcpy(kept->arrays[which], *array, count * bytes);
    *array = kept->arrays[which];
    return true;
}

static bool copy_attributes(struct kept *kept, const OTF2_AttributeList *from)
{
    if (kept->attributes == NULL)
        kept->attributes = OTF2_AttributeList_New();
    if (kept->attributes == NULL || OTF2_AttributeList_RemoveAllAttributes(kept->attributes) != OTF2_SUCCESS)
        return false;
    uint32_t count = OTF2_AttributeList_GetNumberOfElements(from);
    for (uint32_t i = 0; i < count; i++) {
        OTF2_AttributeRef attribute;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(from, i, &attribute, &type, &value) == OTF2_SUCCESS)
            OTF2_AttributeList_AddAttribute(kept->attributes, attribute, type, value);
    }
    kept->event.attributes = kept->attributes;
    return true;
}

static bool keep(struct kept *kept, const struct omptape_event *event)
{
    struct omptape_event *copy = &kept->event;
    *copy = *event;
    return copy_attributes(kept, event->attributes) &&
           copy_array(kept, 0, (const void **)&copy->strings, copy->count, sizeof(*copy->strings)) &&
           copy_array(kept, 1, (const void **)&copy->types, copy->count, sizeof(*copy->types)) &&
           copy_array(kept, 2, (const void **)&copy->values, copy->count, sizeof(*copy->values));
}

/* Orders events as libotf2 does within one of its readers. */
static bool comes_first(const struct omptape_event *one, const struct omptape_event *other)
{
    return one->time < other->time || (one->time == other->time && one->location < other->location);
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct portion *portion = data;
    struct merge *merge = portion->merge;
    if (merge->limit == NULL || comes_first(event, merge->limit)) {
        merge->stopped = !merge->visitor(merge->data, event);
        return !merge->stopped;
    }
    merge->no_memory = !keep(&portion->kept, event);
    return false;
}

/* Moves the portion at this place down to its place in the heap. */
static void sift_down(struct merge *merge, uint32_t place)
{
    struct portion *portion = merge->heap[place];
    for (uint32_t child = 2 * place + 1; child < merge->count; child = 2 * place + 1) {
        if (child + 1 < merge->count &&
            comes_first(&merge->heap[child + 1]->kept.event, &merge->heap[child]->kept.event))
            child++;
        if (!comes_first(&merge->heap[child]->kept.event, &portion->kept.event))
            break;
        merge->heap[place] = merge->heap[child];
        place = child;
    }
    merge->heap[place] = portion;
}

/* Returns the event before which the first portion has to stop, or NULL. */
static const struct omptape_event *find_limit(const struct merge *merge)
{
    if (merge->count < 2)
        return NULL;
    const struct omptape_event *left = &merge->heap[1]->kept.event;
    const struct omptape_event *right = merge->count > 2 ? &merge->heap[2]->kept.event : left;
    return comes_first(right, left) ? right : left;
}

/* Passes the first portion's events up to the first event of another portion. */
static int read_turn(struct omptape_reader *reader, struct merge *merge, char *error, size_t error_bytes)
{
    struct portion *portion = merge->heap[0];
    bool more = true;
    merge->stopped = !merge->visitor(merge->data, &portion->kept.event);
    if (merge->stopped)
        return 0;
    merge->limit = find_limit(merge);
    int status = go_on_or_fail(reader, portion, &more, error, error_bytes);
    if (!more) {
        end_events(portion);
        merge->heap[0] = merge->heap[--merge->count];
    }
    if (merge->count > 0)
        sift_down(merge, 0);
    return status;
}

/* Reads and keeps the first event of each portion. */
static int begin_merge(struct omptape_reader *reader, struct merge *merge, char *error, size_t error_bytes)
{
    static const struct omptape_event earliest = {.time = 0, .location = 0};
    uint32_t count = merge->count;
    int status = 0;
    merge->limit = &earliest;
    merge->count = 0;
    for (uint32_t i = 0; i < count && status == 0 && !merge->no_memory; i++) {
        struct portion *portion = merge->heap[i];
        bool more = false;
        if (portion->events != NULL)
            status = go_on_or_fail(reader, portion, &more, error, error_bytes);
        if (more)
            merge->heap[merge->count++] = portion;
    }
    for (uint32_t i = merge->count / 2; i-- > 0 && status == 0;)
        sift_down(merge, i);
    return status;
}

static int read_merged(struct omptape_reader *reader, struct merge *merge, char *error, size_t error_bytes)
{
    int status = begin_merge(reader, merge, error, error_bytes);
    while (status == 0 && merge->count > 0 && !merge->stopped && !merge->no_memory)
        status = read_turn(reader, merge, error, error_bytes);
    reader->no_memory = reader->no_memory || merge->no_memory;
    return status == 0 && merge->no_memory ? omptape_reader_fail(reader, "", error, error_bytes) : status;
}

static void close_portion(struct portion *portion)
{
    end_events(portion);
    if (portion->otf2 != NULL)
        OTF2_Reader_Close(portion->otf2);
    OTF2_AttributeList_Delete(portion->kept.attributes);
    for (size_t i = 0; i < sizeof(portion->kept.arrays) / sizeof(portion->kept.arrays[0]); i++)
        free(portion->kept.arrays[i]);
}

static int read_several(struct omptape_reader *reader, struct merge *merge, struct portion *portions,
                        char *error, size_t error_bytes)
{
    int status = 0;
    uint32_t opened = 0;
    for (; opened < merge->count && status == 0; opened++) {
        struct portion *portion = merge->heap[opened] = &portions[opened];
        portion->merge = merge;
        portion->sink = (struct omptape_event_sink){.visitor = on_event, .data = portion, .reader = reader};
        portion->otf2 = omptape_reader_open_otf2(reader);
        status = open_portion(reader, portion, error, error_bytes);
    }
    if (status == 0)
        status = read_merged(reader, merge, error, error_bytes);
    while (opened > 0)
        close_portion(&portions[--opened]);
    return status;
}

int omptape_reader_read_portions(struct omptape_reader *reader, uint64_t *locations, uint32_t count,
                                 omptape_reader_visitor *visitor, void *data, char *error, size_t error_bytes)
{
    struct merge merge = {
        .count = (uint32_t)(((uint64_t)count + OMPTAPE_OTF2_MAX_LOCATIONS - 1) / OMPTAPE_OTF2_MAX_LOCATIONS),
        .visitor = visitor,
        .data = data};
    int status = 0;
    omptape_reader_set_error_callback(reader);
    reader->otf2_error[0] = '\0';
    if (merge.count <= 1) {
        struct portion one = {.locations = locations,
                              .count = count,
                              .sink = {.visitor = visitor, .data = data, .reader = reader}};
        return read_one(reader, &one, error, error_bytes);
    }
    struct portion *portions = calloc(merge.count, sizeof(*portions));
    merge.heap = calloc(merge.count, sizeof(struct portion *));
    reader->no_memory = reader->no_memory || portions == NULL || merge.heap == NULL;
    for (uint32_t i = 0; i < merge.count && !reader->no_memory; i++) {
        uint32_t from = i * OMPTAPE_OTF2_MAX_LOCATIONS;
        portions[i].locations = locations + from;
        portions[i].count =
            count - from < OMPTAPE_OTF2_MAX_LOCATIONS ? count - from : OMPTAPE_OTF2_MAX_LOCATIONS;
    }
    status = reader->no_memory ? omptape_reader_fail(reader, "", error, error_bytes)
                               : read_several(reader, &merge, portions, error, error_bytes);
    free(portions);
    free(merge.heap);
    return status;
}
