/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates what the program names itself: regions, steps, marks and ranges (include/omptape/user.h).
 */
#include "src/core/array.h"
#include "src/core/hash.h"
#include "src/core/words.h"
#include "writers/translate/stack.h"
#include "writers/translate/translators.h"

#include <omptape/user.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits for programs that create names from numbers. Further names share one. */
enum { MAX_NAMES = 20000, MAX_METRICS = 1000, MAX_REALS = 20000, MAX_RANGES = 100000, NAME_BYTES = 1024 };

/* Key of an open region. */
enum { PLAIN, STEP, STACKED, ENDED /* The region has ended, but a region that began in it has not. */ };

/* A named value of the program. */
struct user_metric {
    OTF2_StringRef name;
    uint32_t level;                      /* OMPTAPE_METRIC_SCHED: no value has been written yet. */
    const struct omptape_location *last; /* Location of its last value. */
};

struct omptape_user_names {
    uint32_t count;
    bool too_many;
    bool too_many_metrics;
    struct user_metric *metrics;
    uint32_t metric_count;
    uint32_t metric_capacity;
    struct omptape_hash by_name; /* Maps the key of its text to a metric. */
    struct omptape_pairs places; /* Pairs (metric, location) that had values. */
    uint32_t reals;              /* Number of different real numbers. */
    uint32_t excluded;           /* Functions left out because they were called too often. */
    struct omptape_hash ranges;  /* Open ranges: identity to region + 1. */
};

static struct omptape_user_names *names_of(struct omptape_writer *writer)
{
    if (writer->user_names == NULL)
        writer->user_names = calloc(1, sizeof(*writer->user_names));
    return writer->user_names;
}

void omptape_user_names_free(struct omptape_writer *writer)
{
    struct omptape_user_names *names = writer->user_names;
    if (names == NULL)
        return;
    omptape_hash_free(&names->ranges);
    omptape_hash_free(&names->by_name);
    omptape_pairs_free(&names->places);
    free(names->metrics);
    free(names);
}

const char *omptape_user_names_warn(const struct omptape_writer *writer, char *text, size_t bytes)
{
    const struct omptape_user_names *names = writer->user_names;
    if (names != NULL && names->too_many)
        return "the program names too many different things: those after the first 20000 names are shown as "
               "(other names); give the number as a value or a step instead";
    if (names != NULL && names->too_many_metrics)
        return "the program gives values with too many different names: those after the first 1000 names are "
               "shown as (other values)";
    if (names != NULL && names->reals >= MAX_REALS)
        return "the program gives more than 20000 different real numbers with names: the later ones are "
               "shown with three digits";
    if (names == NULL || names->excluded == 0)
        return NULL;
    snprintf(text, bytes,
             "%u function%s of -finstrument-functions %s left out after 10000 calls that took less than 2 us "
             "on average (-finstrument-functions-exclude-function-list leaves them alone)",
             names->excluded, names->excluded == 1 ? "" : "s", names->excluded == 1 ? "is" : "are");
    return text;
}

/* Returns how many numbers precede the name. */
static size_t count_numbers(const struct omptape_record *record)
{
    return (size_t)((record->a & (OMPTAPE_USER_IS_STEP | OMPTAPE_USER_BEGINS | OMPTAPE_USER_ENDS)) != 0) +
           (size_t)((record->a & OMPTAPE_USER_VALUE) != 0);
}

static OTF2_RegionRef named(struct omptape_writer *writer, const char *name, OTF2_StringRef group)
{
    struct omptape_user_names *names = names_of(writer);
    const uint32_t known = writer->references->count;
    if (names == NULL)
        return OTF2_UNDEFINED_REGION;
    if (names->count >= MAX_NAMES) {
        names->too_many = true;
        name = "(other names)";
        group = 0;
    }
    const OTF2_RegionRef region = omptape_references_get_named(writer, OMPTAPE_REGION_USER, name);
    names->count += writer->references->count > known;
    if (region != OTF2_UNDEFINED_REGION)
        writer->references->list[region].group = group;
    return region;
}

/* Stores the region under `number`, which later records of this location use. */
static void store_region(struct omptape_location *location, unsigned number, OTF2_RegionRef region)
{
    if (location->names == NULL) {
        location->names = malloc(OMPTAPE_USER_NAMES * sizeof(*location->names));
        for (unsigned i = 0; location->names != NULL && i < OMPTAPE_USER_NAMES; i++)
            location->names[i] = OTF2_UNDEFINED_REGION;
    }
    if (location->names != NULL)
        location->names[number] = region;
}

