/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The speed-up over the number of threads as a picture (scale.h): both axes are logarithmic, so that what
 * scales is a straight line. The whole has a band from its fastest to its slowest runs.
 */
#include "src/command/scale/scale.h"

#include "src/command/text/units.h"

#include <errno.h>
#include <math.h>

enum { WIDTH = 720, HEIGHT = 460, LEFT = 60, TOP = 40, PLOT = 360, LEGEND = 440, LINE = 18, CURVES = 8 };

/* Okabe and Ito's, as on the page; the whole comes first. */
static const char *const colours[CURVES] = {"#000000", "#0072b2", "#d55e00", "#009e73",
                                            "#cc79a7", "#e69f00", "#56b4e9", "#882255"};

struct curves {
    FILE *out;
    const struct scale *scale;
    double least; /* threads */
    double most;
    double low; /* the lowest speed-up that is shown, at most 1; the highest is most / least */
};

static double x_of(const struct curves *curves, double threads)
{
    const double range = log(curves->most / curves->least);
    return (double)LEFT + (range > 0 ? log(threads / curves->least) / range : 0) * (double)PLOT;
}

static double y_of(const struct curves *curves, double speedup)
{
    const double range = log(curves->most / curves->least / curves->low);
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
    return part->share >= SCALE_LEAST_SHARE && part->rows[0] != NULL && part->rows[size] != NULL &&
           part->rows[size]->least > 0;
}

static void draw_axes(const struct curves *curves)
{
    const struct scale *scale = curves->scale;
    fprintf(curves->out, "<path stroke=\"#9aa3ad\" fill=\"none\" d=\"M%d %dv%dh%d\"/>\n", LEFT, TOP, PLOT,
            PLOT);
    for (uint32_t i = 0; i < scale->size_count; i++) {
        const double threads = scale->sizes[i].threads;
        const double x = x_of(curves, threads);
        const double ideal = threads / curves->least;
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
            LEFT + PLOT - 30, TOP + PLOT + 2 * LINE, LEFT - 40, TOP - 14, x_of(curves, curves->least),
            y_of(curves, 1), x_of(curves, curves->most), y_of(curves, curves->most / curves->least));
}

/* From the fastest to the slowest run of each size. */
static void draw_band(const struct curves *curves, const struct scale_part *part)
{
    const uint32_t count = curves->scale->size_count;
    bool begun = false;
    fprintf(curves->out, "<path fill=\"#000000\" fill-opacity=\"0.12\" d=\"");
    for (uint32_t i = 0; i < 2 * count; i++) {
        const uint32_t size = i < count ? i : 2 * count - 1 - i;
        if (!is_drawn(part, size))
            continue;
        const double time = i < count ? part->rows[size]->least : part->rows[size]->most;
        fprintf(curves->out, "%s%.1f %.1f", begun ? "L" : "M",
                x_of(curves, curves->scale->sizes[size].threads),
                y_of(curves, speedup_of(curves, part, size, time)));
        begun = true;
    }
    fputs("\"/>\n", curves->out);
}

static void draw_curve(const struct curves *curves, const struct scale_part *part, unsigned number)
{
    const struct scale *scale = curves->scale;
    bool begun = false;
    fprintf(curves->out, "<path stroke=\"%s\" stroke-width=\"%s\" fill=\"none\" d=\"", colours[number],
            number == 0 ? "2.5" : "1.5");
    for (uint32_t i = 0; i < scale->size_count; i++) {
        if (!is_drawn(part, i))
            continue;
        fprintf(curves->out, "%s%.1f %.1f", begun ? "L" : "M", x_of(curves, scale->sizes[i].threads),
                y_of(curves, speedup_of(curves, part, i, part->rows[i]->value)));
        begun = true;
    }
    fprintf(curves->out,
            "\"/>\n<path stroke=\"%s\" stroke-width=\"3\" d=\"M%d %dh20\"/><text x=\"%d\" y=\"%d\">",
            colours[number], LEGEND, TOP + (int)number * LINE, LEGEND + 26, TOP + (int)number * LINE + 4);
    omptape_xml_quote(curves->out, part->kind == REPORT_ROW_WHOLE ? "the whole" : part->name);
    fputs("</text>\n", curves->out);
}

int scale_write_svg(FILE *out, const void *data)
{
    const struct scale *scale = data;
    struct curves curves = {out, scale, scale->sizes[0].threads, scale->sizes[scale->size_count - 1].threads,
                            1};
    unsigned number = 0;
    for (uint32_t i = 0; i < scale->part_count; i++)
        for (uint32_t k = 0; k < scale->size_count; k++)
            if (is_drawn(&scale->parts[i], k))
                curves.low =
                    fmin(curves.low, speedup_of(&curves, &scale->parts[i], k, scale->parts[i].rows[k]->most));
    curves.low = fmax(curves.low, 1e-3);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"#ffffff\"/>\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    omptape_xml_quote(out, scale->program);
    fputs("</title>\n", out);
    draw_axes(&curves);
    for (uint32_t i = 0; i < scale->part_count && number < CURVES; i++) {
        if (!is_drawn(&scale->parts[i], 0))
            continue;
        if (number == 0)
            draw_band(&curves, &scale->parts[i]);
        draw_curve(&curves, &scale->parts[i], number++);
    }
    fputs("</svg>\n", out);
    return ferror(out) ? -EIO : 0;
}
