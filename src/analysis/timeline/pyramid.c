/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fills the rows of a pyramid (pyramid.h): threads' time comes from the analysis, devices' time and measured
 * values from their events. Called by the analysis as an observer.
 */
#include "src/analysis/timeline/pyramid.h"

#include "src/analysis/timeline/states.h"
#include "src/analysis/timeline/streams.h"
#include "src/archive/read/regions.h"
#include "src/core/array.h"
#include "src/core/whole.h"

#include <stdlib.h>

/* Maximum of bins in all rows, and minimum in one. In the page a bin takes a few bytes. */
enum { ALL_BINS = 1 << 20, MIN_BINS = 64 };
/* The same for a growing pyramid, which stays in memory for hours and is written with each checkpoint. A
 * bin of a row takes about 80 bytes. */
enum { GROWING_ALL = 1 << 17, GROWING_MIN = 64, FIRST_PART = 16 };

/* Later events are skipped, so that no sum of times overflows. */
static const uint64_t latest_time = UINT64_C(1) << 62;

struct pyramid_location {
    struct pyramid_row_writer writer; /* `row` is NULL for locations without a row */
    const struct omptape_definition *definition;
    uint32_t row;                        /* index of its row */
    struct omptape_device_stream stream; /* only for a device */
    struct timeline_reading reading;
};

struct pyramid_walk {
    struct omptape_pairs locations; /* (0, id) -> pyramid_location */
    struct omptape_pairs regions;   /* (0, id) -> pyramid_region */
    uint64_t first_width;
    bool growing; /* the number of bins per row falls with the number of rows */
    struct pyramid_location *last;
    struct timeline_kernel kernel;
};

static bool has_row(const struct omptape_pyramid *pyramid, const struct omptape_definition *definition)
{
    return definition->kind == OMPTAPE_DEF_LOCATION &&
           (definition->value[0] != OTF2_LOCATION_TYPE_METRIC ||
            omptape_location_is_other(pyramid->reader, definition));
}

/* Adds a row. Updates the writers' pointers if the array moves. */
static bool make_row(struct omptape_pyramid *pyramid)
{
    const struct pyramid_row *before = pyramid->rows;
    if (!OMPTAPE_RESERVE(pyramid->rows, pyramid->row_count + 1, &pyramid->row_capacity))
        return false;
    for (uint32_t i = 0; i < pyramid->walk->locations.count && pyramid->rows != before; i++) {
        struct pyramid_location *location = pyramid->walk->locations.list[i].value;
        if (location->writer.row != NULL)
            location->writer.row = &pyramid->rows[location->row];
    }
    pyramid->rows[pyramid->row_count++] = (struct pyramid_row){.begin = 0};
    return true;
}

static bool add_location(struct omptape_pyramid *pyramid, const struct omptape_definition *definition)
{
    struct pyramid_location *location = omptape_pairs_obtain(&pyramid->walk->locations, &pyramid->arena, 0,
                                                             definition->id, sizeof(*location));
    if (location == NULL)
        return false;
    if (location->definition != NULL)
        return true; /* defined twice */
    location->definition = definition;
    if (!has_row(pyramid, definition))
        return true;
    if (!make_row(pyramid))
        return false;
    location->row = pyramid->row_count - 1;
    location->writer.row = &pyramid->rows[location->row];
    location->writer.row->location = definition;
    location->writer.row->other = omptape_location_is_other(pyramid->reader, definition);
    location->writer.row->device =
        !location->writer.row->other && !omptape_location_is_thread(pyramid->reader, definition);
    return true;
}

static bool add_locations(struct omptape_pyramid *pyramid)
{
    const struct omptape_reader *reader = pyramid->reader;
    OMPTAPE_EACH_DEFINITION(location, reader, OMPTAPE_DEF_LOCATION)
        if (!add_location(pyramid, location))
            return false;
    return true;
}

static void flush_all(struct omptape_pyramid *pyramid)
{
    for (uint32_t i = 0; i < pyramid->walk->locations.count; i++) {
        struct pyramid_location *location = pyramid->walk->locations.list[i].value;
        if (location->writer.row != NULL)
            omptape_pyramid_flush(pyramid, &location->writer);
    }
}

bool omptape_pyramid_add_location(struct omptape_pyramid *pyramid, const struct omptape_definition *location)
{
    if (!add_location(pyramid, location))
        return false;
    while (pyramid->walk->growing && pyramid->bins > GROWING_MIN &&
           (uint64_t)pyramid->bins * pyramid->row_count > GROWING_ALL) {
        flush_all(pyramid);
        omptape_pyramid_halve(pyramid);
    }
    return true;
}

