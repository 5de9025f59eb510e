/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums up samples by the program's own functions (inside.h), which inside_calls.c finds.
 */
#include "src/analysis/findings/inside.h"
#include "src/core/sort.h"

#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* Key of an entry. Equal strings of an archive have equal addresses. */
struct inside_key {
    const char *own;
    const char *called;
    const char *file;
    uint32_t line; /* 0 for an entry by function */
    uint32_t mark;
};

static uint32_t number_of(struct omptape_rows *keys, const struct omptape_inside_call *call, bool by_line)
{
    const struct inside_key key = {.own = call->own.function,
                                   .called = call->called.function,
                                   .file = call->own.file,
                                   .line = by_line ? call->own.line : 0,
                                   .mark = call->mark};
    return omptape_rows_number(keys, &key, sizeof(key));
}

size_t omptape_inside_stem(const char *thread)
{
    size_t length = strlen(thread);
    while (length > 0 && thread[length - 1] >= '0' && thread[length - 1] <= '9')
        length--;
    return length > 0 ? length : strlen(thread);
}

static bool is_alike(const char *one, const char *other)
{
    const size_t length = omptape_inside_stem(one);
    return length == omptape_inside_stem(other) && strncmp(one, other, length) == 0;
}

static bool is_of_thread(const struct analysis_sampled *row, const char *thread)
{
    return thread != NULL && row->thread != NULL ? is_alike(row->thread, thread) : row->thread == thread;
}

bool omptape_inside_is_at(const struct analysis_sampled *row, const struct analysis_sampled *place)
{
    return is_of_thread(row, place->thread) && row->serial == place->serial &&
           (place->serial != NULL || row->region == place->region);
}

bool omptape_inside_is_beside(const struct analysis_region *one, const struct analysis_region *other)
{
    if (one == other || one == NULL || other == NULL)
        return one == other;
    return one->line > 0 && one->line == other->line && strcmp(one->file, other->file) == 0 &&
           strcmp(one->function, other->function) == 0;
}

static uint64_t sum_of(const struct omptape_inside_entry *entry)
{
    return entry->count + entry->blocked;
}

static int compare(const void *left, const void *right)
{
    const struct omptape_inside_entry *one = left;
    const struct omptape_inside_entry *other = right;
    if (sum_of(one) != sum_of(other))
        return sum_of(one) > sum_of(other) ? -1 : 1;
    const int names = strcmp(or_empty(one->call.own.function), or_empty(other->call.own.function));
    return names != 0 ? names
                      : strcmp(or_empty(one->call.called.function), or_empty(other->call.called.function));
}

struct gathering {
    struct omptape_rows keys; /* keys of functions */
    struct omptape_rows line_keys;
    struct omptape_inside_entry *lines; /* sums by line */
    struct omptape_inside *inside;
    char function[OMPTAPE_INSIDE_NAME_BYTES]; /* function whose callers are gathered */
};

static void add_row(struct gathering *gathering, const struct analysis_sampled *row,
                    struct omptape_inside_call call)
{
    struct omptape_inside *inside = gathering->inside;
    const uint32_t number = number_of(&gathering->keys, &call, false);
    const uint32_t line_number = number_of(&gathering->line_keys, &call, true);
    const uint64_t count = row->count - row->waiting;
    struct omptape_inside_entry *entry = &inside->entries[number];
    struct omptape_inside_entry *line = &gathering->lines[line_number];
    entry->count += count;
    entry->blocked += row->blocked;
    line->count += count;
    line->blocked += row->blocked;
    if (sum_of(line) > entry->of_line) {
        entry->of_line = sum_of(line);
        entry->call = call;
    }
    inside->count += count;
    inside->blocked += row->blocked;
}

/* Extracts the identifier: "parallel_for" from "void parallel_for<f()::lambda>(long, f()::lambda const&)". */
static void take_identifier(const char *function, char *name, size_t bytes)
{
    const size_t length = strcspn(function, "<(");
    size_t begin = length;
    while (begin > 0 && function[begin - 1] != ' ')
        begin--;
    snprintf(name, bytes, "%.*s", (int)(length - begin), function + begin);
}

/* Sets `own` to the caller of the outermost function with this name. Returns false if the name is missing or
 * its caller is not the program's. */
static bool find_caller(const struct omptape_reader *reader, const struct omptape_definition *context,
                        const char *wanted, struct omptape_inside_call *call)
{
    char name[OMPTAPE_INSIDE_NAME_BYTES];
    bool found = false;
    *call = (struct omptape_inside_call){.mark = OMPTAPE_INSIDE_UNMARKED};
    for (unsigned i = 0; context != NULL && i < OMPTAPE_INSIDE_MAX_FRAMES; i++) {
        const struct omptape_inside_frame frame = omptape_inside_frame(reader, context);
        bool is_it = frame.function != NULL && strstr(frame.function, wanted) != NULL;
        if (is_it)
            take_identifier(frame.function, name, sizeof(name));
        is_it = is_it && strcmp(name, wanted) == 0;
        if (found && !is_it && call->own.function == NULL)
            call->own = frame;
        if (is_it)
            call->own.function = NULL;
        found = found || is_it;
        context = omptape_inside_caller(reader, context);
    }
    return call->own.function != NULL && call->own.is_own;
}

