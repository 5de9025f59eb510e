/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fills the bins of a pyramid and its curves (pyramid_bins.h).
 */
#include "src/analysis/timeline/pyramid_bins.h"

#include "src/core/whole.h"

#include <math.h>
#include <stdlib.h>

/* Returns the index of the bin that contains this time, which must not be before the first bin. */
static uint32_t bin_at(const struct omptape_pyramid *pyramid, uint64_t time)
{
    return (uint32_t)((time - pyramid->begin) / pyramid->width);
}

bool omptape_pyramid_reaches(const struct omptape_pyramid *pyramid, uint64_t time)
{
    return time <= pyramid->begin || (time - pyramid->begin - 1) / pyramid->width < pyramid->bins;
}

/* Adds a region's time to a bin; the regions with the longest times stay. */
static void note_top(struct pyramid_tops *tops, uint32_t region, uint64_t ticks)
{
    unsigned at = 0;
    if (region == 0 || ticks == 0)
        return;
    while (at < PYRAMID_TOPS && tops->region[at] != region)
        at++;
    if (at < PYRAMID_TOPS)
        ticks += tops->ticks[at];
    else
        at = PYRAMID_TOPS - 1;
    if (ticks <= tops->ticks[at])
        return;
    for (; at > 0 && ticks > tops->ticks[at - 1]; at--) {
        tops->region[at] = tops->region[at - 1];
        tops->ticks[at] = tops->ticks[at - 1];
    }
    tops->region[at] = region;
    tops->ticks[at] = ticks;
}

/* Returns the bins of this row and bucket, and allocates them at the first use. */
static uint64_t *plane_of(struct omptape_pyramid *pyramid, struct pyramid_row *row,
                          enum omptape_bucket bucket)
{
    if (row->tops == NULL)
        row->tops = omptape_calloc(pyramid->bins, sizeof(*row->tops));
    if (row->buckets[bucket] == NULL)
        row->buckets[bucket] = omptape_calloc(pyramid->bins, sizeof(*row->buckets[bucket]));
    return omptape_out_of_memory ? NULL : row->buckets[bucket];
}

/* Adds the writer's time to the bin. */
static void flush_parts(struct omptape_pyramid *pyramid, struct pyramid_row_writer *writer)
{
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        uint64_t ticks = writer->parts[bucket];
        uint64_t *plane = ticks > 0 ? plane_of(pyramid, writer->row, (enum omptape_bucket)bucket) : NULL;
        if (plane != NULL)
            plane[writer->bin] += ticks;
        writer->parts[bucket] = 0;
    }
    if (writer->end > 0)
        writer->row->end = writer->end;
    writer->end = 0;
}

void omptape_pyramid_flush(struct omptape_pyramid *pyramid, struct pyramid_row_writer *writer)
{
    flush_parts(pyramid, writer);
    for (uint32_t i = 0; i < writer->used; i++)
        note_top(&writer->row->tops[writer->bin], writer->region[i], writer->ticks[i]);
    writer->used = 0;
    writer->until = 0;
    writer->least_ticks = UINT64_MAX;
    writer->bin_end = 0;
}

/* Returns the entry with the shortest time, cached while its time is unchanged: other entries only grow. */
static uint32_t shortest(struct pyramid_row_writer *writer)
{
    uint32_t least = 0;
    if (writer->ticks[writer->least] == writer->least_ticks)
        return writer->least;
    for (uint32_t i = 1; i < PYRAMID_WRITER_REGIONS; i++)
        least = writer->ticks[i] < writer->ticks[least] ? i : least;
    writer->least = least;
    writer->least_ticks = writer->ticks[least];
    return least;
}

/* Replaces the shortest entry if all are in use: it will hardly be one of the two longest. */
static uint32_t replace_shortest(struct pyramid_row_writer *writer, uint32_t region, uint64_t ticks)
{
    uint32_t least = shortest(writer);
    if (writer->ticks[least] >= ticks)
        return 0;
    writer->region[least] = region;
    writer->ticks[least] = ticks;
    return least;
}

uint32_t omptape_pyramid_count(struct pyramid_row_writer *writer, uint32_t region, uint64_t ticks)
{
    for (uint32_t i = 0; i < writer->used; i++) {
        if (writer->region[i] == region) {
            writer->ticks[i] += ticks;
            return i;
        }
    }
    if (writer->used == PYRAMID_WRITER_REGIONS)
        return replace_shortest(writer, region, ticks);
    writer->region[writer->used] = region;
    writer->ticks[writer->used] = ticks;
    return writer->used++;
}

void omptape_pyramid_note(struct pyramid_row_writer *writer, uint32_t region, uint64_t ticks)
{
    if (writer->bin_end != 0)
        (void)omptape_pyramid_count(writer, region, ticks);
}