static uint32_t choose_bins(uint32_t rows)
{
    uint32_t most = ALL_BINS / (rows > 0 ? rows : 1);
    uint32_t bins = MIN_BINS;
    while (bins * 2 <= most && bins < PYRAMID_MAX_BINS)
        bins *= 2;
    return bins;
}

static struct omptape_pyramid *new_pyramid(struct omptape_reader *reader)
{
    struct omptape_pyramid *pyramid = omptape_calloc(1, sizeof(*pyramid));
    struct pyramid_walk *walk = omptape_calloc(1, sizeof(*walk));
    if (pyramid == NULL || walk == NULL) {
        free(pyramid);
        free(walk);
        return NULL;
    }
    pyramid->reader = reader;
    pyramid->walk = walk;
    walk->kernel.reader = reader;
    pyramid->until = latest_time;
    return pyramid;
}

struct omptape_pyramid *omptape_pyramid_begin_growing(struct omptape_reader *reader, uint64_t from)
{
    struct omptape_pyramid *pyramid = new_pyramid(reader);
    if (pyramid == NULL)
        return NULL;
    pyramid->walk->growing = true;
    pyramid->begin = from;
    pyramid->bins = PYRAMID_GROWING_BINS;
    pyramid->width = reader->clock_resolution / FIRST_PART / pyramid->bins + 1;
    return pyramid;
}

struct omptape_pyramid *omptape_pyramid_begin(struct omptape_reader *reader, uint64_t from, uint64_t to)
{
    struct omptape_pyramid *pyramid = new_pyramid(reader);
    if (pyramid == NULL)
        return NULL;
    bool clock =
        reader->clocks > 0 && reader->clock_offset < latest_time && reader->clock_length < latest_time;
    uint64_t begin = clock ? reader->clock_offset : 0;
    uint64_t end = clock ? reader->clock_offset + reader->clock_length : 0;
    pyramid->begin = from > begin && from < latest_time ? from : begin;
    pyramid->until = to > 0 && to < latest_time ? to : latest_time;
    end = pyramid->until < end ? pyramid->until : end;
    if (!add_locations(pyramid)) {
        omptape_pyramid_free(pyramid);
        return NULL;
    }
    pyramid->bins = choose_bins(pyramid->row_count);
    pyramid->width = (end > pyramid->begin ? end - pyramid->begin : 0) / pyramid->bins + 1;
    pyramid->walk->first_width = pyramid->width;
    return pyramid;
}

struct omptape_pyramid *omptape_pyramid_begin_part(const struct omptape_pyramid *whole)
{
    struct omptape_pyramid *pyramid = new_pyramid(whole->reader);
    if (pyramid == NULL)
        return NULL;
    pyramid->begin = whole->begin;
    pyramid->until = whole->until;
    pyramid->bins = whole->bins;
    pyramid->width = whole->walk->first_width;
    return pyramid;
}

static struct pyramid_location *location_of(struct pyramid_walk *walk, uint64_t id)
{
    if (walk->last == NULL || walk->last->definition->id != id)
        walk->last = omptape_pairs_get(&walk->locations, 0, id);
    return walk->last;
}

struct pyramid_region *omptape_pyramid_region(struct omptape_pyramid *pyramid,
                                              const struct omptape_definition *definition)
{
    struct pyramid_region *region =
        omptape_pairs_obtain(&pyramid->walk->regions, &pyramid->arena, 0, definition->id, sizeof(*region));
    if (region == NULL || region->definition != NULL)
        return region;
    if (!OMPTAPE_RESERVE(pyramid->regions, pyramid->region_count + 1, &pyramid->region_capacity))
        return NULL;
    region->definition = definition;
    region->index = pyramid->region_count;
    pyramid->regions[pyramid->region_count++] = region;
    return region;
}

/* Makes the bins longer if events come later than the archive's clock properties announced. */
void omptape_pyramid_reach(struct omptape_pyramid *pyramid, uint64_t time)
{
    if (omptape_pyramid_reaches(pyramid, time))
        return;
    flush_all(pyramid);
    omptape_pyramid_lengthen_bins(pyramid, time);
}

