/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws speed-up over the number of threads as an SVG picture (scale.h). Both axes are logarithmic, so linear
 * scaling is a straight line. Each part has a band from its fastest to its slowest runs and a point with
 * numbers for each size. Its fitted curve is dashed and reaches up to twice the largest size.
 */
#include "src/command/scale/scale.h"

#include "src/command/text/screen.h"
#include "src/command/text/units.h"

#include <errno.h>
#include <math.h>

enum {
    WIDTH = 760,
    HEIGHT = 460,
    LEFT = 60,
    TOP = 40,
    PLOT = 360,
    LEGEND = 440,
    LINE = 18,
    CURVES = 8,
    LEGEND_COLUMNS = 40
};

/* Colours of Okabe and Ito, as on the page. The first one is for the whole run. */
static const char *const colours[CURVES] = {"#000000", "#0072b2", "#d55e00", "#009e73",
                                            "#cc79a7", "#e69f00", "#56b4e9", "#882255"};

struct curves {
    FILE *out;
    const struct scale *scale;
    double min_threads; /* smallest number of threads */
    double end;         /* end of the axis: where fitted curves end */
    double low;         /* lowest speed-up on the axis, at most 1; the highest is end / least */
};

static double x_of(const struct curves *curves, double threads)
{
    const double range = log(curves->end / curves->min_threads);
    return (double)LEFT + (range > 0 ? log(threads / curves->min_threads) / range : 0) * (double)PLOT;
}

static double y_of(const struct curves *curves, double speedup)
{
    const double range = log(curves->end / curves->min_threads / curves->low);
    return (double)(TOP + PLOT) -
           (range > 0 ? log(fmax(speedup, curves->low) / curves->low) / range : 0) * (double)PLOT;
}

static double speedup_of(const struct curves *curves, const struct scale_part *part, uint32_t size,
                         double time)
{
    const struct scale *scale = curves->scale;
    const double times = (double)scale->sizes[size].threads / scale->sizes[0].threads;
    return part->rows[0]->value / time * (scale->is_weak ? times : 1);
}

static bool is_drawn(const struct scale_part *part, uint32_t size)
{
    return part->share >= SCALE_MIN_SHARE && part->rows[0] != NULL && part->rows[size] != NULL &&
           part->rows[size]->min > 0;
}

static void draw_axes(const struct curves *curves)
{
    const struct scale *scale = curves->scale;
    fprintf(curves->out, "<path stroke=\"#9aa3ad\" fill=\"none\" d=\"M%d %dv%dh%d\"/>\n", LEFT, TOP, PLOT,
            PLOT);
    for (uint32_t i = 0; i < scale->size_count; i++) {
        const double threads = scale->sizes[i].threads;
        const double x = x_of(curves, threads);
        const double ideal = threads / curves->min_threads;
        fprintf(curves->out,
                "<path stroke=\"#e3e7eb\" d=\"M%.1f %dv%d\"/><text x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">%s%s</text>\n",
                x, TOP, PLOT, x, TOP + PLOT + LINE, scale->sizes[i].label,
                scale->sizes[i].is_oversubscribed ? "*" : "");
        fprintf(curves->out,
                "<path stroke=\"#e3e7eb\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%.3g</text>\n",
                LEFT, y_of(curves, ideal), PLOT, LEFT - 6, y_of(curves, ideal) + 4, ideal);
    }
    fprintf(curves->out,
            "<text x=\"%d\" y=\"%d\">threads</text><text x=\"%d\" y=\"%d\">speed-up</text>\n"
            "<path stroke=\"#9aa3ad\" stroke-dasharray=\"5 4\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
            LEFT + PLOT - 30, TOP + PLOT + 2 * LINE, LEFT - 40, TOP - 14, x_of(curves, curves->min_threads),
            y_of(curves, 1), x_of(curves, curves->end), y_of(curves, curves->end / curves->min_threads));
}

/* Draws the range from the fastest to the slowest run of each size. */
static void draw_band(const struct curves *curves, const struct scale_part *part, const char *colour)
{
    const uint32_t count = curves->scale->size_count;
    bool begun = false;
    fprintf(curves->out, "<path fill=\"%s\" fill-opacity=\"0.12\" d=\"", colour);
    for (uint32_t i = 0; i < 2 * count; i++) {
        const uint32_t size = i < count ? i : 2 * count - 1 - i;
        if (!is_drawn(part, size))
            continue;
        const double time = i < count ? part->rows[size]->min : part->rows[size]->max;
        fprintf(curves->out, "%s%.1f %.1f", begun ? "L" : "M",
                x_of(curves, curves->scale->sizes[size].threads),
                y_of(curves, speedup_of(curves, part, size, time)));
        begun = true;
    }
    fputs("\"/>\n", curves->out);
}

/* Draws the fitted curve between and beyond the sizes. */
static void draw_fit(const struct curves *curves, const struct scale_part *part, const char *colour)
{
    enum { STEPS = 32 };
    const double first = curves->min_threads;
    const double last = part->prediction.threads > 0 ? part->prediction.threads : part->fit.max_threads;
    const double range = last > first ? log(last / first) : 0;
    if (part->fit.model == SCALE_MODEL_NONE || range <= 0)
        return;
    fprintf(curves->out, "<path stroke=\"%s\" stroke-dasharray=\"2 3\" fill=\"none\" d=\"", colour);
    for (int i = 0; i <= STEPS; i++) {
        const double threads = first * exp(range * (double)i / (double)STEPS);
        const double speedup = part->rows[0]->value / scale_fit_time(&part->fit, threads) *
                               (curves->scale->is_weak ? threads / first : 1);
        fprintf(curves->out, "%s%.1f %.1f", i > 0 ? "L" : "M", x_of(curves, threads), y_of(curves, speedup));
    }
    fputs("\"/>\n", curves->out);
}

