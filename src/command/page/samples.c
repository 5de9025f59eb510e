/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes samples (page.h). Places with many samples get small numbers, and bytes of the same kind are
 * adjacent, which compresses best.
 */
#include "src/command/page/page.h"

#include "src/analysis/findings/inside.h"
#include "src/archive/read/regions.h"
#include "src/core/short_names.h"
#include "src/core/sort.h"
#include "src/core/whole.h"

#include <errno.h>
#include <inttypes.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Callers beyond MAX_DEPTH are omitted: contexts of a manipulated archive may contain cycles. */
enum { MAX_FRAMES = 1 << 16, MAX_DEPTH = 1024 };
/* Maximum number of units of time. */
enum { MAX_UNITS = 1 << 24 };

/* A calling context and its samples. */
struct frame {
    const struct omptape_definition *context;
    struct frame *caller; /* NULL for the outermost frame */
    uint64_t count;       /* samples in it and in the functions it calls */
    uint32_t number;      /* number on the page, from 1; 0 if truncated */
};

/* A place (calling context and path of constructs) and its number of samples. */
struct place {
    uint32_t index;
    uint64_t count;
};

struct page_samples {
    const struct omptape_pyramid *pyramid;
    struct omptape_pairs frames; /* (0, context) -> struct frame; callers come first */
    struct place *places;        /* the places with samples, sorted by count */
    uint32_t place_count;
    uint32_t *number_of; /* index in `places` by the pyramid's index */
    uint64_t unit;       /* unit of time, in ticks */
    struct omptape_arena arena;
};

static struct frame *find_frame(struct page_samples *samples, uint64_t id, unsigned depth)
{
    const struct omptape_definition *context =
        omptape_reader_find(samples->pyramid->reader, OMPTAPE_DEF_CALLING_CONTEXT, id);
    struct frame *frame = omptape_pairs_get(&samples->frames, 0, id);
    if (frame != NULL || context == NULL || depth == MAX_DEPTH)
        return frame;
    struct frame *caller = find_frame(samples, context->refs[2].id, depth + 1);
    frame = omptape_pairs_obtain(&samples->frames, &samples->arena, 0, id, sizeof(*frame));
    if (frame != NULL && frame->context == NULL) {
        frame->context = context;
        frame->caller = caller;
    }
    return frame;
}

/* Returns the row's samples; none for a row without events, which the page does not show. */
static const struct timeline_row_samples *samples_of(const struct pyramid_row *row)
{
    static const struct timeline_row_samples none;
    return row->events > 0 ? &row->samples : &none;
}

static int compare_places(const void *left, const void *right)
{
    const struct place *one = left;
    const struct place *other = right;
    return one->count != other->count ? omptape_order(other->count, one->count)
                                      : omptape_order(one->index, other->index);
}

static void count_places(struct page_samples *samples)
{
    const struct omptape_pyramid *pyramid = samples->pyramid;
    const uint32_t count = pyramid->samples.places.count;
    for (uint32_t i = 0; i < count; i++)
        samples->places[i].index = i;
    for (uint32_t i = 0; i < pyramid->row_count; i++) {
        const struct timeline_row_samples *row = samples_of(&pyramid->rows[i]);
        for (uint32_t j = 0; j < row->count; j++)
            samples->places[row->list[j].place].count++;
    }
    omptape_sort(samples->places, count, sizeof(*samples->places), compare_places);
    while (samples->place_count < count && samples->places[samples->place_count].count > 0) {
        samples->number_of[samples->places[samples->place_count].index] = samples->place_count;
        samples->place_count++;
    }
}

static struct frame *frame_of(struct page_samples *samples, const struct place *place)
{
    const struct timeline_samples *all = &samples->pyramid->samples;
    return find_frame(samples, timeline_place_at(all, place->index)->context, 0);
}

static uint32_t count_frames(const struct page_samples *samples, uint64_t min)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < samples->frames.count; i++)
        count += ((const struct frame *)samples->frames.list[i].value)->count >= min;
    return count;
}

/* Counts the samples of all frames and numbers the frames that have enough. A caller has at least as many
 * samples as the frames it calls. */
static void number_frames(struct page_samples *samples)
{
    uint32_t numbered = 0;
    uint64_t min = 1;
    for (uint32_t i = 0; i < samples->place_count; i++)
        for (struct frame *frame = frame_of(samples, &samples->places[i]); frame != NULL;
             frame = frame->caller)
            frame->count += samples->places[i].count;
    while (count_frames(samples, min) > MAX_FRAMES)
        min *= 2;
    for (uint32_t i = 0; i < samples->frames.count; i++) {
        struct frame *frame = samples->frames.list[i].value;
        if (frame->count >= min)
            frame->number = ++numbered;
    }
}

