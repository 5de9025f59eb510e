/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Serialises a pyramid's rows and curves (pyramid_bytes.h). Runs of zeros are counted: most bins contain two
 * or three buckets, and a short run only fills a few bins.
 */
#include "src/analysis/reduce/pyramid_bytes.h"

#include "src/core/whole.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = OMPTAPE_BUCKET_COUNT, STATES = PYRAMID_STATES, PLANES = BUCKETS + STATES };
enum { NUMBERS_OF_BIN = PLANES + 2 * PYRAMID_TOPS };
enum { NUMBERS_OF_ROW = NUMBERS_OF_BIN * PYRAMID_MAX_BINS };

/* As in pyramid.c: later times are skipped. */
static const uint64_t latest_time = UINT64_C(1) << 62;

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static double value_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void put_plane(struct omptape_bytes *bytes, struct omptape_bytes_run *run, const uint64_t *plane,
                      uint32_t bins)
{
    for (uint32_t bin = 0; bin < bins; bin++)
        omptape_bytes_put_sparse(bytes, run, plane != NULL ? plane[bin] : 0);
}

/* Writes differences of neighbouring bins, as a state often lasts many bins. The lowest bit is the sign. */
static void put_state(struct omptape_bytes *bytes, struct omptape_bytes_run *run, const uint64_t *plane,
                      uint32_t bins)
{
    for (uint32_t bin = 0; bin < bins; bin++) {
        uint64_t before = plane != NULL && bin > 0 ? plane[bin - 1] : 0;
        uint64_t now = plane != NULL ? plane[bin] : 0;
        omptape_bytes_put_sparse(bytes, run, now < before ? (before - now) << 1 | 1 : (now - before) << 1);
    }
}

/* Replaces the differences by the values. */
static void take_state(uint64_t *plane, uint32_t bins)
{
    uint64_t before = 0;
    for (uint32_t bin = 0; bin < bins; bin++) {
        uint64_t by = plane[bin] >> 1;
        before = (plane[bin] & 1) != 0 ? before - by : before + by;
        plane[bin] = before;
    }
}

static void put_row(struct omptape_bytes *bytes, const struct omptape_pyramid *pyramid,
                    const struct pyramid_row *row)
{
    struct omptape_bytes_run run = {0};
    omptape_bytes_put(bytes, row->location->id);
    omptape_bytes_put(bytes, row->begin);
    omptape_bytes_put(bytes, row->end);
    omptape_bytes_put(bytes, row->events);
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        put_plane(bytes, &run, row->buckets[bucket], pyramid->bins);
    for (int state = 0; state < PYRAMID_STATES; state++)
        put_state(bytes, &run, row->states[state], pyramid->bins);
    for (uint32_t bin = 0; bin < pyramid->bins; bin++) {
        for (unsigned top = 0; top < PYRAMID_TOPS; top++) {
            omptape_bytes_put_sparse(bytes, &run, row->tops != NULL ? row->tops[bin].region[top] : 0);
            omptape_bytes_put_sparse(bytes, &run, row->tops != NULL ? row->tops[bin].ticks[top] : 0);
        }
    }
    omptape_bytes_end_sparse(bytes, &run);
}

static void put_curve(struct omptape_bytes *bytes, const struct omptape_reader *reader,
                      const struct pyramid_curve *curve)
{
    struct omptape_bytes_run run = {0};
    const char *name = omptape_reader_name(reader, OMPTAPE_DEF_METRIC_MEMBER, curve->member->id);
    omptape_bytes_put(bytes, strlen(name));
    omptape_bytes_put_raw(bytes, name, strlen(name));
    omptape_bytes_put(bytes, curve->location->id);
    omptape_bytes_put(bytes, curve->first_bin);
    omptape_bytes_put(bytes, curve->last_bin);
    for (uint32_t bin = 0; bin < PYRAMID_CURVE_BINS; bin++)
        omptape_bytes_put_sparse(bytes, &run, bits_of(curve->bins[bin]));
    omptape_bytes_end_sparse(bytes, &run);
}

static void put_region(struct omptape_bytes *bytes, const struct pyramid_region *region)
{
    omptape_bytes_put(bytes, region->definition->id);
    for (unsigned i = 0; i < PYRAMID_VISITS; i++) {
        omptape_bytes_put(bytes, region->visits[i].ticks);
        omptape_bytes_put(bytes, region->visits[i].begin);
        omptape_bytes_put(bytes, region->visits[i].location);
    }
}