/* Copies the text as UTF-8 on one line, or "(no name)" for none. The text ends within `capacity`, unless the
 * record is damaged. */
static void copy_text(char name[NAME_BYTES], const char *text, size_t capacity)
{
    enum { MAX_BYTES_OF_CHARACTER = 4 };
    char whole[NAME_BYTES];
    size_t used = 0;
    snprintf(whole, sizeof(whole), "%.*s", (int)capacity, text);
    for (const char *next = whole; *next != '\0' && used + MAX_BYTES_OF_CHARACTER < NAME_BYTES;) {
        size_t bytes;
        const char *character = omptape_utf8_replace(&next, &bytes);
        memcpy(name + used, bytes == 1 && (unsigned char)*character < ' ' ? " " : character, bytes);
        used += bytes;
    }
    name[used] = '\0';
    if (used == 0)
        snprintf(name, NAME_BYTES, "(no name)");
}

/* Copies the name as "group:text". Returns the group's name, or 0 if it has no group. */
static OTF2_StringRef copy_name(struct omptape_writer *writer, char name[NAME_BYTES], const char *text,
                                size_t capacity)
{
    const char *end = memchr(text, OMPTAPE_USER_BEHIND_GROUP, strnlen(text, capacity));
    copy_text(name, text, capacity);
    if (end == NULL)
        return 0;
    char group[NAME_BYTES];
    copy_text(group, text, (size_t)(end - text));
    name[strlen(group)] = ':';
    return omptape_archive_string(&writer->strings, group);
}

/* Returns the region of the record's name; OTF2_UNDEFINED_REGION if it is damaged or without memory. */
static OTF2_RegionRef region_of(struct omptape_writer *writer, struct omptape_location *location,
                                const struct omptape_record *record)
{
    char name[NAME_BYTES];
    const unsigned number = omptape_user_number(record->b);
    const size_t first = count_numbers(record);
    if (omptape_record_payload(record) < first)
        return OTF2_UNDEFINED_REGION;
    if ((record->a & OMPTAPE_USER_TEXT) == 0)
        return location->names != NULL ? location->names[number] : OTF2_UNDEFINED_REGION;
    const size_t capacity = (omptape_record_payload(record) - first) * sizeof(record->p[0]);
    const OTF2_StringRef group = copy_name(writer, name, (const char *)&record->p[first], capacity);
    const OTF2_RegionRef region = named(writer, name, group);
    if ((record->a & OMPTAPE_USER_KEEP) != 0)
        store_region(location, number, region);
    return region;
}

/* Returns the metric's number: MAX_METRICS for all names beyond the limit, MAX_METRICS + 1 if out of
 * memory. */
static uint32_t metric_named(struct omptape_writer *writer, struct omptape_user_names *names,
                             const char *name)
{
    const uint64_t key = omptape_hash_key(name, strlen(name));
    const struct omptape_hash_entry *entry = NULL;
    while ((entry = omptape_hash_next(&names->by_name, key, entry)) != NULL)
        if (strcmp(omptape_archive_text(&writer->strings, names->metrics[entry->number].name), name) == 0)
            return (uint32_t)entry->number;
    if (names->metric_count == MAX_METRICS) {
        names->too_many_metrics = true;
        name = "(other values)";
    }
    if (names->metric_count > MAX_METRICS)
        return MAX_METRICS;
    if (!OMPTAPE_RESERVE(names->metrics, names->metric_count + 1, &names->metric_capacity) ||
        omptape_hash_join(&names->by_name, key, names->metric_count) != 0)
        return MAX_METRICS + 1;
    names->metrics[names->metric_count] =
        (struct user_metric){.name = omptape_archive_string(&writer->strings, name)};
    return names->metric_count++;
}

