/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of repeated equal events (repeats.h).
 */
#include "buffers/repeats.h"

#include "buffers/held.h"

/* How many events of a row, and of a thread, are recorded individually before they are merged. Rows of
 * doacross turns are shorter, because each loop chunk ends a row. Rows of tests are, because each acquisition
 * ends one. The clocks are read from event MEASURED on. */
enum {
    INDIVIDUAL = 256,
    INDIVIDUAL_TURNS = 64,
    INDIVIDUAL_TESTS = 32,
    INDIVIDUAL_OF_THREAD = 50000,
    INDIVIDUAL_OF_THREAD_FEW = 5000,
    MEASURED = 16
};
/* A row is dense if the mean time between events is at most MAX_MEAN_NS. It continues while no time is
 * longer than MAX_TIMES_MEAN times the mean, so that the program's other work remains visible. MPI looks for
 * messages in each call. Threads that test a lock fetch its cache line from each other. Between two flushes
 * there is, apart from recording, only a look at a flag, or else the program does work. A loop with longer
 * turns has few of them. */
enum {
    MIN_GAP_TICKS = 8,
    MAX_TIMES_MEAN = 8,
    MAX_MEAN_NS = 2000,
    MAX_MEAN_TURNS_NS = 1000,
    MAX_MEAN_TESTS_NS = 500,
    MAX_MEAN_FLUSHES_NS = 150,
    MAX_MEAN_SLOW_CLOCK_NS = 300
};

static uint32_t max_individual(const struct omptape_repeats *row)
{
    return row->kind == OMPTAPE_REPEATS_TURNS   ? INDIVIDUAL_TURNS
           : row->kind == OMPTAPE_REPEATS_TESTS ? INDIVIDUAL_TESTS
                                                : INDIVIDUAL;
}

uint64_t omptape_repeats_continue(struct omptape_slot *slot, uint32_t kind, uint64_t site)
{
    struct omptape_repeats *row = &slot->repeats;
    if (row->count == 0)
        return 0;
    if (row->kind != kind || row->site != site || row->cursor_after != slot->cursor) {
        omptape_repeats_end(slot);
        return 0;
    }
    if (row->count <= max_individual(row))
        return 0;
    const uint64_t now = omptape_clock_now();
    if (now - row->last > row->max_gap) {
        omptape_repeats_end(slot);
        return 0;
    }
    return omptape_held_is_last(slot) ? now : 0;
}

bool omptape_repeats_extend(struct omptape_slot *slot, uint64_t now)
{
    struct omptape_repeats *row = &slot->repeats;
    row->last = now;
    const uint64_t second = row->kind == OMPTAPE_REPEATS_TURNS ? row->waited : row->site;
    if (omptape_held_update(slot, now, row->merged_count + 1, second)) {
        row->merged_count++;
        return true;
    }
    omptape_repeats_end(slot);
    return false;
}

bool omptape_repeats_extend_turn(struct omptape_slot *slot, uint64_t now, bool is_wait)
{
    struct omptape_repeats *row = &slot->repeats;
    const uint64_t since = now - row->last;
    uint64_t *min_to_wait = &row->min_to_wait[row->was_wait];
    if (is_wait && since < *min_to_wait)
        *min_to_wait = since;
    else if (is_wait)
        row->waited += since - *min_to_wait;
    row->was_wait = is_wait;
    return omptape_repeats_extend(slot, now);
}

bool omptape_repeats_must_hold(const struct omptape_slot *slot)
{
    const struct omptape_repeats *row = &slot->repeats;
    const uint64_t limit =
        row->kind >= OMPTAPE_REPEATS_TURNS ? INDIVIDUAL_OF_THREAD_FEW : INDIVIDUAL_OF_THREAD;
    return row->count > max_individual(row) && row->individual_count >= limit;
}

/* Returns true if the row is dense, after enough events. MIN_GAP_TICKS is for counters that tick rarely. */
static bool is_dense(struct omptape_repeats *row)
{
    const uint32_t steps = max_individual(row) - MEASURED;
    const uint64_t mean_ns = (omptape_clock_raw_ns() - row->first_raw_ns) / steps;
    const uint64_t max_gap = (row->last - row->first) * MAX_TIMES_MEAN / steps;
    row->max_gap = max_gap > MIN_GAP_TICKS ? max_gap : MIN_GAP_TICKS;
    if (row->kind == OMPTAPE_REPEATS_TURNS)
        return mean_ns <= MAX_MEAN_TURNS_NS;
    if (row->kind == OMPTAPE_REPEATS_TESTS)
        return mean_ns <= MAX_MEAN_TESTS_NS;
    if (row->kind != OMPTAPE_REPEATS_FLUSHES)
        return mean_ns <= MAX_MEAN_NS;
    return mean_ns <= (omptape_clock_is_counter ? MAX_MEAN_FLUSHES_NS : MAX_MEAN_SLOW_CLOCK_NS);
}

void omptape_repeats_count(struct omptape_slot *slot, uint32_t kind, uint64_t site, bool held)
{
    struct omptape_repeats *row = &slot->repeats;
    row->kind = kind;
    if (held) {
        row->merged_count = 1;
        row->waited = 0;
        row->was_wait = 0;
        row->min_to_wait[0] = row->min_to_wait[1] = UINT64_MAX;
    } else {
        row->individual_count++;
    }
    row->site = site;
    row->cursor_after = slot->cursor;
    row->count++;
    if (row->count == MEASURED) {
        row->first = omptape_clock_now();
        row->first_raw_ns = omptape_clock_raw_ns();
    }
    if (row->count <= max_individual(row))
        return;
    row->last = omptape_clock_now();
    if (row->count == max_individual(row) + 1 && !is_dense(row))
        omptape_repeats_end(slot);
}