static bool has_lives(const struct omptape_pyramid *pyramid)
{
    bool has = false;
    for (uint32_t i = 0; i < pyramid->row_count; i++)
        has = has || pyramid->rows[i].life != 0;
    return has;
}

/* Writes the samples after everything else, if there are any: files of earlier versions have none. Behind
 * them are the lives of threads, if there are any. */
static void put_samples(struct omptape_bytes *bytes, const struct omptape_pyramid *pyramid)
{
    const struct timeline_samples *samples = &pyramid->samples;
    if (samples->kept == 0 && !has_lives(pyramid))
        return;
    omptape_bytes_put(bytes, samples->halvings);
    omptape_bytes_put(bytes, samples->paths.count);
    for (uint32_t i = 0; i < samples->paths.count; i++) {
        omptape_bytes_put(bytes, timeline_path_at(samples, i)->outer);
        omptape_bytes_put(bytes, timeline_path_at(samples, i)->region);
    }
    omptape_bytes_put(bytes, samples->places.count);
    for (uint32_t i = 0; i < samples->places.count; i++) {
        omptape_bytes_put(bytes, timeline_place_at(samples, i)->path);
        omptape_bytes_put(bytes, timeline_place_at(samples, i)->context);
    }
    for (uint32_t i = 0; i < pyramid->row_count; i++) {
        const struct timeline_row_samples *row = &pyramid->rows[i].samples;
        omptape_bytes_put(bytes, row->count);
        for (uint32_t j = 0; j < row->count; j++) {
            omptape_bytes_put(bytes, row->list[j].time - pyramid->begin);
            omptape_bytes_put(bytes, row->list[j].place);
        }
    }
    for (uint32_t i = 0; has_lives(pyramid) && i < pyramid->row_count; i++)
        omptape_bytes_put(bytes, pyramid->rows[i].life);
}

void omptape_pyramid_put(struct omptape_bytes *bytes, const struct omptape_pyramid *pyramid)
{
    omptape_bytes_put(bytes, pyramid->begin);
    omptape_bytes_put(bytes, pyramid->width);
    omptape_bytes_put(bytes, pyramid->bins);
    omptape_bytes_put(bytes, pyramid->region_count);
    for (uint32_t i = 0; i < pyramid->region_count; i++)
        put_region(bytes, pyramid->regions[i]);
    omptape_bytes_put(bytes, pyramid->row_count);
    for (uint32_t i = 0; i < pyramid->row_count; i++)
        put_row(bytes, pyramid, &pyramid->rows[i]);
    omptape_bytes_put(bytes, pyramid->curve_count);
    for (uint32_t i = 0; i < pyramid->curve_count; i++)
        put_curve(bytes, pyramid->reader, pyramid->curves[i]);
    omptape_bytes_put(bytes, pyramid->curves_left_out);
    put_samples(bytes, pyramid);
}

/* State while a pyramid is read. */
struct taking {
    struct omptape_pyramid *pyramid;
    struct omptape_bytes_rest *rest;
    const struct omptape_partial_map *map;
    uint64_t begin;
    uint64_t width;
    uint32_t bins;
    uint32_t *regions; /* index of a region in the pyramid, by its index in the bytes */
    uint32_t region_count;
    uint64_t *numbers; /* numbers of one row: NUMBERS_OF_ROW */
};

/* Returns the bin's begin in the archive's time; UINT64_MAX if it is too late. */
static uint64_t begin_of(const struct taking *taking, uint32_t bin)
{
    uint64_t time = taking->map->time(taking->map->data, taking->begin + bin * taking->width);
    if (time >= latest_time)
        return UINT64_MAX;
    return time > taking->pyramid->begin ? time : taking->pyramid->begin;
}

static bool take_head(struct taking *taking)
{
    taking->begin = omptape_bytes_take(taking->rest);
    taking->width = omptape_bytes_take(taking->rest);
    uint64_t bins = omptape_bytes_take(taking->rest);
    if (bins == 0 || bins > PYRAMID_MAX_BINS || (bins & (bins - 1)) != 0 || taking->width == 0 ||
        taking->begin >= latest_time || taking->width > (latest_time - taking->begin) / bins)
        return false;
    taking->bins = (uint32_t)bins;
    uint64_t width = taking->map->ticks(taking->map->data, taking->width);
    uint64_t end = begin_of(taking, taking->bins - 1);
    if (width == 0 || width > latest_time / PYRAMID_MAX_BINS || end == UINT64_MAX)
        return false;
    omptape_pyramid_widen(taking->pyramid, width, taking->bins);
    omptape_pyramid_reach(taking->pyramid, end + width);
    return true;
}

