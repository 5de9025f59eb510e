/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws the bins of the pyramid (page.h). Each column of a row is divided by the buckets' shares, as on the
 * page.
 */
#include "src/command/page/page.h"

#include "src/command/text/units.h"
#include "src/core/whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in SVG units; pixels at the original size. */
enum {
    COLUMNS = 900,
    LEFT = 150,
    MAX_ROWS = 64,
    ROW = 16,
    MIN_ROW = 6,
    GAP = 1,
    TOP = 34,
    RULER = 22,
    LEGEND = 26
};

/* Okabe and Ito's colours, distinguishable with colour vision deficiencies; the same as in
 * assets/js/draw.js. */
static const char *const colours[OMPTAPE_BUCKET_COUNT] = {
    [OMPTAPE_BUCKET_COMPUTING] = "#009e73", [OMPTAPE_BUCKET_SERIAL] = "#0072b2",
    [OMPTAPE_BUCKET_BLOCKED] = "#b0b7bf",   [OMPTAPE_BUCKET_RUNNABLE] = "#8c510a",
    [OMPTAPE_BUCKET_BARRIER] = "#e69f00",   [OMPTAPE_BUCKET_TASK_WAIT] = "#f0e442",
    [OMPTAPE_BUCKET_LOCK] = "#d55e00",      [OMPTAPE_BUCKET_TASK_MANAGEMENT] = "#cc79a7",
    [OMPTAPE_BUCKET_TRANSFER] = "#56b4e9",  [OMPTAPE_BUCKET_TARGET] = "#882255",
    [OMPTAPE_BUCKET_MPI] = "#6a3d9a",       [OMPTAPE_BUCKET_IDLE] = "#d0d7de"};

struct picture {
    FILE *out;
    const struct page *page;
    const struct omptape_pyramid *pyramid;
    uint64_t begin; /* range that is drawn, in ticks */
    uint64_t end;
    const struct pyramid_row **list; /* rows of the pyramid with events */
    uint32_t count;
    uint32_t together; /* number of pyramid rows per drawn row */
    uint32_t rows;
    unsigned height;                              /* height of a drawn row */
    double shares[OMPTAPE_BUCKET_COUNT][COLUMNS]; /* shares of the current row, by bucket and column */
    bool used[OMPTAPE_BUCKET_COUNT];
};

static double seconds(const struct picture *picture, double ticks)
{
    return ticks * omptape_analysis_seconds(picture->page->analysis, 1);
}

/* Adds a bin's time to the columns that it overlaps. */
static void add_bin(struct picture *picture, int bucket, uint32_t bin, uint64_t ticks)
{
    const struct omptape_pyramid *pyramid = picture->pyramid;
    double column = (double)(picture->end - picture->begin) / (double)COLUMNS;
    double from =
        ((double)pyramid->begin + (double)bin * (double)pyramid->width - (double)picture->begin) / column;
    double to = from + (double)pyramid->width / column;
    double share = (double)ticks / (double)pyramid->width / picture->together;
    if (from >= (double)COLUMNS)
        return;
    int first = from > 0 ? (int)from : 0;
    for (int x = first; x < to && x < COLUMNS; x++)
        picture->shares[bucket][x] += share * (fmin(to, x + 1) - fmax(from, x));
}

static void gather_row(struct picture *picture, uint32_t first)
{
    memset(picture->shares, 0, sizeof(picture->shares));
    for (uint32_t i = first; i < first + picture->together && i < picture->count; i++)
        for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
            const uint64_t *plane = picture->list[i]->buckets[bucket];
            for (uint32_t bin = 0; plane != NULL && bin < picture->pyramid->bins; bin++)
                if (plane[bin] > 0)
                    add_bin(picture, bucket, bin, plane[bin]);
        }
}

/* Draws a bucket as one path: a rectangle for each stretch of equal columns. `base`: the sum of those
 * below. */
static void draw_bucket(struct picture *picture, int bucket, double top, double *base)
{
    double height = picture->height - GAP;
    bool begun = false;
    for (int x = 0; x < COLUMNS;) {
        int end = x + 1;
        double share = picture->shares[bucket][x];
        while (end < COLUMNS && fabs(picture->shares[bucket][end] - share) < 0.002 &&
               fabs(base[end] - base[x]) < 0.002)
            end++;
        if (share >= 0.002) {
            if (!begun)
                fprintf(picture->out, "<path fill=\"%s\" d=\"", colours[bucket]);
            fprintf(picture->out, "M%d %.2fh%dv-%.2fh-%dz", LEFT + x, top + height * (1 - base[x]), end - x,
                    height * share, end - x);
            begun = true;
            picture->used[bucket] = true;
        }
        x = end;
    }
    if (begun)
        fputs("\"/>\n", picture->out);
    for (int x = 0; x < COLUMNS; x++)
        base[x] += picture->shares[bucket][x];
}

static void write_label(struct picture *picture, uint32_t first, double top)
{
    const struct omptape_reader *reader = picture->pyramid->reader;
    const char *name = omptape_reader_name(reader, OMPTAPE_DEF_LOCATION, picture->list[first]->location->id);
    char shown[32];
    fprintf(picture->out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6,
            top + picture->height - 4.0);
    xml_quote(picture->out, omptape_cut_text(name, shown, sizeof(shown)));
    fputs("</text>\n", picture->out);
}

