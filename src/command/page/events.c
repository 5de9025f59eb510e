/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes windows of single events (page.h).
 */
#include "src/command/page/page.h"

#include "src/core/whole.h"

#include <math.h>

/* Returns the index of an id, from 0, or -1 if it has none. */
static double number_of(const struct omptape_pairs *numbers, uint64_t id)
{
    return (double)(uintptr_t)omptape_pairs_get(numbers, 0, id) - 1;
}

static double moment(const struct page_scale *scale, uint64_t time)
{
    return time >= scale->begin ? scale->tick * (double)(time - scale->begin)
                                : -scale->tick * (double)(scale->begin - time);
}

/* Columns of equal length. Times are ticks since the begin of the window. */
enum interval_column {
    INTERVAL_ROW,
    INTERVAL_REGION,
    INTERVAL_BUCKET,
    INTERVAL_FROM,
    INTERVAL_LENGTH,
    INTERVAL_ITERATIONS,
    INTERVAL_COLUMNS
};

static void write_intervals(struct page_json *json, const struct page_scale *scale,
                            const struct omptape_window *window)
{
    static const char *const names[] = {"row", "region", "bucket", "from", "length", "iterations"};
    for (int column = 0; column < INTERVAL_COLUMNS; column++) {
        omptape_json_open(json, names[column], '[');
        for (uint32_t i = 0; i < window->interval_count; i++) {
            const struct window_interval *interval = &window->intervals[i];
            const double values[] = {number_of(scale->rows, interval->location),
                                     interval->has_region ? number_of(scale->regions, interval->region) : -1,
                                     interval->bucket,
                                     (double)interval->from - (double)window->begin,
                                     (double)omptape_minus(interval->to, interval->from),
                                     (double)interval->iterations};
            omptape_json_number(json, NULL, values[column]);
        }
        omptape_json_close(json, ']');
    }
}

enum state_column { STATE_ROW, STATE_FROM, STATE_LENGTH, STATE_RUNNING, STATE_RUNNABLE, STATE_COLUMNS };

/* Writes the threads' scheduling states. Shares are in thousandths. */
static void write_states(struct page_json *json, const struct page_scale *scale,
                         const struct omptape_window *window)
{
    static const char *const names[] = {"row", "from", "length", "running", "runnable"};
    enum { WHOLE = 1000 };
    if (window->state_count == 0)
        return;
    omptape_json_open(json, "states", '{');
    for (int column = 0; column < STATE_COLUMNS; column++) {
        omptape_json_open(json, names[column], '[');
        for (uint32_t i = 0; i < window->state_count; i++) {
            const struct timeline_states *did = &window->states[i].did;
            const double values[] = {number_of(scale->rows, window->states[i].location),
                                     (double)did->from - (double)window->begin,
                                     (double)omptape_minus(did->to, did->from),
                                     round((double)WHOLE * did->running), round((double)WHOLE * did->queued)};
            omptape_json_number(json, NULL, values[column]);
        }
        omptape_json_close(json, ']');
    }
    omptape_json_close(json, '}');
}

static void write_arrows(struct page_json *json, const struct page_scale *scale,
                         const struct omptape_window *window)
{
    omptape_json_open(json, "arrows", '[');
    for (uint32_t i = 0; i < window->arrow_count; i++) {
        const struct window_arrow *arrow = &window->arrows[i];
        omptape_json_open(json, NULL, '[');
        omptape_json_count(json, NULL, arrow->kind);
        omptape_json_number(json, NULL, number_of(scale->rows, arrow->from_location));
        omptape_json_number(json, NULL, (double)arrow->from - (double)window->begin);
        omptape_json_number(json, NULL, number_of(scale->rows, arrow->to_location));
        omptape_json_number(json, NULL, (double)arrow->to - (double)window->begin);
        omptape_json_close(json, ']');
    }
    omptape_json_close(json, ']');
}

static void write_arrow_kinds(struct page_json *json)
{
    omptape_json_open(json, "arrowKinds", '[');
    for (int i = 0; i < REPLAY_ARROW_KINDS; i++) {
        omptape_json_open(json, NULL, '{');
        omptape_json_text(json, "name", omptape_window_arrow_kinds[i].name);
        omptape_json_text(json, "out", omptape_window_arrow_kinds[i].out);
        omptape_json_text(json, "in", omptape_window_arrow_kinds[i].in);
        omptape_json_close(json, '}');
    }
    omptape_json_close(json, ']');
}

void omptape_page_events(struct page_json *json, const struct omptape_windows *windows,
                         const struct page_scale *scale)
{
    write_arrow_kinds(json);
    omptape_json_open(json, "windows", '[');
    for (uint32_t i = 0; windows != NULL && i < windows->count; i++) {
        const struct omptape_window *window = &windows->list[i];
        omptape_json_open(json, NULL, '{');
        omptape_json_number(json, "begin", moment(scale, window->begin));
        omptape_json_number(json, "end", moment(scale, window->end));
        omptape_json_count(json, "cut", window->cut);
        write_intervals(json, scale, window);
        write_states(json, scale, window);
        write_arrows(json, scale, window);
        omptape_json_close(json, '}');
    }
    omptape_json_close(json, ']');
}
