/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Single events of a few short windows of time: intervals of each thread and device stream, and arrows from
 * cause to effect. They show what a summary (pyramid.h) is too coarse for: the worst instances of findings.
 * These are known only after all events were read. Windows therefore watch a second pass of the analysis,
 * over the archive opened again, which ends with the last window.
 *
 * Units: ticks. A windows object owns all its data, which stays valid after the reader is closed. One thread.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/timeline/states.h"

enum { WINDOWS_MAX = 16, WINDOWS_MAX_ARROWS = 2000 };
/* Maximum per window, and of all windows together, which share it evenly. */
enum { WINDOWS_MAX_INTERVALS = 20000, WINDOWS_TOTAL_INTERVALS = 100000 };

/* An interval of a location with one innermost region. */
struct window_interval {
    uint64_t location; /* id */
    uint64_t region;   /* id; only valid if has_region */
    uint64_t from;     /* may be before the window's begin; `to` may be after its end */
    uint64_t to;
    uint64_t iterations; /* of the region, if it is a loop or chunk; 0: unknown */
    bool has_region;
    uint8_t bucket; /* enum omptape_bucket */
};

/* A thread's states between two scheduler readings. */
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
    const char *out; /* text at the begin, before the name of the other end */
    const char *in;  /* text at the end, before the name of the other end */
};
extern const struct window_arrow_words omptape_window_arrow_kinds[REPLAY_ARROW_KINDS];

struct omptape_window {
    uint64_t begin; /* later than requested if there was too much before the core */
    uint64_t core;
    uint64_t end; /* earlier than requested if there was too much in the window */
    bool cut;
    struct window_interval *intervals; /* per location in the order of their ends */
    uint32_t interval_count;
    uint32_t interval_capacity;
    struct window_state *states; /* per location in the order of time */
    uint32_t state_count;
    uint32_t state_capacity;
    struct window_arrow *arrows;
    uint32_t arrow_count;
    uint32_t arrow_capacity;
};

struct omptape_windows {
    struct omptape_window list[WINDOWS_MAX];
    uint32_t count;
    uint32_t most;                       /* maximum of intervals per window */
    uint64_t first;                      /* earliest begin of all windows */
    uint64_t last;                       /* latest end of all windows */
    const struct omptape_reader *reader; /* only valid during the pass */
    struct windows_state *state;
};

/* Creates a set of windows for a pass with this reader. Returns NULL if out of memory. */
struct omptape_windows *omptape_windows_new(const struct omptape_reader *reader);
/* Adds a window before the pass. The time from `core` on is the purpose of the window; earlier events are
 * dropped if there are too many. Duplicates and windows beyond WINDOWS_MAX are left out. */
void omptape_windows_add(struct omptape_windows *windows, uint64_t begin, uint64_t core, uint64_t end);
/* Returns the observer. Called after all windows are added. */
struct omptape_analysis_observer omptape_windows_observer(struct omptape_windows *windows);
void omptape_windows_free(struct omptape_windows *windows);