static void draw_rows(struct picture *picture)
{
    enum { LABEL = 12 };
    double *base = calloc(COLUMNS, sizeof(*base));
    unsigned every = (LABEL + picture->height - 1) / picture->height;
    for (uint32_t row = 0; base != NULL && row < picture->rows; row++) {
        double top = (double)TOP + (double)row * picture->height;
        gather_row(picture, row * picture->together);
        memset(base, 0, COLUMNS * sizeof(*base));
        for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
            draw_bucket(picture, bucket, top, base);
        if (row % every == 0)
            write_label(picture, row * picture->together, top);
    }
    free(base);
}

static double ruler_step(double length)
{
    static const double steps[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(length / 10)));
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (steps[i] * power >= length / 10)
            return steps[i] * power;
    return 10 * power;
}

/* Draws the time scale. It has few marks, because times far from zero may not differ as numbers. */
static void draw_ruler(const struct picture *picture)
{
    enum { MAX_MARKS = 11 };
    uint64_t zero = picture->pyramid->reader->clock_offset;
    bool before = picture->begin < zero;
    double away = (double)(before ? zero - picture->begin : picture->begin - zero);
    double begin = seconds(picture, before ? -away : away);
    double length = seconds(picture, (double)(picture->end - picture->begin));
    double step = ruler_step(length);
    double first = ceil(begin / step) * step;
    int digits = step < 1 ? (int)ceil(-log10(step)) : 0;
    double bottom = (double)TOP + (double)picture->rows * picture->height;
    for (unsigned i = 0; i < MAX_MARKS && first + i * step <= begin + length; i++) {
        double x = (double)LEFT + (first + i * step - begin) / length * (double)COLUMNS;
        fprintf(
            picture->out,
            "<path stroke=\"#57606a\" d=\"M%.2f %.1fv4\"/><text x=\"%.2f\" y=\"%.1f\" text-anchor=\"middle\">"
            "%.*f s</text>\n",
            x, bottom, x, bottom + 16, digits, first + i * step);
    }
}

static void draw_legend(const struct picture *picture)
{
    enum { BOX = 10, STEP = 108 };
    double top = (double)TOP + (double)picture->rows * picture->height + (double)RULER + 4;
    double x = LEFT;
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        if (!picture->used[bucket])
            continue;
        fprintf(picture->out,
                "<rect x=\"%.0f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"%s\"/><text x=\"%.0f\" "
                "y=\"%.1f\">%s</text>\n",
                x, top, BOX, BOX, colours[bucket], x + (double)BOX + 4, top + (double)BOX - 1,
                omptape_buckets[bucket].name);
        x += (double)STEP;
    }
}

static void draw(struct picture *picture)
{
    double height = (double)TOP + (double)picture->rows * picture->height + (double)RULER + (double)LEGEND;
    fprintf(
        picture->out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" "
        "font-family=\"sans-serif\" font-size=\"11\" fill=\"#1b1f24\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"6\" y=\"20\" font-size=\"14\">",
        LEFT + COLUMNS + GAP + 30, height, LEFT + COLUMNS + GAP + 30, height);
    xml_quote(picture->out, picture->page->title);
    fprintf(picture->out, ", %u thread%s%s</text>\n", picture->page->analysis->thread_count,
            picture->page->analysis->thread_count == 1 ? "" : "s",
            picture->together > 1 ? ", several in a row" : "");
    draw_rows(picture);
    draw_ruler(picture);
    draw_legend(picture);
    fputs("</svg>\n", picture->out);
}

int page_svg(FILE *out, const void *input)
{
    const struct page *page = input;
    const struct omptape_pyramid *pyramid = page->pyramid;
    struct picture *picture = calloc(1, sizeof(*picture));
    const struct pyramid_row **list = calloc((size_t)pyramid->row_count + 1, sizeof(*list));
    if (picture == NULL || list == NULL) {
        free(picture);
        free(list);
        return -ENOMEM;
    }
    picture->list = list;
    picture->out = out;
    picture->page = page;
    picture->pyramid = pyramid;
    picture->begin = page->analysis->begin > pyramid->begin ? page->analysis->begin : pyramid->begin;
    picture->end = page->analysis->end < pyramid->until ? page->analysis->end : pyramid->until;
    const double ticks = page->seconds / omptape_analysis_seconds(page->analysis, 1);
    if (picture->end <= picture->begin)
        picture->end = picture->begin + 1;
    if (ticks > (double)(picture->end - picture->begin))
        picture->end = omptape_plus(picture->begin, omptape_whole(ticks));
    for (uint32_t i = 0; i < pyramid->row_count; i++)
        if (pyramid->rows[i].events > 0 && !pyramid->rows[i].other)
            picture->list[picture->count++] = &pyramid->rows[i];
    picture->together = picture->count > MAX_ROWS ? (picture->count + MAX_ROWS - 1) / MAX_ROWS : 1;
    picture->rows = (picture->count + picture->together - 1) / picture->together;
    picture->height = picture->rows > MAX_ROWS / 2 ? MIN_ROW + GAP : ROW;
    draw(picture);
    free(list);
    free(picture);
    return ferror(out) ? -EIO : 0;
}