static bool take_visits(struct taking *taking, struct pyramid_region *region)
{
    const struct omptape_partial_map *map = taking->map;
    for (unsigned i = 0; i < PYRAMID_VISITS; i++) {
        struct pyramid_visit visit = {.ticks = map->ticks(map->data, omptape_bytes_take(taking->rest))};
        visit.begin = map->time(map->data, omptape_bytes_take(taking->rest));
        visit.location = omptape_bytes_take(taking->rest);
        if (taking->rest->bad || visit.begin >= latest_time || visit.ticks >= latest_time)
            return false;
        if (visit.ticks == 0)
            continue;
        if (!map->id(map->data, OMPTAPE_DEF_LOCATION, &visit.location))
            return false;
        omptape_pyramid_keep_visit(region, visit);
    }
    return true;
}

static bool take_regions(struct taking *taking)
{
    struct omptape_pyramid *pyramid = taking->pyramid;
    uint64_t count = omptape_bytes_take(taking->rest);
    /* Each region takes at least one byte. */
    if (count > (uint64_t)(taking->rest->end - taking->rest->at))
        return false;
    taking->regions = omptape_arena_alloc(&pyramid->arena, ((size_t)count + 1) * sizeof(uint32_t));
    if (taking->regions == NULL)
        return false;
    taking->region_count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t id = omptape_bytes_take(taking->rest);
        if (taking->rest->bad || !taking->map->id(taking->map->data, OMPTAPE_DEF_REGION, &id))
            return false;
        struct pyramid_region *region =
            omptape_pyramid_region(pyramid, omptape_reader_find(pyramid->reader, OMPTAPE_DEF_REGION, id));
        if (region == NULL || !take_visits(taking, region))
            return false;
        taking->regions[i] = region->index + 1;
    }
    return true;
}

static bool add_states(struct taking *taking, struct pyramid_row *row, uint32_t bin)
{
    const uint64_t *numbers = taking->numbers + (size_t)OMPTAPE_BUCKET_COUNT * taking->bins + bin;
    uint64_t ticks[PYRAMID_STATES];
    uint64_t left = taking->width;
    uint64_t time = begin_of(taking, bin);
    for (unsigned state = 0; state < PYRAMID_STATES; state++) {
        ticks[state] = numbers[(size_t)state * taking->bins];
        if (ticks[state] > left)
            return false;
        left -= ticks[state];
        ticks[state] = taking->map->ticks(taking->map->data, ticks[state]);
    }
    if (left == taking->width)
        return true;
    uint64_t until = time + taking->map->ticks(taking->map->data, taking->width);
    omptape_pyramid_reach(taking->pyramid, until);
    return omptape_pyramid_add_states(taking->pyramid, row, time, until, ticks);
}

/* Adds a bin of the row: its buckets are placed one after the other. */
static bool add_bin(struct taking *taking, struct pyramid_row_writer *writer, uint32_t bin)
{
    const uint64_t *tops = taking->numbers + (size_t)PLANES * taking->bins + (size_t)bin * 2 * PYRAMID_TOPS;
    uint64_t time = begin_of(taking, bin);
    uint64_t left = taking->width;
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        uint64_t ticks = taking->numbers[(size_t)bucket * taking->bins + bin];
        if (ticks > left)
            return false;
        left -= ticks;
        ticks = taking->map->ticks(taking->map->data, ticks);
        if (ticks == 0)
            continue;
        omptape_pyramid_reach(taking->pyramid, time + ticks);
        if (!omptape_pyramid_add(taking->pyramid, writer, (enum omptape_bucket)bucket, 0, time, time + ticks))
            return false;
        time += ticks;
    }
    for (unsigned top = 0; top < PYRAMID_TOPS; top++) {
        uint64_t region = tops[2 * (size_t)top];
        uint64_t ticks = tops[2 * (size_t)top + 1];
        if (region > taking->region_count || ticks > taking->width)
            return false;
        if (region > 0)
            omptape_pyramid_note(writer, taking->regions[region - 1], ticks);
    }
    return true;
}