/* Adds an interval, limited to the pyramid's range. */
static void book(struct omptape_pyramid *pyramid, struct pyramid_location *location,
                 enum omptape_bucket bucket, struct pyramid_region *region, uint64_t from, uint64_t to)
{
    struct pyramid_row *row = location->writer.row;
    from = from > pyramid->begin ? from : pyramid->begin;
    to = to < pyramid->until ? to : pyramid->until;
    if (to <= from)
        return;
    omptape_pyramid_reach(pyramid, to);
    if (row->end == 0)
        row->begin = from;
    (void)omptape_pyramid_add(pyramid, &location->writer, bucket, region == NULL ? 0 : region->index + 1,
                              from, to);
    row->end = to;
    location->writer.end = 0;
}

/* Shared by all locations without a row. */
static struct pyramid_location nowhere;

static struct pyramid_location *observed_location(const struct omptape_pyramid *pyramid,
                                                  struct omptape_analysis_observed *observed)
{
    struct pyramid_location *location = observed->own;
    if (location == NULL)
        location = location_of(pyramid->walk, observed->definition->id);
    if (location == NULL)
        location = &nowhere;
    observed->own = location;
    observed->until = &location->writer.until;
    return location;
}

static struct pyramid_region *observed_region(struct omptape_pyramid *pyramid,
                                              struct omptape_analysis_observed *observed)
{
    struct pyramid_region *region = observed->own;
    if (region == NULL)
        region = omptape_pyramid_region(pyramid, observed->definition);
    observed->own = region;
    return region;
}

/* Books an interval that does not simply extend the newest bin. */
__attribute__((noinline)) static void
book_anew(struct omptape_pyramid *pyramid, struct omptape_analysis_observed *thread,
          enum omptape_bucket bucket, struct omptape_analysis_observed *observed, uint64_t from, uint64_t to)
{
    struct pyramid_location *location = observed_location(pyramid, thread);
    /* The region is not needed. */
    if (location->writer.row == NULL || to <= pyramid->begin || from >= pyramid->until)
        return;
    struct pyramid_region *region = observed != NULL ? observed_region(pyramid, observed) : NULL;
    if (observed == NULL || region != NULL)
        book(pyramid, location, bucket, region, from, to);
}

static void on_booked(void *data, struct omptape_analysis_observed *thread, enum omptape_bucket bucket,
                      struct omptape_analysis_observed *observed, uint64_t from, uint64_t to)
{
    struct omptape_pyramid *pyramid = data;
    struct pyramid_location *location = thread->own;
    struct pyramid_region *region = observed != NULL ? observed->own : NULL;
    if (location != NULL && region != NULL && from >= pyramid->begin && to <= pyramid->until &&
        omptape_pyramid_add_again(&location->writer, bucket, region->index + 1, &region->place, from, to))
        return;
    book_anew(pyramid, thread, bucket, observed, from, to);
}

static void on_device_event(struct omptape_pyramid *pyramid, struct pyramid_location *location,
                            const struct omptape_event *event)
{
    struct omptape_stream_interval interval;
    omptape_stream_event(&location->stream, pyramid->reader, event, &interval);
    if (interval.to <= interval.from || interval.to <= pyramid->begin || interval.from >= pyramid->until)
        return;
    struct pyramid_region *region =
        interval.region != NULL ? omptape_pyramid_region(pyramid, interval.region) : NULL;
    if (interval.region == NULL || region != NULL)
        book(pyramid, location, interval.bucket, region, interval.from, interval.to);
}

/* Returns true for members whose values form a curve. Sums since a start (such as processor time) do not. */
static bool is_level(const struct omptape_definition *member)
{
    switch (member->value[1]) {
    case OTF2_METRIC_ABSOLUTE_POINT:
    case OTF2_METRIC_ABSOLUTE_LAST:
    case OTF2_METRIC_ABSOLUTE_NEXT:
        return true;
    default:
        return false;
    }
}

/* Adds a thread's states between two readings, limited to the pyramid's range. */
static void add_states(struct omptape_pyramid *pyramid, struct pyramid_row *row,
                       const struct timeline_states *did)
{
    uint64_t from = did->from > pyramid->begin ? did->from : pyramid->begin;
    uint64_t to = did->to < pyramid->until ? did->to : pyramid->until;
    if (to <= from)
        return;
    uint64_t ticks[PYRAMID_STATES];
    ticks[PYRAMID_RUNNING] = omptape_whole((double)(to - from) * did->running);
    ticks[PYRAMID_RUNNABLE] = omptape_whole((double)(to - from) * did->queued);
    uint64_t known = omptape_plus(ticks[PYRAMID_RUNNING], ticks[PYRAMID_RUNNABLE]);
    ticks[PYRAMID_BLOCKED] = omptape_minus(to - from, known);
    omptape_pyramid_reach(pyramid, to);
    (void)omptape_pyramid_add_states(pyramid, row, from, to, ticks);
}