/* Returns NULL if the record is damaged or memory is exhausted. */
static struct user_metric *metric_of(struct omptape_writer *writer, struct omptape_location *location,
                                     const struct omptape_record *record)
{
    struct omptape_user_names *names = names_of(writer);
    const unsigned kept = omptape_user_number(record->b);
    uint32_t number = location->names != NULL ? location->names[kept] : OTF2_UNDEFINED_REGION;
    if (names == NULL || omptape_record_payload(record) == 0)
        return NULL;
    if ((record->a & OMPTAPE_USER_TEXT) != 0) {
        char name[NAME_BYTES];
        copy_text(name, (const char *)&record->p[1],
                  (omptape_record_payload(record) - 1) * sizeof(record->p[0]));
        number = metric_named(writer, names, name);
        if ((record->a & OMPTAPE_USER_KEEP) != 0)
            store_region(location, kept, number);
    }
    return number < names->metric_count ? &names->metrics[number] : NULL;
}

/* Defines the metric's class with its first value, and its location with the first value there. */
static bool note_place(struct omptape_writer *writer, const struct omptape_location *location,
                       struct user_metric *metric)
{
    struct omptape_user_names *names = writer->user_names;
    const OTF2_StringRef nothing = omptape_archive_string(&writer->strings, "");
    const struct omptape_level level = {.name = metric->name,
                                        .description = nothing,
                                        .unit = nothing,
                                        .type = OTF2_TYPE_DOUBLE,
                                        .source = OTF2_METRIC_TYPE_USER,
                                        .mode = OTF2_METRIC_ABSOLUTE_POINT,
                                        .recorder = OTF2_RECORDER_KIND_CPU};
    if (metric->level == OMPTAPE_METRIC_SCHED)
        metric->level = omptape_archive_add_level(&writer->archive, &level);
    if (metric->level == OMPTAPE_METRIC_SCHED)
        return false;
    if (omptape_pairs_get(&names->places, metric->level, location->ref) == NULL &&
        omptape_pairs_put(&names->places, metric->level, location->ref, names) == 0)
        omptape_archive_add_level_place(&writer->archive, metric->level, location->ref);
    metric->last = location;
    return true;
}

/* Writes a value on the thread's location. */
static void write_metric(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record, uint64_t time)
{
    struct user_metric *metric = metric_of(writer, location, record);
    if (metric == NULL || writer->paused || location->off_written ||
        !omptape_archive_can_write(&writer->archive, location->events) ||
        (writer->filter != NULL && omptape_region_filter_hides_value(writer, location)))
        return;
    if (metric->last != location && !note_place(writer, location, metric))
        return;
    location->last = omptape_location_time(location, time);
    omptape_archive_metric(&writer->archive, location->events, location->last, metric->level,
                           OTF2_TYPE_DOUBLE, 1, &record->p[0]);
}

/* Returns the number's text. Each is a definition, so later ones get three digits if there are many. */
static OTF2_StringRef show_real(struct omptape_writer *writer, double real)
{
    struct omptape_user_names *names = names_of(writer);
    const uint32_t known = writer->strings.rows.count;
    char text[32];
    snprintf(text, sizeof(text), names != NULL && names->reals < MAX_REALS ? "%.9g" : "%.3g", real);
    const OTF2_StringRef string = omptape_archive_string(&writer->strings, text);
    if (names != NULL)
        names->reals += writer->strings.rows.count > known;
    return string;
}

/* Writes the numbers of the region that was entered last as parameters. */
static void write_numbers(struct omptape_writer *writer, struct omptape_location *location,
                          const struct omptape_record *record)
{
    size_t next = 0;
    const bool is_range = (record->a & (OMPTAPE_USER_BEGINS | OMPTAPE_USER_ENDS)) != 0;
    const bool is_step = !is_range && (record->a & OMPTAPE_USER_IS_STEP) != 0;
    if (omptape_record_payload(record) < count_numbers(record))
        return;
    if (is_step)
        omptape_archive_parameter(&writer->archive, location->events, location->last, OMPTAPE_PARAMETER_STEP,
                                  record->p[next++]);
    if (is_range)
        omptape_archive_parameter(&writer->archive, location->events, location->last, OMPTAPE_PARAMETER_RANGE,
                                  record->p[next++]);
    if ((record->a & OMPTAPE_USER_VALUE) == 0)
        return;
    const struct omptape_user_value value = {.is.number = record->p[next]};
    switch (record->a >> 8 & 3) {
    case OMPTAPE_USER_INT64:
        omptape_archive_parameter(&writer->archive, location->events, location->last,
                                  OMPTAPE_PARAMETER_PAYLOAD_SIGNED, (uint64_t)value.is.integer);
        break;
    case OMPTAPE_USER_DOUBLE:
        omptape_archive_parameter(&writer->archive, location->events, location->last,
                                  OMPTAPE_PARAMETER_PAYLOAD_REAL, show_real(writer, value.is.real));
        break;
    default:
        omptape_archive_parameter(&writer->archive, location->events, location->last,
                                  OMPTAPE_PARAMETER_PAYLOAD, value.is.number);
    }
}