/* Reads a row. Returns its writer; NULL if the row is damaged. */
static struct pyramid_row_writer *take_row(struct taking *taking)
{
    struct omptape_bytes_run run = {0};
    uint64_t location = omptape_bytes_take(taking->rest);
    struct pyramid_row_writer *writer = taking->map->id(taking->map->data, OMPTAPE_DEF_LOCATION, &location)
                                            ? omptape_pyramid_row_writer(taking->pyramid, location)
                                            : NULL;
    uint64_t begin = taking->map->time(taking->map->data, omptape_bytes_take(taking->rest));
    uint64_t end = taking->map->time(taking->map->data, omptape_bytes_take(taking->rest));
    uint64_t events = omptape_bytes_take(taking->rest);
    size_t count = (size_t)taking->bins * NUMBERS_OF_BIN;
    for (size_t i = 0; i < count; i++)
        taking->numbers[i] = omptape_bytes_take_sparse(taking->rest, &run);
    for (size_t state = OMPTAPE_BUCKET_COUNT; state < PLANES; state++)
        take_state(taking->numbers + state * taking->bins, taking->bins);
    /* Each row may only occur once. */
    if (taking->rest->bad || writer == NULL || writer->row->tops != NULL || begin > end || end >= latest_time)
        return NULL;
    for (uint32_t bin = 0; bin < taking->bins; bin++)
        if (!add_bin(taking, writer, bin) || !add_states(taking, writer->row, bin))
            return NULL;
    omptape_pyramid_flush(taking->pyramid, writer);
    writer->row->begin = begin;
    writer->row->end = end;
    writer->row->events = events;
    return writer;
}

/* Finds a metric member by name, because members have no mapping table. */
static const struct omptape_definition *find_member(const struct omptape_reader *reader, const char *name,
                                                    size_t length)
{
    OMPTAPE_EACH_DEFINITION(member, reader, OMPTAPE_DEF_METRIC_MEMBER) {
        const char *other = omptape_reader_name(reader, OMPTAPE_DEF_METRIC_MEMBER, member->id);
        if (strlen(other) == length && memcmp(other, name, length) == 0)
            return member;
    }
    return NULL;
}

static bool take_curve(struct taking *taking)
{
    struct omptape_pyramid *pyramid = taking->pyramid;
    struct omptape_bytes_run run = {0};
    uint64_t length = omptape_bytes_take(taking->rest);
    if (length > (uint64_t)(taking->rest->end - taking->rest->at))
        return false;
    const struct omptape_definition *member =
        find_member(pyramid->reader, (const char *)taking->rest->at, (size_t)length);
    taking->rest->at += length;
    uint64_t id = omptape_bytes_take(taking->rest);
    bool known = taking->map->id(taking->map->data, OMPTAPE_DEF_LOCATION, &id);
    uint64_t first = omptape_bytes_take(taking->rest);
    uint64_t last = omptape_bytes_take(taking->rest);
    const struct omptape_definition *location =
        omptape_reader_find(pyramid->reader, OMPTAPE_DEF_LOCATION, id);
    for (uint32_t bin = 0; bin < PYRAMID_CURVE_BINS; bin++) {
        double value = value_of(omptape_bytes_take_sparse(taking->rest, &run));
        uint64_t time = begin_of(taking, (uint32_t)((uint64_t)bin * taking->bins / PYRAMID_CURVE_BINS));
        if (taking->rest->bad || !known || member == NULL || last >= PYRAMID_CURVE_BINS)
            return false;
        if (bin >= first && bin <= last && !omptape_pyramid_measure(pyramid, member, location, time, value))
            return false;
    }
    return true;
}

/* Allocates `count` numbers of at least one byte each. NULL if out of memory or the bytes are damaged. */
static uint64_t *numbers_for(struct taking *taking, uint64_t count)
{
    if (count > (uint64_t)(taking->rest->end - taking->rest->at))
        return NULL;
    return omptape_arena_alloc(&taking->pyramid->arena, ((size_t)count + 1) * sizeof(uint64_t));
}

/* Reads the paths. Returns the pyramid's numbers by the number in the bytes, from 1. */
static uint64_t *take_paths(struct taking *taking, uint64_t *count)
{
    *count = omptape_bytes_take(taking->rest);
    uint64_t *paths = numbers_for(taking, *count);
    for (uint64_t i = 1; paths != NULL && i <= *count; i++) {
        const uint64_t outer = omptape_bytes_take(taking->rest);
        const uint64_t region = omptape_bytes_take(taking->rest);
        if (taking->rest->bad || outer >= i || region >= taking->region_count)
            return NULL;
        paths[i] = omptape_timeline_sampled_path(&taking->pyramid->samples, paths[outer],
                                                 taking->regions[region] - 1);
    }
    return paths;
}