/* Selects which samples are gathered, and by which function. */
enum gather_way { GATHER_OWN, GATHER_BESIDE, GATHER_CALLERS, GATHER_ALL };

static void take_row(struct gathering *gathering, const struct omptape_analysis *analysis,
                     const struct analysis_sampled *row, enum gather_way way)
{
    struct omptape_inside_call call;
    if (way != GATHER_CALLERS)
        add_row(gathering, row, omptape_inside_call(analysis->reader, row->context, row->region));
    else if (find_caller(analysis->reader, row->context, gathering->function, &call))
        add_row(gathering, row, call);
}

static bool is_gathered(const struct analysis_sampled *row, const struct analysis_sampled *place,
                        enum gather_way way)
{
    switch (way) {
    case GATHER_ALL:
        return true;
    case GATHER_OWN:
        return omptape_inside_is_at(row, place);
    default:
        return omptape_inside_is_beside(row->region, place->region);
    }
}

/* Gathers the samples of one kind of place. Returns false, and no samples, if out of memory. */
static bool gather(const struct omptape_analysis *analysis, const struct analysis_sampled *place,
                   enum gather_way way, struct omptape_inside *inside)
{
    struct gathering gathering = {.inside = inside};
    size_t most = 1;
    *inside = (struct omptape_inside){.entries = NULL};
    for (uint32_t i = 0; i < analysis->sampled_count; i++)
        most += is_gathered(analysis->sampled[i], place, way);
    inside->entries = omptape_calloc(most, sizeof(*inside->entries));
    gathering.lines = omptape_calloc(most, sizeof(*gathering.lines));
    if (way == GATHER_CALLERS)
        take_identifier(place->region->function, gathering.function, sizeof(gathering.function));
    bool good = inside->entries != NULL && gathering.lines != NULL;
    for (uint32_t i = 0; i < analysis->sampled_count && good; i++) {
        const struct analysis_sampled *row = analysis->sampled[i];
        if (!is_gathered(row, place, way))
            continue;
        inside->waiting += row->waiting;
        if (row->count > row->waiting || row->blocked > 0)
            take_row(&gathering, analysis, row, way);
        good = !gathering.keys.failed && !gathering.line_keys.failed;
    }
    inside->entry_count = gathering.keys.count;
    if (good)
        omptape_sort(inside->entries, inside->entry_count, sizeof(*inside->entries), compare);
    omptape_rows_free(&gathering.keys);
    omptape_rows_free(&gathering.line_keys);
    free(gathering.lines);
    if (!good)
        omptape_inside_free(inside);
    return good;
}

bool omptape_inside_gather(const struct omptape_analysis *analysis, const struct analysis_region *region,
                           const struct analysis_serial *serial, struct omptape_inside *inside)
{
    const struct analysis_sampled place = {.region = region, .serial = serial};
    if (!gather(analysis, &place, GATHER_OWN, inside))
        return false;
    if (inside->count + inside->blocked >= OMPTAPE_INSIDE_TOO_FEW || serial != NULL || region == NULL)
        return true;
    omptape_inside_free(inside);
    return gather(analysis, &place, GATHER_BESIDE, inside);
}

bool omptape_inside_gather_thread(const struct omptape_analysis *analysis, const char *thread,
                                  struct omptape_inside *inside)
{
    return gather(analysis, &(struct analysis_sampled){.thread = thread}, GATHER_OWN, inside);
}

uint64_t omptape_inside_thread_ns(const struct omptape_reader *reader, const char *thread, uint64_t *threads)
{
    uint64_t ns = 0;
    *threads = 0;
    OMPTAPE_EACH_DEFINITION(location, reader, OMPTAPE_DEF_LOCATION) {
        const struct omptape_definition *name = omptape_reader_location_property(
            reader, location->id, OMPTAPE_LOCATION_OTHER_THREAD, OTF2_TYPE_STRING);
        if (name == NULL || !is_alike(omptape_reader_string(reader, name->value[1]), thread))
            continue;
        const struct omptape_definition *ran = omptape_reader_location_property(
            reader, location->id, OMPTAPE_LOCATION_RUNNING, OTF2_TYPE_UINT64);
        omptape_add(&ns, ran != NULL ? ran->value[1] : 0);
        ++*threads;
    }
    return ns;
}

bool omptape_inside_gather_all(const struct omptape_analysis *analysis, struct omptape_inside *inside)
{
    return gather(analysis, NULL, GATHER_ALL, inside);
}

bool omptape_inside_gather_callers(const struct omptape_analysis *analysis,
                                   const struct analysis_region *region, struct omptape_inside *inside)
{
    *inside = (struct omptape_inside){.entries = NULL};
    return region == NULL || region->function[0] == '\0' ||
           gather(analysis, &(struct analysis_sampled){.region = region}, GATHER_CALLERS, inside);
}

void omptape_inside_free(struct omptape_inside *inside)
{
    free(inside->entries);
    *inside = (struct omptape_inside){.entries = NULL};
}

const struct omptape_inside_entry *omptape_inside_most_blocked(const struct omptape_inside *inside)
{
    const struct omptape_inside_entry *most = NULL;
    for (uint32_t i = 0; i < inside->entry_count; i++)
        if (inside->entries[i].blocked > (most != NULL ? most->blocked : 0))
            most = &inside->entries[i];
    return most;
}