static struct omptape_open_region *find_step(const struct omptape_location *location, OTF2_RegionRef region)
{
    struct omptape_open_region *open = location->stack.top;
    while (open != location->stack.floor &&
           !(omptape_stack_is(open, OMPTAPE_CLASS_USER, STEP, 0) && open->region == region))
        open--;
    return open != location->stack.floor ? open : NULL;
}

/* Returns the innermost plain region or step, or NULL. */
static struct omptape_open_region *find_plain(const struct omptape_location *location)
{
    for (struct omptape_open_region *open = location->stack.top; open != location->stack.floor; open--)
        if (open->class == OMPTAPE_CLASS_USER && (open->key == PLAIN || open->key == STEP))
            return open;
    return NULL;
}

/* Returns the region of that stack and level. A task resumed on another thread has that one's levels. */
static struct omptape_open_region *find_stacked(const struct omptape_location *location, uint32_t place)
{
    struct omptape_open_region *open = omptape_stack_find(location, OMPTAPE_CLASS_USER, STACKED, place + 1);
    const struct omptape_frame *frame = omptape_stack_top(location);
    if (open == NULL && frame != NULL && frame->task != NULL)
        open = omptape_stack_find(location, OMPTAPE_CLASS_USER, STACKED, 0);
    return open;
}

static void leave_ended(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    struct omptape_open_region *open;
    while ((open = omptape_stack_innermost(location)) != NULL &&
           omptape_stack_is(open, OMPTAPE_CLASS_USER, ENDED, 0))
        omptape_stack_leave(writer, location, time, open, false);
}

/* Leaves the region. If regions of the program that began in it are still open, it ends with them instead. */
static void leave(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                  struct omptape_open_region *open)
{
    if (open == NULL)
        return;
    for (struct omptape_open_region *inner = location->stack.top; open->key == STACKED && inner != open;
         inner--)
        if (inner->class == OMPTAPE_CLASS_USER) {
            open->key = ENDED;
            return;
        }
    omptape_stack_leave(writer, location, time, open, false);
    leave_ended(writer, location, time);
}

static void name_thread(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record)
{
    char name[NAME_BYTES];
    if (omptape_record_payload(record) < 2)
        return;
    for (uint32_t i = 0; record->p[0] != 0 && i < writer->location_count; i++)
        if (writer->locations[i]->device == NULL && writer->locations[i]->tid == record->p[0])
            location = writer->locations[i];
    if (record->p[0] != 0 && location->tid != record->p[0])
        return;
    copy_text(name, (const char *)&record->p[1], (omptape_record_payload(record) - 1) * sizeof(record->p[0]));
    free(location->title);
    location->title = strdup(name);
}

/* Enters a function of the program, which the region's name shows. */
static void enter_function(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    if (omptape_record_payload(record) == 0)
        return;
    leave_ended(writer, location, time);
    /* Call sites are return addresses. The address after the function's first byte has its line. */
    OMPTAPE_ENTER(writer, location, time, .kind = OMPTAPE_REGION_USER, .class = OMPTAPE_CLASS_USER,
                  .key = STACKED, .id = omptape_user_place(record->b) + 1, .address = record->p[0] + 1);
}

