/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts readings of the clock to times of the trace. Both have the same ticks, or ticks that differ by a
 * power of two if the clock is too coarse for distinct times. If the clock jumps back (after a suspend, or
 * when a virtual machine is moved), an offset is added, so that the trace's time continues. Small differences
 * (a thread on another processor) are left to the stacks, which never let the time of a location decrease.
 */
#pragma once

#include <stdint.h>

/* Clock state of one thread's records. All zeros: a new thread. */
struct omptape_stream_clock {
    uint64_t offset; /* Offset to be added to the times of its records. */
    uint64_t newest; /* Greatest time so far. */
    uint32_t epoch;  /* Epoch of the clock to which `offset` belongs. */
};

struct omptape_timeline {
    uint64_t (*clock)(void); /* Reads the clock; tests set another function. */
    /* Ticks of the trace in one of the clock. All following values are in ticks of the trace. */
    uint64_t scale;
    /* Approximate ticks per second: a greater step back is no difference between processors. */
    uint64_t second;
    uint64_t newest;       /* Latest reading of the clock. */
    uint64_t offset;       /* Offset of readings since the last jump. */
    uint64_t before;       /* Offset of readings before the last jump. */
    uint32_t epoch;        /* Number of jumps of the clock. */
    uint64_t guess;        /* Offset set last for streams whose own time went back. */
    uint64_t jumps;        /* Jumps of clocks and streams that the writer has seen. */
    uint64_t suspended;    /* Time that the machine had been suspended at the start, ns. */
    uint64_t start_ticks;  /* The session's start on the clock. */
    uint64_t start_raw;    /* The session's start on CLOCK_MONOTONIC_RAW, ns. */
    uint64_t known_second; /* The clock's ticks per second if the session knows them, or 0. */
};

/* Initialises the timeline. `start_ticks`, `start_raw` and `known_second` come from the session's settings
 * (clock_second in settings.h); an impossible rate counts as unknown. Called after the clock is chosen. */
void omptape_timeline_start(struct omptape_timeline *timeline, uint64_t start_ticks, uint64_t start_raw,
                            uint64_t known_second);

/* Makes the trace's ticks at most about a nanosecond long, so that distinct times cost little. Called
 * right after omptape_timeline_start, or not at all. */
void omptape_timeline_refine(struct omptape_timeline *timeline);

/* Converts ticks of the clock to those of the trace: a span, or a moment while the clock has not jumped. */
static inline uint64_t omptape_timeline_ticks(const struct omptape_timeline *timeline, uint64_t ticks)
{
    return ticks * timeline->scale;
}

/* Returns the time `ns` before a reading of the clock, by its rate at the start. Returns the reading
 * itself if the clock does not reach back that far. */
uint64_t omptape_timeline_before(const struct omptape_timeline *timeline, uint64_t ticks, uint64_t ns);

/* Returns the current time. Detects jumps of the clock. */
uint64_t omptape_timeline_now(struct omptape_timeline *timeline);

/* Returns the time of a recent reading by another process (the program's end). */
uint64_t omptape_timeline_of(struct omptape_timeline *timeline, uint64_t ticks);

/* Handles the rare cases of omptape_timeline_place; `ticks` of the trace. */
uint64_t omptape_timeline_correct(struct omptape_timeline *timeline, struct omptape_stream_clock *clock,
                                  uint64_t ticks, uint64_t now);

/* Returns the time of a thread's next record. `now` is a time from omptape_timeline_now. A record from the
 * future is damaged: it gets the current time, so that it does not delay later records for ever. May be
 * called again for the same record. */
static inline uint64_t omptape_timeline_place(struct omptape_timeline *timeline,
                                              struct omptape_stream_clock *clock, uint64_t ticks,
                                              uint64_t now)
{
    ticks = omptape_timeline_ticks(timeline, ticks);
    uint64_t time = ticks + clock->offset;
    if (__builtin_expect(time > now || time < clock->newest || clock->epoch != timeline->epoch, 0))
        return omptape_timeline_correct(timeline, clock, ticks, now);
    clock->newest = time;
    return time;
}

/* Returns the trace's ticks per second: known by the session, or measured over the whole run. If the clock
 * or the system's clock stopped or jumped meanwhile, they are measured again in 20 ms. Two measurements
 * differ by some millionths. */
uint64_t omptape_timeline_resolution(const struct omptape_timeline *timeline);