struct page_samples *page_samples_new(const struct omptape_pyramid *pyramid)
{
    const uint32_t count = pyramid->samples.places.count;
    struct page_samples *samples = calloc(1, sizeof(*samples));
    if (samples == NULL)
        return NULL;
    samples->pyramid = pyramid;
    samples->places = calloc((size_t)count + 1, sizeof(*samples->places));
    samples->number_of = calloc((size_t)count + 1, sizeof(*samples->number_of));
    if (samples->places == NULL || samples->number_of == NULL) {
        page_samples_free(samples);
        return NULL;
    }
    samples->unit = 1 + pyramid->width * pyramid->bins / MAX_UNITS;
    count_places(samples);
    number_frames(samples);
    return samples;
}

void page_samples_free(struct page_samples *samples)
{
    if (samples == NULL)
        return;
    omptape_pairs_free(&samples->frames);
    omptape_arena_free(&samples->arena);
    free(samples->number_of);
    free(samples->places);
    free(samples);
}

bool page_has_samples(const struct page_samples *samples)
{
    return samples->place_count > 0;
}

static const struct omptape_definition *find(const struct page_samples *samples,
                                             enum omptape_definition_kind kind, uint64_t id)
{
    return omptape_reader_find(samples->pyramid->reader, kind, id);
}

bool page_samples_line(struct page_samples *samples, uint32_t number, const char **file, uint32_t *line)
{
    if (number >= samples->place_count)
        return false;
    const struct frame *frame = frame_of(samples, &samples->places[number]);
    const struct omptape_definition *place =
        frame != NULL ? find(samples, OMPTAPE_DEF_SOURCE_CODE_LOCATION, frame->context->refs[1].id) : NULL;
    *file = place != NULL ? omptape_reader_string(samples->pyramid->reader, place->refs[0].id) : "";
    *line = place != NULL ? (uint32_t)place->value[0] : 0;
    return true;
}

/* Columns of the frames' table. Columns before FRAME_LINE are indices of texts. */
enum frame_column { FRAME_FUNCTION, FRAME_FILE, FRAME_MODULE, FRAME_LINE, FRAME_CALLER, FRAME_COLUMNS };

/* Returns the path of a function's module, or "". omptape stores the path in the region's description. */
static const char *module_of(const struct omptape_reader *reader, const struct omptape_definition *function)
{
    const char *module = function != NULL && function->value[1] == OTF2_PARADIGM_SAMPLING
                             ? omptape_reader_string(reader, function->refs[2].id)
                             : "";
    return module[0] == '/' ? module : "";
}

static uint64_t cell_of(const struct page_samples *samples, const struct frame *frame,
                        enum frame_column column, struct omptape_rows *texts)
{
    const struct omptape_definition *function = find(samples, OMPTAPE_DEF_REGION, frame->context->refs[0].id);
    const struct omptape_definition *line =
        find(samples, OMPTAPE_DEF_SOURCE_CODE_LOCATION, frame->context->refs[1].id);
    switch (column) {
    case FRAME_FUNCTION:
        return omptape_rows_text(texts, function != NULL ? function->region->label : "");
    case FRAME_FILE:
        return omptape_rows_text(texts, omptape_reader_string(samples->pyramid->reader,
                                                              line != NULL       ? line->refs[0].id
                                                              : function != NULL ? function->refs[3].id
                                                                                 : OTF2_UNDEFINED_STRING));
    case FRAME_MODULE:
        return omptape_rows_text(texts, module_of(samples->pyramid->reader, function));
    case FRAME_LINE:
        return line != NULL ? line->value[0] : 0;
    default:
        return frame->caller != NULL ? frame->caller->number : 0;
    }
}

/* Writes the functions' usual names, which the report shows, by the numbers of their texts. */
static void write_short_names(struct value_tree *tree, const struct page_samples *samples,
                              struct omptape_rows *texts)
{
    struct omptape_pairs seen = {.count = 0};
    value_tree_object(tree, "short");
    for (uint32_t i = 0; i < samples->frames.count; i++) {
        const struct frame *frame = samples->frames.list[i].value;
        char plain[OMPTAPE_SHORT_NAME_BYTES];
        char key[24];
        if (frame->number == 0)
            continue;
        const uint64_t number = cell_of(samples, frame, FRAME_FUNCTION, texts);
        const char *name = omptape_rows_text_at(texts, (uint32_t)number);
        if (omptape_pairs_get(&seen, 0, number) != NULL)
            continue;
        (void)omptape_pairs_put(&seen, 0, number, &seen);
        (void)omptape_inside_plain_name(name, plain, sizeof(plain));
        (void)snprintf(key, sizeof(key), "%" PRIu64, number);
        if (strcmp(plain, name) != 0)
            value_tree_text(tree, key, plain);
    }
    value_tree_end(tree);
    omptape_pairs_free(&seen);
}