/* Draws a point with a tooltip that shows its numbers. */
static void draw_point(const struct curves *curves, const struct scale_part *part, const char *colour,
                       uint32_t number)
{
    const struct scale_size *size = &curves->scale->sizes[number];
    const struct report_row *row = part->rows[number];
    const double speedup = speedup_of(curves, part, number, row->value);
    fprintf(curves->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"><title>",
            x_of(curves, size->threads), y_of(curves, speedup), colour);
    xml_quote(curves->out, scale_part_name(part));
    fprintf(curves->out, ", %s threads: %s (%u runs: %s to %s), speed-up %.2f</title></circle>\n",
            size->label, units_seconds(row->value).text, size->rows.runs, units_seconds(row->min).text,
            units_seconds(row->max).text, speedup);
}

static void draw_curve(const struct curves *curves, const struct scale_part *part, unsigned number)
{
    const struct scale *scale = curves->scale;
    const char *colour = colours[number];
    bool begun = false;
    fprintf(curves->out, "<path stroke=\"%s\" stroke-width=\"%s\" fill=\"none\" d=\"", colour,
            number == 0 ? "2.5" : "1.5");
    for (uint32_t i = 0; i < scale->size_count; i++) {
        if (!is_drawn(part, i))
            continue;
        fprintf(curves->out, "%s%.1f %.1f", begun ? "L" : "M", x_of(curves, scale->sizes[i].threads),
                y_of(curves, speedup_of(curves, part, i, part->rows[i]->value)));
        begun = true;
    }
    fputs("\"/>\n", curves->out);
    for (uint32_t i = 0; i < scale->size_count; i++)
        if (is_drawn(part, i))
            draw_point(curves, part, colour, i);
}

static void write_legend(const struct curves *curves, const struct scale_part *part, unsigned number)
{
    char shown[SCREEN_TEXT_BYTES];
    fprintf(curves->out, "<path stroke=\"%s\" stroke-width=\"3\" d=\"M%d %dh20\"/><text x=\"%d\" y=\"%d\">",
            colours[number], LEGEND, TOP + (int)number * LINE, LEGEND + 26, TOP + (int)number * LINE + 4);
    xml_quote(curves->out, screen_shorten(scale_part_name(part), LEGEND_COLUMNS, shown));
    fputs("</text>\n", curves->out);
}

/* Draws the legend of the line styles, below the parts. */
static void explain_lines(const struct curves *curves, unsigned number)
{
    static const struct {
        const char *dashes;
        const char *text;
    } lines[] = {{"5 4", "ideal"}, {"2 3", "fitted curve"}};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const int y = TOP + (int)(number + 1 + i) * LINE;
        fprintf(curves->out,
                "<path stroke=\"#57606a\" stroke-dasharray=\"%s\" d=\"M%d %dh20\"/><text x=\"%d\" "
                "y=\"%d\">%s</text>\n",
                lines[i].dashes, LEGEND, y, LEGEND + 26, y + 4, lines[i].text);
    }
}

/* Returns the end of the axis: the largest size, or the end of a predicted curve. */
static double find_end(const struct scale *scale)
{
    double end = scale->sizes[scale->size_count - 1].threads;
    for (uint32_t i = 0; i < scale->part_count; i++)
        if (is_drawn(&scale->parts[i], 0))
            end = fmax(end, scale->parts[i].prediction.threads);
    return end;
}

static double find_low(const struct curves *curves)
{
    const struct scale *scale = curves->scale;
    double low = 1;
    for (uint32_t i = 0; i < scale->part_count; i++)
        for (uint32_t k = 0; k < scale->size_count; k++)
            if (is_drawn(&scale->parts[i], k))
                low = fmin(low, speedup_of(curves, &scale->parts[i], k, scale->parts[i].rows[k]->max));
    return fmax(low, 1e-3);
}

int scale_write_svg(FILE *out, const void *data)
{
    const struct scale *scale = data;
    struct curves curves = {
        .out = out, .scale = scale, .min_threads = scale->sizes[0].threads, .end = find_end(scale)};
    unsigned number = 0;
    curves.low = find_low(&curves);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\" fill=\"#1b1f24\">\n<rect width=\"100%%\" "
            "height=\"100%%\" fill=\"#ffffff\"/>\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    xml_quote(out, scale->program);
    fputs("</title>\n", out);
    draw_axes(&curves);
    for (uint32_t i = 0; i < scale->part_count && number < CURVES; i++) {
        const struct scale_part *part = &scale->parts[i];
        if (!is_drawn(part, 0))
            continue;
        draw_band(&curves, part, colours[number]);
        draw_fit(&curves, part, colours[number]);
        draw_curve(&curves, part, number);
        write_legend(&curves, part, number++);
    }
    explain_lines(&curves, number);
    fputs("</svg>\n", out);
    return ferror(out) ? -EIO : 0;
}