struct taken_places {
    const uint64_t *paths; /* path of each place */
    const uint64_t *contexts;
    uint64_t count;
};

static bool take_places(struct taking *taking, struct taken_places *places)
{
    uint64_t path_count = 0;
    const uint64_t *known = take_paths(taking, &path_count);
    places->count = known != NULL ? omptape_bytes_take(taking->rest) : 0;
    uint64_t *paths = known != NULL ? numbers_for(taking, places->count) : NULL;
    uint64_t *contexts = paths != NULL ? numbers_for(taking, places->count) : NULL;
    for (uint64_t i = 0; contexts != NULL && i < places->count; i++) {
        const uint64_t path = omptape_bytes_take(taking->rest);
        contexts[i] = omptape_bytes_take(taking->rest);
        if (taking->rest->bad || path > path_count ||
            !taking->map->id(taking->map->data, OMPTAPE_DEF_CALLING_CONTEXT, &contexts[i]))
            return false;
        paths[i] = known[path];
    }
    places->paths = paths;
    places->contexts = contexts;
    return contexts != NULL;
}

/* Reads the samples of a row that was halved `halvings` times. If the pyramid was more often, drops some. */
static bool take_row_samples(struct taking *taking, struct pyramid_row *row, unsigned halvings,
                             const struct taken_places *places)
{
    struct omptape_pyramid *pyramid = taking->pyramid;
    const uint64_t count = omptape_bytes_take(taking->rest);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t after = omptape_bytes_take(taking->rest);
        const uint64_t place = omptape_bytes_take(taking->rest);
        const uint64_t time = taking->map->time(taking->map->data, omptape_plus(taking->begin, after));
        if (taking->rest->bad || place >= places->count || time >= latest_time || omptape_out_of_memory)
            return false;
        if (i % (UINT64_C(1) << (pyramid->samples.halvings - halvings)) == 0)
            omptape_pyramid_keep_sample(pyramid, row, time, places->paths[place], places->contexts[place]);
    }
    return true;
}

/* Reads the samples and lives. `rows` are the writers of the rows that were read, in the same order. */
static bool take_samples(struct taking *taking, struct pyramid_row_writer *const *rows, uint64_t count)
{
    struct taken_places places = {.count = 0};
    const uint64_t halvings = omptape_bytes_take(taking->rest);
    if (halvings > TIMELINE_MAX_HALVINGS || !take_places(taking, &places))
        return false;
    omptape_pyramid_thin_samples(taking->pyramid, (unsigned)halvings);
    for (uint64_t i = 0; i < count; i++)
        if (!take_row_samples(taking, rows[i]->row, (unsigned)halvings, &places))
            return false;
    for (uint64_t i = 0; i < count && taking->rest->at != taking->rest->end; i++)
        rows[i]->row->life |= (uint8_t)omptape_bytes_take(taking->rest);
    return true;
}

bool omptape_pyramid_take(struct omptape_pyramid *pyramid, struct omptape_bytes_rest *rest,
                          const struct omptape_partial_map *map)
{
    struct taking taking = {.pyramid = pyramid, .rest = rest, .map = map};
    if (!take_head(&taking) || !take_regions(&taking))
        return false;
    taking.numbers = omptape_calloc(NUMBERS_OF_ROW, sizeof(*taking.numbers));
    uint64_t rows = omptape_bytes_take(rest);
    bool good = taking.numbers != NULL && rows <= pyramid->row_count;
    struct pyramid_row_writer **writers =
        good ? omptape_calloc((size_t)rows + 1, sizeof(struct pyramid_row_writer *)) : NULL;
    good = good && writers != NULL;
    for (uint64_t i = 0; i < rows && good; i++) {
        writers[i] = take_row(&taking);
        good = writers[i] != NULL;
    }
    uint64_t curves = good ? omptape_bytes_take(rest) : 0;
    for (uint64_t i = 0; i < curves && good; i++)
        good = take_curve(&taking);
    free(taking.numbers);
    pyramid->curves_left_out += good && omptape_bytes_take(rest) > 0;
    if (good && rest->at != rest->end)
        good = take_samples(&taking, writers, rows);
    free(writers);
    return good && !rest->bad && rest->at == rest->end;
}