static void read_states(struct omptape_pyramid *pyramid, struct pyramid_location *location,
                        const struct omptape_event *event)
{
    struct timeline_kernel *kernel = &pyramid->walk->kernel;
    struct pyramid_row *row = location->writer.row;
    struct timeline_states did;
    if (!omptape_timeline_is_reading(kernel, event))
        return;
    row->events += row->other;
    if (omptape_timeline_read_states(kernel, &location->reading, event,
                                     row->end > 0 ? row->begin : event->time, &did))
        add_states(pyramid, row, &did);
}

static void measure(struct omptape_pyramid *pyramid, const struct pyramid_location *location,
                    const struct omptape_event *event)
{
    const struct omptape_definition *class = omptape_reader_metric_class(pyramid->reader, event->refs[0].id);
    for (uint32_t i = 0; class != NULL && i < class->member_count && i < event->count; i++) {
        const struct omptape_definition *member =
            omptape_reader_find(pyramid->reader, OMPTAPE_DEF_METRIC_MEMBER, class->members[i]);
        if (member == NULL || !is_level(member) || event->time < pyramid->begin ||
            event->time >= pyramid->until)
            continue;
        omptape_pyramid_reach(pyramid, event->time + 1);
        (void)omptape_pyramid_measure(pyramid, member, location->definition, event->time,
                                      omptape_metric_number(event->types[i], event->values[i]));
    }
}

static void note_life(struct pyramid_row *row, const struct omptape_event *event)
{
    if (event->kind != OMPTAPE_EVENT_THREAD_BEGIN && event->kind != OMPTAPE_EVENT_THREAD_END)
        return;
    row->end = event->time;
    if (event->kind == OMPTAPE_EVENT_THREAD_BEGIN) {
        row->begin = event->time;
        row->life = PYRAMID_CREATED;
        return;
    }
    row->life |= PYRAMID_ENDED;
    if (event->value[0] != OTF2_UNDEFINED_UINT64)
        row->life |= PYRAMID_AWAITED;
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct omptape_pyramid *pyramid = data;
    struct pyramid_location *location = location_of(pyramid->walk, event->location);
    if (location == NULL)
        return true;
    if (event->kind == OMPTAPE_EVENT_METRIC)
        measure(pyramid, location, event);
    if (event->kind == OMPTAPE_EVENT_METRIC && location->writer.row != NULL && !location->writer.row->device)
        read_states(pyramid, location, event);
    if (location->writer.row != NULL && location->writer.row->other)
        note_life(location->writer.row, event);
    if (location->writer.row != NULL && location->writer.row->device)
        on_device_event(pyramid, location, event);
    return !omptape_out_of_memory;
}

static void on_moved(void *data, struct omptape_analysis_observed *thread, enum omptape_bucket from,
                     enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t ticks)
{
    struct omptape_pyramid *pyramid = data;
    struct pyramid_location *location = observed_location(pyramid, thread);
    struct pyramid_row *row = location->writer.row;
    begin = begin > pyramid->begin ? begin : pyramid->begin;
    end = end < pyramid->until ? end : pyramid->until;
    if (row == NULL || end <= begin)
        return;
    omptape_pyramid_flush(pyramid, &location->writer);
    (void)omptape_pyramid_move(pyramid, row, from, to, begin, end, ticks);
}

static void on_visited(void *data, const struct omptape_analysis_observed *thread,
                       struct omptape_analysis_observed *observed, uint64_t begin, uint64_t end)
{
    struct pyramid_region *region = observed_region(data, observed);
    if (region == NULL)
        return;
    omptape_pyramid_keep_visit(
        region,
        (struct pyramid_visit){.ticks = end - begin, .begin = begin, .location = thread->definition->id});
    observed->longer_than = region->visits[PYRAMID_VISITS - 1].ticks;
}

void omptape_pyramid_thin_samples(struct omptape_pyramid *pyramid, unsigned halvings)
{
    struct timeline_samples *samples = &pyramid->samples;
    for (; samples->halvings < halvings; samples->halvings++) {
        samples->kept = 0;
        for (uint32_t i = 0; i < pyramid->row_count; i++) {
            omptape_timeline_halve(&pyramid->rows[i].samples);
            samples->kept += pyramid->rows[i].samples.count;
        }
    }
}

