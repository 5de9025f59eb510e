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

static void write_intervals(struct value_tree *tree, const struct page_scale *scale,
                            const struct omptape_window *window)
{
    static const char *const names[] = {"row", "region", "bucket", "from", "length", "iterations"};
    for (int column = 0; column < INTERVAL_COLUMNS; column++) {
        for (uint32_t i = 0; value_tree_item(tree, names[column], i, window->interval_count); i++) {
            const struct window_interval *interval = &window->intervals[i];
            const double values[] = {number_of(scale->rows, interval->location),
                                     interval->has_region ? number_of(scale->regions, interval->region) : -1,
                                     interval->bucket,
                                     (double)interval->from - (double)window->begin,
                                     (double)omptape_minus(interval->to, interval->from),
                                     (double)interval->iterations};
            value_tree_exact(tree, NULL, values[column]);
        }
    }
}

enum state_column { STATE_ROW, STATE_FROM, STATE_LENGTH, STATE_RUNNING, STATE_RUNNABLE, STATE_COLUMNS };

/* Writes the threads' scheduling states. Shares are in thousandths. */
static void write_states(struct value_tree *tree, const struct page_scale *scale,
                         const struct omptape_window *window)
{
    static const char *const names[] = {"row", "from", "length", "running", "runnable"};
    enum { WHOLE = 1000 };
    if (window->state_count == 0)
        return;
    value_tree_object(tree, "states");
    for (int column = 0; column < STATE_COLUMNS; column++) {
        for (uint32_t i = 0; value_tree_item(tree, names[column], i, window->state_count); i++) {
            const struct timeline_states *did = &window->states[i].did;
            const double values[] = {number_of(scale->rows, window->states[i].location),
                                     (double)did->from - (double)window->begin,
                                     (double)omptape_minus(did->to, did->from),
                                     round((double)WHOLE * did->running), round((double)WHOLE * did->queued)};
            value_tree_exact(tree, NULL, values[column]);
        }
    }
    value_tree_end(tree);
}

static void write_arrows(struct value_tree *tree, const struct page_scale *scale,
                         const struct omptape_window *window)
{
    value_tree_list(tree, "arrows");
    for (uint32_t i = 0; i < window->arrow_count; i++) {
        const struct window_arrow *arrow = &window->arrows[i];
        value_tree_list(tree, NULL);
        value_tree_count(tree, NULL, arrow->kind);
        value_tree_exact(tree, NULL, number_of(scale->rows, arrow->from_location));
        value_tree_exact(tree, NULL, (double)arrow->from - (double)window->begin);
        value_tree_exact(tree, NULL, number_of(scale->rows, arrow->to_location));
        value_tree_exact(tree, NULL, (double)arrow->to - (double)window->begin);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

static void write_arrow_kinds(struct value_tree *tree)
{
    for (unsigned i = 0; value_tree_row(tree, "arrowKinds", i, REPLAY_ARROW_KINDS); i++) {
        value_tree_text(tree, "name", omptape_window_arrow_kinds[i].name);
        value_tree_text(tree, "out", omptape_window_arrow_kinds[i].out);
        value_tree_text(tree, "in", omptape_window_arrow_kinds[i].in);
    }
}

void page_events(struct value_tree *tree, const struct omptape_windows *windows,
                 const struct page_scale *scale)
{
    const uint32_t count = windows != NULL ? windows->count : 0;
    write_arrow_kinds(tree);
    for (uint32_t i = 0; value_tree_row(tree, "windows", i, count) && windows != NULL; i++) {
        const struct omptape_window *window = &windows->list[i];
        value_tree_exact(tree, "begin", moment(scale, window->begin));
        value_tree_exact(tree, "end", moment(scale, window->end));
        value_tree_count(tree, "cut", window->cut);
        write_intervals(tree, scale, window);
        write_states(tree, scale, window);
        write_arrows(tree, scale, window);
    }
}