bool omptape_pyramid_add(struct omptape_pyramid *pyramid, struct pyramid_row_writer *writer,
                         enum omptape_bucket bucket, uint32_t region, uint64_t from, uint64_t to)
{
    uint64_t *plane = plane_of(pyramid, writer->row, bucket);
    if (plane == NULL)
        return false;
    while (from < to) {
        if (from >= writer->bin_end) {
            omptape_pyramid_flush(pyramid, writer);
            writer->bin = bin_at(pyramid, from);
            writer->bin_end = pyramid->begin + (uint64_t)(writer->bin + 1) * pyramid->width;
            writer->until = writer->bin_end < pyramid->until ? writer->bin_end : pyramid->until;
        }
        uint64_t until = to < writer->bin_end ? to : writer->bin_end;
        plane[writer->bin] += until - from;
        (void)omptape_pyramid_count(writer, region, until - from);
        from = until;
    }
    return true;
}

static bool comes_before(const struct pyramid_visit *one, const struct pyramid_visit *other)
{
    if (one->ticks != other->ticks)
        return one->ticks > other->ticks;
    return one->begin != other->begin ? one->begin > other->begin : one->location < other->location;
}

void omptape_pyramid_keep_visit(struct pyramid_region *region, struct pyramid_visit visit)
{
    unsigned at = PYRAMID_VISITS;
    while (at > 0 && comes_before(&visit, &region->visits[at - 1]))
        at--;
    for (unsigned i = PYRAMID_VISITS - 1; i > at; i--)
        region->visits[i] = region->visits[i - 1];
    if (at < PYRAMID_VISITS)
        region->visits[at] = visit;
}

static bool make_states(struct omptape_pyramid *pyramid, struct pyramid_row *row)
{
    for (int state = 0; state < PYRAMID_STATES; state++)
        if (row->states[state] == NULL)
            row->states[state] = omptape_calloc(pyramid->bins, sizeof(*row->states[state]));
    return !omptape_out_of_memory;
}

bool omptape_pyramid_add_states(struct omptape_pyramid *pyramid, struct pyramid_row *row, uint64_t from,
                                uint64_t to, const uint64_t ticks[PYRAMID_STATES])
{
    const double whole = (double)(to - from);
    uint64_t added[PYRAMID_STATES] = {0};
    if (to <= from)
        return true;
    if (!make_states(pyramid, row))
        return false;
    for (uint64_t time = from; time < to;) {
        uint32_t bin = bin_at(pyramid, time);
        uint64_t bin_end = pyramid->begin + (uint64_t)(bin + 1) * pyramid->width;
        uint64_t until = bin_end < to ? bin_end : to;
        uint64_t left = until - time;
        for (int state = 0; state < PYRAMID_STATES; state++) {
            /* Each part is the difference of rounded sums, so that rounding errors do not accumulate. A
             * bin gets at most its length. */
            uint64_t sum = until == to ? ticks[state]
                                       : omptape_whole((double)ticks[state] * (double)(until - from) / whole);
            uint64_t part = omptape_minus(sum, added[state]);
            part = part < left ? part : left;
            row->states[state][bin] += part;
            added[state] += part;
            left -= part;
        }
        time = until;
    }
    return true;
}

/* Returns the ticks of the bin in this plane that can lie between `begin` and `end`. */
static uint64_t part_of_bin(const struct omptape_pyramid *pyramid, const uint64_t *plane, uint32_t bin,
                            uint64_t begin, uint64_t end)
{
    uint64_t bin_begin = pyramid->begin + (uint64_t)bin * pyramid->width;
    uint64_t from = bin_begin > begin ? bin_begin : begin;
    uint64_t to = bin_begin + pyramid->width < end ? bin_begin + pyramid->width : end;
    return plane[bin] < to - from ? plane[bin] : to - from;
}

bool omptape_pyramid_move(struct omptape_pyramid *pyramid, struct pyramid_row *row, enum omptape_bucket from,
                          enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t ticks)
{
    uint64_t *source = row->buckets[from];
    uint64_t *target = source != NULL && ticks > 0 && end > begin ? plane_of(pyramid, row, to) : NULL;
    double all = 0;
    double seen = 0;
    uint64_t moved = 0;
    if (target == NULL)
        return !omptape_out_of_memory;
    uint32_t first = bin_at(pyramid, begin);
    uint32_t last = bin_at(pyramid, end - 1);
    last = last < pyramid->bins ? last : pyramid->bins - 1;
    for (uint32_t bin = first; bin <= last; bin++)
        all += (double)part_of_bin(pyramid, source, bin, begin, end);
    for (uint32_t bin = first; bin <= last && all > 0; bin++) {
        seen += (double)part_of_bin(pyramid, source, bin, begin, end);
        uint64_t part = omptape_minus(omptape_whole((double)ticks * (seen / all)), moved);
        part = part < source[bin] ? part : source[bin];
        source[bin] -= part;
        target[bin] += part;
        moved += part;
    }
    return true;
}