void omptape_pyramid_keep_sample(struct omptape_pyramid *pyramid, struct pyramid_row *row, uint64_t time,
                                 uint64_t path, uint64_t context)
{
    struct timeline_samples *samples = &pyramid->samples;
    const uint32_t place = omptape_timeline_sampled_place(samples, path, context);
    omptape_timeline_keep(samples, &row->samples, time, place);
    if (samples->kept > TIMELINE_MAX_SAMPLES && samples->halvings < TIMELINE_MAX_HALVINGS)
        omptape_pyramid_thin_samples(pyramid, samples->halvings + 1);
}

static void on_sampled(void *data, struct omptape_analysis_observed *thread, uint64_t time, uint64_t context,
                       struct omptape_analysis_observed *const *regions, uint32_t count)
{
    struct omptape_pyramid *pyramid = data;
    struct pyramid_row *row = observed_location(pyramid, thread)->writer.row;
    uint64_t path = 0;
    if (row == NULL || time < pyramid->begin || time >= pyramid->until ||
        !omptape_timeline_is_kept(&pyramid->samples, &row->samples))
        return;
    for (uint32_t i = count; i > 0; i--) {
        const struct pyramid_region *region = observed_region(pyramid, regions[i - 1]);
        if (region == NULL)
            return;
        path = omptape_timeline_sampled_path(&pyramid->samples, path, region->index);
    }
    omptape_pyramid_keep_sample(pyramid, row, time, path, context);
}

static void on_counted(void *data, const struct omptape_definition *definition, uint64_t events)
{
    const struct omptape_pyramid *pyramid = data;
    struct pyramid_location *location = location_of(pyramid->walk, definition->id);
    if (location != NULL && location->writer.row != NULL)
        location->writer.row->events += events;
}

struct omptape_analysis_observer omptape_pyramid_observer(struct omptape_pyramid *pyramid)
{
    return (struct omptape_analysis_observer){.data = pyramid,
                                              .booked = on_booked,
                                              .moved = on_moved,
                                              .visited = on_visited,
                                              .sampled = on_sampled,
                                              .event = on_event,
                                              .counted = on_counted};
}

void omptape_pyramid_end(struct omptape_pyramid *pyramid)
{
    flush_all(pyramid);
}

void omptape_pyramid_free(struct omptape_pyramid *pyramid)
{
    if (pyramid == NULL)
        return;
    for (uint32_t i = 0; i < pyramid->walk->locations.count; i++)
        omptape_stream_free(&((struct pyramid_location *)pyramid->walk->locations.list[i].value)->stream);
    for (uint32_t i = 0; i < pyramid->row_count; i++) {
        for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
            free(pyramid->rows[i].buckets[bucket]);
        for (int state = 0; state < PYRAMID_STATES; state++)
            free(pyramid->rows[i].states[state]);
        free(pyramid->rows[i].tops);
        free(pyramid->rows[i].samples.list);
    }
    omptape_timeline_samples_free(&pyramid->samples);
    omptape_pairs_free(&pyramid->walk->locations);
    omptape_pairs_free(&pyramid->walk->regions);
    free(pyramid->walk);
    free(pyramid->rows);
    free(pyramid->regions);
    omptape_arena_free(&pyramid->arena);
    free(pyramid);
}

struct pyramid_row_writer *omptape_pyramid_row_writer(struct omptape_pyramid *pyramid, uint64_t location)
{
    struct pyramid_location *found = location_of(pyramid->walk, location);
    return found != NULL && found->writer.row != NULL ? &found->writer : NULL;
}

static bool is_empty(const struct omptape_pyramid *pyramid)
{
    for (uint32_t i = 0; i < pyramid->row_count; i++)
        if (pyramid->rows[i].tops != NULL)
            return false;
    return pyramid->curve_count == 0;
}

void omptape_pyramid_widen(struct omptape_pyramid *pyramid, uint64_t width, uint32_t bins)
{
    if (is_empty(pyramid)) {
        pyramid->width = width;
        pyramid->bins = bins;
    }
    if (pyramid->width < width) {
        flush_all(pyramid);
        omptape_pyramid_lengthen_bins(pyramid, pyramid->begin + width * pyramid->bins);
    }
}