/* Begins a region. A step first ends the previous step of the same name, with all regions in it. */
void omptape_user_translate_begin(struct omptape_writer *writer, struct omptape_location *location,
                                  const struct omptape_record *record, uint64_t time)
{
    if ((record->a & OMPTAPE_USER_CODE) != 0) {
        enter_function(writer, location, record, time);
        return;
    }
    const OTF2_RegionRef region = region_of(writer, location, record);
    const bool is_step = (record->a & OMPTAPE_USER_IS_STEP) != 0;
    const bool is_stacked = (record->a & OMPTAPE_USER_STACKED) != 0;
    if (region == OTF2_UNDEFINED_REGION)
        return;
    if (is_stacked && omptape_user_stack(record->b) == OMPTAPE_USER_KERNELS)
        omptape_sites_note_kernel(writer, region);
    struct omptape_open_region *before = is_step ? find_step(location, region) : NULL;
    if (before != NULL)
        omptape_stack_leave(writer, location, time, before, false);
    leave_ended(writer, location, time);
    OMPTAPE_ENTER(writer, location, time, .kind = OMPTAPE_REGION_USER, .class = OMPTAPE_CLASS_USER,
                  .key = is_step      ? STEP
                         : is_stacked ? STACKED
                                      : PLAIN,
                  .id = is_stacked ? omptape_user_place(record->b) + 1 : 0,
                  .site = writer->references->list[region].site, .region = region);
    const struct omptape_open_region *open = omptape_stack_innermost(location);
    if (open != NULL && open->written)
        write_numbers(writer, location, record);
}

void omptape_user_translate_end(struct omptape_writer *writer, struct omptape_location *location,
                                const struct omptape_record *record, uint64_t time)
{
    leave(writer, location, time,
          (record->a & OMPTAPE_USER_STACKED) != 0 ? find_stacked(location, omptape_user_place(record->b))
                                                  : find_plain(location));
}

/* Returns the region for one end of a range. It has no length, as the other end may be on another thread. */
static OTF2_RegionRef end_of_range(struct omptape_writer *writer, OTF2_RegionRef region, bool begins)
{
    char name[NAME_BYTES];
    const OTF2_StringRef string = (OTF2_StringRef)(writer->references->list[region].site & UINT32_MAX);
    snprintf(name, sizeof(name), "%s (%s)", omptape_archive_text(&writer->strings, string),
             begins ? "begin" : "end");
    return named(writer, name, writer->references->list[region].group);
}

/* Returns the region of a range's end: stores the range at its begin, looks it up at its end. */
static OTF2_RegionRef range_of(struct omptape_writer *writer, struct omptape_location *location,
                               const struct omptape_record *record)
{
    struct omptape_user_names *names = names_of(writer);
    const bool begins = (record->a & OMPTAPE_USER_BEGINS) != 0;
    if (names == NULL || omptape_record_payload(record) == 0)
        return OTF2_UNDEFINED_REGION;
    OTF2_RegionRef region;
    if (begins) {
        region = region_of(writer, location, record);
        if (region != OTF2_UNDEFINED_REGION && names->ranges.count < MAX_RANGES)
            (void)omptape_hash_put(&names->ranges, record->p[0], (void *)(uintptr_t)(region + 1));
    } else {
        region = (OTF2_RegionRef)(uintptr_t)omptape_hash_remove_key(&names->ranges, record->p[0]) - 1;
    }
    return region == OTF2_UNDEFINED_REGION ? region : end_of_range(writer, region, begins);
}

void omptape_user_translate_mark(struct omptape_writer *writer, struct omptape_location *location,
                                 const struct omptape_record *record, uint64_t time)
{
    if ((record->a & OMPTAPE_USER_EXCLUDED) != 0) {
        if (names_of(writer) != NULL)
            writer->user_names->excluded++;
        return;
    }
    if ((record->a & OMPTAPE_USER_THREAD) != 0) {
        name_thread(writer, location, record);
        return;
    }
    /* With distinct times a value becomes a mark with number: readers merge metrics into the next event. */
    if ((record->a & OMPTAPE_USER_METRIC) != 0 && writer->archive.step == 0) {
        write_metric(writer, location, record, time);
        return;
    }
    const bool is_range = (record->a & (OMPTAPE_USER_BEGINS | OMPTAPE_USER_ENDS)) != 0;
    const OTF2_RegionRef region =
        is_range ? range_of(writer, location, record) : region_of(writer, location, record);
    if (region == OTF2_UNDEFINED_REGION)
        return;
    const struct omptape_enter enter = {.kind = OMPTAPE_REGION_USER,
                                        .class = OMPTAPE_CLASS_INNER,
                                        .site = writer->references->list[region].site,
                                        .region = region};
    const struct omptape_stack_point point = omptape_stack_begin_point(writer, location, time, &enter);
    if (point.written)
        write_numbers(writer, location, record);
    omptape_stack_end_point(writer, location, &point);
}
