/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Single events of a few short windows of time: what each thread and each device's stream did when, stretch
 * by stretch, and arrows: who made whom go on. For pictures of what a summary (pyramid.h) is too coarse for:
 * the worst instances of findings, which are known once all events were read. So it watches a second pass of
 * the analysis, over the archive opened anew, which ends with the last window.
 *
 * Units: ticks. All belongs to it, and holds after the reader is closed. One thread.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/timeline/states.h"

enum { WINDOWS_MOST = 16, WINDOWS_MOST_ARROWS = 2000 };
/* In one window, and in all together, which share them evenly. */
enum { WINDOWS_MOST_STRETCHES = 20000, WINDOWS_ALL_STRETCHES = 100000 };

/* In which a location was in one innermost region. */
struct window_stretch {
    uint64_t location; /* id */
    uint64_t region;   /* id; has_region: false */
    uint64_t from;     /* not cut by the window */
    uint64_t to;
    uint64_t iterations; /* of the loop or chunk that the region is; 0: not known */
    bool has_region;
    uint8_t bucket; /* enum omptape_bucket */
};

/* What the kernel says of a thread between two readings. */
struct window_state {
    uint64_t location; /* id */
    struct timeline_states did;
};

struct window_arrow {
    enum replay_arrow_kind kind;
    uint64_t from_location; /* ids */
    uint64_t to_location;
    uint64_t from;
    uint64_t to;
};

struct window_arrow_words {
    const char *name;
    const char *out; /* what to say where it begins, before the name of the other end; */
    const char *in;  /* ...and where it ends */
};
extern const struct window_arrow_words omptape_window_arrow_kinds[REPLAY_ARROW_KINDS];

struct omptape_window {
    uint64_t begin; /* with too much before the core it begins later than it was to, */
    uint64_t core;
    uint64_t end; /* ...and with too much in it it ends before */
    bool cut;
    struct window_stretch *stretches; /* of a location in the order of their ends */
    uint32_t stretch_count;
    uint32_t stretch_room;
    struct window_state *states; /* of a location in the order of time */
    uint32_t state_count;
    uint32_t state_room;
    struct window_arrow *arrows;
    uint32_t arrow_count;
    uint32_t arrow_room;
};

struct omptape_windows {
    struct omptape_window list[WINDOWS_MOST];
    uint32_t count;
    uint32_t most;                       /* stretches of each */
    uint64_t first;                      /* begin, */
    uint64_t last;                       /* ...and end of all */
    const struct omptape_reader *reader; /* while it reads */
    struct windows_state *state;
};

/* For this reader's pass. NULL: no memory. */
struct omptape_windows *omptape_windows_new(const struct omptape_reader *reader);
/* Before the pass. From `core` on is what the window is for: what comes before gives way if it is too much.
 * What is more than WINDOWS_MOST, or there already, is left out. */
void omptape_windows_add(struct omptape_windows *windows, uint64_t begin, uint64_t core, uint64_t end);
/* When all are added. */
struct omptape_analysis_watcher omptape_windows_watcher(struct omptape_windows *windows);
void omptape_windows_free(struct omptape_windows *windows);
