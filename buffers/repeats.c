/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of repeated equal events (repeats.h).
 */
#include "buffers/repeats.h"

#include "buffers/held.h"

/* How many events of a row, and of a thread, are recorded individually before they are merged. Rows of
 * doacross turns are shorter, because each loop chunk ends a row. The clocks are read from event MEASURED
 * on. */
enum { ALONE = 256, ALONE_TURNS = 64, ALONE_OF_THREAD = 50000, ALONE_TURNS_OF_THREAD = 5000, MEASURED = 16 };
/* A row is dense if the mean time between events is at most MOST_MEAN_NS. It continues while no time is
 * longer than MOST_TIMES_MEAN times the mean, so that the program's other work remains visible. MPI looks for
 * messages in each call. Between two flushes there is, apart from recording, only a look at a flag, or else
 * the program does work. A loop with longer turns has few of them. */
enum {
    LEAST_BETWEEN = 8,
    MOST_TIMES_MEAN = 8,
    MOST_MEAN_NS = 2000,
    MOST_MEAN_TURNS_NS = 1000,
    MOST_MEAN_FLUSHES_NS = 150,
    WITH_SLOW_CLOCK_NS = 300
};

static uint32_t most_alone(const struct omptape_repeats *row)
{
    return row->what == OMPTAPE_REPEATS_TURNS ? ALONE_TURNS : ALONE;
}

uint64_t omptape_repeats_go_on(struct omptape_slot *slot, uint32_t what, uint64_t site)
{
    struct omptape_repeats *row = &slot->repeats;
    if (row->count == 0)
        return 0;
    if (row->what != what || row->site != site || row->after != slot->cursor) {
        omptape_repeats_end(slot);
        return 0;
    }
    if (row->count <= most_alone(row))
        return 0;
    const uint64_t now = omptape_clock_now();
    if (now - row->last > row->most_between) {
        omptape_repeats_end(slot);
        return 0;
    }
    return omptape_held_is_last(slot) ? now : 0;
}

bool omptape_repeats_renew(struct omptape_slot *slot, uint64_t now)
{
    struct omptape_repeats *row = &slot->repeats;
    row->last = now;
    const uint64_t second = row->what == OMPTAPE_REPEATS_TURNS ? row->waited : row->site;
    if (omptape_held_renew(slot, now, row->together + 1, second)) {
        row->together++;
        return true;
    }
    omptape_repeats_end(slot);
    return false;
}

bool omptape_repeats_renew_turn(struct omptape_slot *slot, uint64_t now, bool is_wait)
{
    struct omptape_repeats *row = &slot->repeats;
    const uint64_t since = now - row->last;
    uint64_t *least = &row->least[row->was_wait];
    if (is_wait && since < *least)
        *least = since;
    else if (is_wait)
        row->waited += since - *least;
    row->was_wait = is_wait;
    return omptape_repeats_renew(slot, now);
}

bool omptape_repeats_are_to_be_held(const struct omptape_slot *slot)
{
    const struct omptape_repeats *row = &slot->repeats;
    const uint64_t alone = row->what == OMPTAPE_REPEATS_TURNS ? ALONE_TURNS_OF_THREAD : ALONE_OF_THREAD;
    return row->count > most_alone(row) && row->alone >= alone;
}

/* Returns true if the row is dense, after enough events. LEAST_BETWEEN is for counters that tick rarely. */
static bool is_dense(struct omptape_repeats *row)
{
    const uint32_t steps = most_alone(row) - MEASURED;
    const uint64_t mean_ns = (omptape_clock_raw_ns() - row->first_raw_ns) / steps;
    const uint64_t most_between = (row->last - row->first) * MOST_TIMES_MEAN / steps;
    row->most_between = most_between > LEAST_BETWEEN ? most_between : LEAST_BETWEEN;
    if (row->what == OMPTAPE_REPEATS_TURNS)
        return mean_ns <= MOST_MEAN_TURNS_NS;
    if (row->what != OMPTAPE_REPEATS_FLUSHES)
        return mean_ns <= MOST_MEAN_NS;
    return mean_ns <= (omptape_clock_is_counter ? MOST_MEAN_FLUSHES_NS : WITH_SLOW_CLOCK_NS);
}

void omptape_repeats_count(struct omptape_slot *slot, uint32_t what, uint64_t site, bool held)
{
    struct omptape_repeats *row = &slot->repeats;
    row->what = what;
    if (held) {
        row->together = 1;
        row->waited = 0;
        row->was_wait = 0;
        row->least[0] = row->least[1] = UINT64_MAX;
    } else {
        row->alone++;
    }
    row->site = site;
    row->after = slot->cursor;
    row->count++;
    if (row->count == MEASURED) {
        row->first = omptape_clock_now();
        row->first_raw_ns = omptape_clock_raw_ns();
    }
    if (row->count <= most_alone(row))
        return;
    row->last = omptape_clock_now();
    if (row->count == most_alone(row) + 1 && !is_dense(row))
        omptape_repeats_end(slot);
}