static void write_frames(struct value_tree *tree, const struct page_samples *samples)
{
    static const char *const names[] = {"function", "file", "module", "line", "caller"};
    struct omptape_rows texts = {.failed = false};
    for (int column = 0; column < FRAME_COLUMNS; column++) {
        value_tree_list(tree, names[column]);
        for (uint32_t i = 0; i < samples->frames.count; i++) {
            const struct frame *frame = samples->frames.list[i].value;
            if (frame->number > 0)
                value_tree_count(tree, NULL, cell_of(samples, frame, (enum frame_column)column, &texts));
        }
        value_tree_end(tree);
    }
    const uint32_t count = texts.count;
    for (uint32_t i = 0; value_tree_item(tree, "texts", i, count); i++)
        value_tree_text(tree, NULL, omptape_rows_text_at(&texts, i));
    write_short_names(tree, samples, &texts);
    omptape_rows_free(&texts);
}

/* Returns the frame's number, or the nearest not truncated caller's; 0 if there is none. */
static uint32_t frame_number(struct page_samples *samples, const struct place *place)
{
    const struct frame *frame = frame_of(samples, place);
    while (frame != NULL && frame->number == 0)
        frame = frame->caller;
    return frame != NULL ? frame->number : 0;
}

static void write_places(struct value_tree *tree, struct page_samples *samples)
{
    const struct timeline_samples *all = &samples->pyramid->samples;
    for (uint32_t i = 0; value_tree_item(tree, "frame", i, samples->place_count); i++)
        value_tree_count(tree, NULL, frame_number(samples, &samples->places[i]));
    for (uint32_t i = 0; value_tree_item(tree, "path", i, samples->place_count); i++)
        value_tree_count(tree, NULL, timeline_place_at(all, samples->places[i].index)->path);
    for (uint32_t i = 0; value_tree_item(tree, "outer", i, all->paths.count); i++)
        value_tree_count(tree, NULL, timeline_path_at(all, i)->outer);
    for (uint32_t i = 0; value_tree_item(tree, "region", i, all->paths.count); i++)
        value_tree_count(tree, NULL, timeline_path_at(all, i)->region);
}

void page_samples_tables(struct value_tree *tree, struct page_samples *samples)
{
    const struct omptape_pyramid *pyramid = samples->pyramid;
    value_tree_object(tree, "samples");
    value_tree_count(tree, "every", UINT64_C(1) << pyramid->samples.halvings);
    value_tree_count(tree, "unit", samples->unit);
    value_tree_list(tree, "asleep");
    value_tree_text(tree, NULL, OMPTAPE_FRAME_BLOCKED);
    value_tree_text(tree, NULL, OMPTAPE_FRAME_STOPPED);
    value_tree_end(tree);
    for (uint32_t i = 0; value_tree_item(tree, "counts", i, pyramid->row_count); i++)
        value_tree_count(tree, NULL, samples_of(&pyramid->rows[i])->count);
    write_frames(tree, samples);
    write_places(tree, samples);
    value_tree_end(tree);
}

/* Buffer for the block. */
struct some_bytes {
    struct page_block *block;
    size_t count;
    uint8_t list[4096];
};

static void flush_bytes(struct some_bytes *bytes)
{
    page_block_add(bytes->block, bytes->list, bytes->count);
    bytes->count = 0;
}

static void add_byte(struct some_bytes *bytes, uint64_t byte)
{
    bytes->list[bytes->count++] = (uint8_t)byte;
    if (bytes->count == sizeof(bytes->list))
        flush_bytes(bytes);
}

/* Adds byte `number` of the place of each sample. */
static void add_places(struct some_bytes *bytes, const struct page_samples *samples, unsigned number)
{
    const struct omptape_pyramid *pyramid = samples->pyramid;
    for (uint32_t i = 0; i < pyramid->row_count; i++) {
        const struct timeline_row_samples *row = samples_of(&pyramid->rows[i]);
        for (uint32_t j = 0; j < row->count; j++)
            add_byte(bytes, samples->number_of[row->list[j].place] >> 8 * number);
    }
}

static void add_number(struct some_bytes *bytes, uint64_t number)
{
    for (; number > 0x7F; number >>= 7)
        add_byte(bytes, number | 0x80);
    add_byte(bytes, number);
}

/* Adds the times. In a damaged archive, a decreasing time is replaced by the previous one. */
static void add_times(struct some_bytes *bytes, const struct page_samples *samples)
{
    const struct omptape_pyramid *pyramid = samples->pyramid;
    for (uint32_t i = 0; i < pyramid->row_count; i++) {
        const struct timeline_row_samples *row = samples_of(&pyramid->rows[i]);
        uint64_t before = 0;
        for (uint32_t j = 0; j < row->count; j++) {
            const uint64_t now = (row->list[j].time - pyramid->begin) / samples->unit;
            add_number(bytes, omptape_minus(now, before));
            before = now > before ? now : before;
        }
    }
}

int page_samples_block(FILE *out, const struct page_samples *samples)
{
    enum { PLACE_BYTES = 3 };
    struct some_bytes bytes = {.block = page_block_begin(out)};
    if (bytes.block == NULL)
        return -ENOMEM;
    for (unsigned i = 0; i < PLACE_BYTES; i++)
        add_places(&bytes, samples, i);
    add_times(&bytes, samples);
    flush_bytes(&bytes);
    return page_block_end(bytes.block);
}