static void halve_plane(uint64_t *plane, uint32_t bins)
{
    for (uint32_t i = 0; plane != NULL && i < bins; i++) {
        uint64_t sum = 2 * i < bins ? plane[2 * i] + plane[2 * i + 1] : 0;
        plane[i] = sum;
    }
}

static void halve_tops(struct pyramid_tops *tops, uint32_t bins)
{
    for (uint32_t i = 0; tops != NULL && i < bins; i++) {
        struct pyramid_tops both = {.region = {0}};
        for (uint32_t from = 2 * i; from < bins && from < 2 * i + 2; from++)
            for (unsigned top = 0; top < PYRAMID_TOPS; top++)
                note_top(&both, tops[from].region[top], tops[from].ticks[top]);
        tops[i] = both;
    }
}

static void halve_curve(struct pyramid_curve *curve)
{
    enum { HALF = PYRAMID_CURVE_BINS / 2 };
    for (unsigned i = 0; i < HALF; i++) {
        double one = curve->bins[2 * i];
        double other = curve->bins[2 * i + 1];
        const bool is_one = 2 * i >= curve->first_bin && (one > other || 2 * i == curve->last_bin);
        curve->bins[i] = is_one ? one : other;
    }
    for (unsigned i = HALF; i < PYRAMID_CURVE_BINS; i++)
        curve->bins[i] = 0;
    curve->first_bin /= 2;
    curve->last_bin /= 2;
}

static void halve_rows(struct omptape_pyramid *pyramid)
{
    for (uint32_t i = 0; i < pyramid->row_count; i++) {
        for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
            halve_plane(pyramid->rows[i].buckets[bucket], pyramid->bins);
        for (int state = 0; state < PYRAMID_STATES; state++)
            halve_plane(pyramid->rows[i].states[state], pyramid->bins);
        halve_tops(pyramid->rows[i].tops, pyramid->bins);
    }
    pyramid->width *= 2;
}

void omptape_pyramid_lengthen_bins(struct omptape_pyramid *pyramid, uint64_t time)
{
    while (!omptape_pyramid_reaches(pyramid, time)) {
        halve_rows(pyramid);
        for (uint32_t i = 0; i < pyramid->curve_count; i++)
            halve_curve(pyramid->curves[i]);
    }
}

/* The time that the bins reach and the bins of curves stay the same. */
void omptape_pyramid_halve(struct omptape_pyramid *pyramid)
{
    halve_rows(pyramid);
    pyramid->bins /= 2;
}

static struct pyramid_curve *curve_of(struct omptape_pyramid *pyramid,
                                      const struct omptape_definition *member,
                                      const struct omptape_definition *location, uint32_t bin, double value)
{
    for (uint32_t i = 0; i < pyramid->curve_count; i++)
        if (pyramid->curves[i]->member == member && pyramid->curves[i]->location == location)
            return pyramid->curves[i];
    if (pyramid->curve_count == PYRAMID_MAX_CURVES) {
        pyramid->curves_left_out++;
        return NULL;
    }
    struct pyramid_curve *curve = omptape_arena_alloc(&pyramid->arena, sizeof(*curve));
    if (curve == NULL)
        return NULL;
    curve->member = member;
    curve->location = location;
    curve->first_bin = curve->last_bin = bin;
    curve->bins[bin] = value;
    pyramid->curves[pyramid->curve_count++] = curve;
    return curve;
}

bool omptape_pyramid_measure(struct omptape_pyramid *pyramid, const struct omptape_definition *member,
                             const struct omptape_definition *location, uint64_t time, double value)
{
    const uint32_t bin = (uint32_t)((uint64_t)bin_at(pyramid, time) * PYRAMID_CURVE_BINS / pyramid->bins);
    if (!isfinite(value))
        return true;
    struct pyramid_curve *curve = curve_of(pyramid, member, location, bin, value);
    if (curve == NULL)
        return !omptape_out_of_memory;
    /* A value is valid until the next one. */
    for (; curve->last_bin < bin && curve->last_bin < PYRAMID_CURVE_BINS - 1; curve->last_bin++)
        curve->bins[curve->last_bin + 1] = curve->last;
    if (value > curve->bins[curve->last_bin])
        curve->bins[curve->last_bin] = value;
    curve->last = value;
    return true;
}
